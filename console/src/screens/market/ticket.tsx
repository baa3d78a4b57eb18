// The ticket: an order with what it would do, before it is placed.
// Invariant: the figures beside the button are the exchange's own preview of exactly this order.
import { answered, NoAnswer, type Schemas } from "@firstprint/sdk";
import { useEffect, useState } from "preact/hooks";
import { holdings } from "../../parts/holdings.ts";
import { isAsked } from "../../parts/key-asked.ts";
import type { Market } from "../../parts/market.ts";
import { faultWords, Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange, isSignedIn } from "../../session.ts";
import { amount as amountWords, cents, price as priceWords } from "../../words.ts";
import { OwnOrders, ownOrders } from "./own-orders.tsx";

type OrderInput = Schemas["OrderInput"];
type Side = "BUY" | "SELL";
type Lasting = "GTC" | "IOC";

const PAUSE_MILLIS = 350;

const preview = new Question(
  async (body: OrderInput) =>
    (await answered(exchange.value.POST("/api/trading/orders/preview", { body }))).data,
  { freshSeconds: 3, isPrivate: true },
);

/** The order once nobody has typed for a moment; undefined where it is none yet. */
function useDraft(marketId: string, side: Side, amount: string, price: string, lasting: Lasting) {
  const isWhole = Number(amount) > 0 && Number(price) > 0 && Number(price) < 1;
  const text = isWhole ? JSON.stringify([marketId, side, amount, price, lasting]) : "";
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MILLIS);
    return () => clearTimeout(timer);
  }, [text]);
  const body: OrderInput = { marketId, outcomeIndex: 0, side, amount, price, timeInForce: lasting };
  return { body: isWhole ? body : undefined, isSettled: isWhole && settled === text };
}

export function Ticket({ terms }: { readonly terms: Market }) {
  const isOpen = terms.status === "ACTIVE" && !terms.tradingClosed;
  return (
    <section class="card ticket" aria-labelledby="ticket">
      <h2 id="ticket">Order</h2>
      {!isOpen ? (
        <p class="soft">Trading is closed here; orders that rest can still be cancelled.</p>
      ) : isSignedIn.value ? (
        <OrderForm terms={terms} />
      ) : (
        <div class="row">
          <button
            type="button"
            class="button first"
            onClick={() => {
              isAsked.value = true;
            }}
          >
            Sign in to trade
          </button>
        </div>
      )}
      {isSignedIn.value && <OwnOrders marketId={terms.id} />}
    </section>
  );
}

function OrderForm({ terms }: { readonly terms: Market }) {
  const [side, setSide] = useState<Side>("BUY");
  const [amount, setAmount] = useState("100");
  const [price, setPrice] = useState(priceWords(terms.outcomes[0]?.price ?? 0.5));
  const [lasting, setLasting] = useState<Lasting>("GTC");
  const [said, setSaid] = useState<{ readonly words: string; readonly isBad: boolean }>();
  const draft = useDraft(terms.id, side, amount, price, lasting);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (draft.body === undefined) return;
    try {
      const { data } = await answered(
        exchange.value.POST("/api/trading/orders", { body: draft.body }),
      );
      setSaid({ words: placedWords(data), isBad: false });
    } catch (fault) {
      const doubt = "The exchange has not answered: look at your orders before you try again.";
      setSaid({ words: fault instanceof NoAnswer ? doubt : faultWords(fault), isBad: true });
    } finally {
      for (const one of [ownOrders, holdings, preview]) one.askAnew();
    }
  };
  return (
    <form class="stack" onSubmit={send}>
      <SideSwitch side={side} onSide={setSide} />
      <div class="ticket-fields">
        <label class="field">
          <span>Coverage, USD</span>
          <input
            inputMode="decimal"
            value={amount}
            onInput={(event) => setAmount(event.currentTarget.value.trim())}
          />
        </label>
        <label class="field">
          <span>Limit price</span>
          <input
            inputMode="decimal"
            value={price}
            onInput={(event) => setPrice(event.currentTarget.value.trim())}
          />
        </label>
        <label class="field">
          <span>Lasts</span>
          <select
            value={lasting}
            onChange={(event) => setLasting(event.currentTarget.value === "IOC" ? "IOC" : "GTC")}
          >
            <option value="GTC">until cancelled</option>
            <option value="IOC">at once or not</option>
          </select>
        </label>
      </div>
      <PreviewOf body={draft.isSettled ? draft.body : undefined} />
      <button type="submit" class="button first" disabled={draft.body === undefined}>
        {side === "BUY" ? "Place the order to buy" : "Place the order to sell"}
      </button>
      <p role="status" class={said?.isBad ? "bad-words" : "small"}>
        {said?.words}
      </p>
    </form>
  );
}

interface SideProps {
  readonly side: Side;
  onSide(side: Side): void;
}

const SideSwitch = ({ side, onSide }: SideProps) => (
  <fieldset class="switch wide">
    <legend class="unseen">Side</legend>
    {(["BUY", "SELL"] as const).map((one) => (
      <label key={one}>
        <input type="radio" name="side" checked={side === one} onChange={() => onSide(one)} />
        {one === "BUY" ? "Buy protection" : "Sell protection"}
      </label>
    ))}
  </fieldset>
);

const placedWords = ({ id, filledAmount, amount, status }: Schemas["Order"]): string =>
  `${id}: ${amountWords(filledAmount)} of ${amountWords(amount)} filled` +
  `${status === "OPEN" || status === "PARTIALLY_FILLED" ? ", the rest rests in the book" : ""}.`;

function PreviewOf({ body }: { readonly body: OrderInput | undefined }) {
  const reading = useReading(preview, body === undefined ? undefined : [body], { keepsLast: true });
  if (reading.state === "waiting")
    return <div class="preview soft small">The preview follows.</div>;
  return (
    <div class="preview">
      <Shown reading={reading} room="line">
        {({ orders, cost, fee, required, availableAfter }) => (
          <dl class="pairs small">
            <Row name="Fills now" words={amountWords(orders[0]?.order.filledAmount ?? 0)} />
            <Row
              name={Number(cost) < 0 ? "Received" : "Cost"}
              words={cents(Math.abs(Number(cost)))}
            />
            <Row name="Fee" words={cents(Number(fee))} />
            <Row name="Held back" words={cents(Number(required))} />
            <Row name="Free afterwards" words={cents(Number(availableAfter))} />
          </dl>
        )}
      </Shown>
    </div>
  );
}

const Row = ({ name, words }: { readonly name: string; readonly words: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="figures">{words}</dd>
  </div>
);
