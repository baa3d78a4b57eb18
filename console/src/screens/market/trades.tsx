// The newest trades of a market.
// Invariant: each is listed once, the newest first, with what the taker did.
import { answered } from "@firstprint/sdk";
import type { Market } from "../../parts/market.ts";
import { Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, price, time } from "../../words.ts";

const MOST_SHOWN = 20;

export const recentTrades = new Question(
  async (id: string) => {
    const params = { path: { id }, query: { limit: MOST_SHOWN } };
    return (await answered(exchange.value.GET("/api/markets/{id}/trades", { params }))).data;
  },
  { everySeconds: 30 },
);

export function Trades({ terms }: { readonly terms: Market }) {
  const reading = useReading(recentTrades, [terms.id]);
  return (
    <section class="card" aria-labelledby="trades">
      <h2 id="trades">Trades</h2>
      <Shown reading={reading} room="short">
        {(trades) =>
          trades.length === 0 ? (
            <p class="soft">Nobody has traded here yet.</p>
          ) : (
            <table>
              <thead>
                <tr>
                  <th scope="col">Time, UTC</th>
                  <th scope="col">The taker</th>
                  <th scope="col" class="number">
                    Coverage
                  </th>
                  <th scope="col" class="number">
                    Price
                  </th>
                </tr>
              </thead>
              <tbody>
                {trades.map((trade) => (
                  <tr key={trade.id}>
                    <td>{time(trade.timestamp)}</td>
                    <td>{trade.side === "BUY" ? "bought" : "sold"}</td>
                    <td class="number">{amount(trade.amount)}</td>
                    <td class="number">{price(trade.price)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Shown>
    </section>
  );
}
