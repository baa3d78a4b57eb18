// One's own open orders in a market, and the way to take each back.
// Invariant: an order is gone from the list only once the exchange has said so.
import { answered, type Schemas } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { faultWords, Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, price } from "../../words.ts";

const MOST_READ = 200;

export const ownOrders = new Question(
  async (marketId: string): Promise<readonly Schemas["Order"][]> => {
    const query = { marketId, limit: MOST_READ };
    const { data } = await answered(
      exchange.value.GET("/api/trading/orders", { params: { query } }),
    );
    return data.filter(({ status }) => status === "OPEN" || status === "PARTIALLY_FILLED");
  },
  { everySeconds: 10, isPrivate: true },
);

export function OwnOrders({ marketId }: { readonly marketId: string }) {
  const reading = useReading(ownOrders, [marketId]);
  const [trouble, setTrouble] = useState<string>();
  const cancel = async (orderId: string): Promise<void> => {
    setTrouble(undefined);
    const path = { orderId };
    try {
      await answered(exchange.value.DELETE("/api/trading/orders/{orderId}", { params: { path } }));
    } catch (fault) {
      setTrouble(faultWords(fault));
    } finally {
      ownOrders.askAnew();
    }
  };
  return (
    <Shown reading={reading} room="line">
      {(orders) =>
        orders.length === 0 ? (
          <p class="soft small">You have no open order here.</p>
        ) : (
          <div class="sheet">
            {trouble !== undefined && (
              <p class="bad-words" role="alert">
                {trouble}
              </p>
            )}
            <table>
              <caption>Your open orders</caption>
              <tbody>
                {orders.map((order) => (
                  <tr key={order.id}>
                    <th scope="row">{wordsOf(order)}</th>
                    <td class="number">
                      {amount(Number(order.amount) - Number(order.filledAmount))}
                    </td>
                    <td class="number">{price(order.price)}</td>
                    <td class="number">
                      <button
                        type="button"
                        class="button slim"
                        aria-label={`Cancel ${order.id}`}
                        onClick={() => cancel(order.id)}
                      >
                        Cancel
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Shown>
  );
}

const wordsOf = ({ side, outcomeIndex }: Schemas["Order"]): string =>
  `${side === "BUY" ? "buy" : "sell"} ${outcomeIndex === 0 ? "protection" : "the seller’s side"}`;
