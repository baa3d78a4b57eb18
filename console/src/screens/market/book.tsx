// The book, live: sellers above, buyers below, one's own orders marked in it; between them what
// mandates give at the mark.
// Invariant: it is the exchange's book after the entry that it names, or it says that it waits.
import { answered, type BookView, followBook, type Schemas } from "@firstprint/sdk";
import { useEffect, useState } from "preact/hooks";
import type { Market } from "../../parts/market.ts";
import { faultWords, Note } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange, isSignedIn } from "../../session.ts";
import { amount, price } from "../../words.ts";
import { ownOrders } from "./own-orders.tsx";
import { recentTrades } from "./trades.tsx";

const DEPTH = 10;

/** Mandates move with the marks and with what they sold, and tell nobody when. */
const standing = new Question(
  async (id: string) => {
    const params = { path: { id }, query: { depth: 1 } };
    return (await answered(exchange.value.GET("/api/markets/{id}/book", { params }))).data.model;
  },
  { everySeconds: 30 },
);

/** A level of resting orders, or of mandates, which are in no book. */
interface Level {
  readonly price: number;
  readonly amount: string;
  readonly orders: number | undefined;
}

/** Best first; at one price orders that rest come before mandates. */
const together = (
  resting: readonly Schemas["BookLevel"][],
  offered: readonly Schemas["OfferedLevel"][],
  isBetter: (one: number, other: number) => number,
): readonly Level[] =>
  [...resting, ...offered.map((level) => ({ ...level, orders: undefined }))].sort((one, other) =>
    isBetter(one.price, other.price),
  );

type Live =
  | { readonly state: "waiting" }
  | { readonly state: "failed"; readonly fault: unknown }
  | { readonly state: "live"; readonly book: BookView; readonly isCut: boolean };

function useLiveBook(marketId: string): Live {
  const [live, setLive] = useState<Live>({ state: "waiting" });
  const ask = exchange.value;
  useEffect(() => {
    const end = new AbortController();
    const onInterrupted = (): void =>
      setLive((last) => (last.state === "live" ? { ...last, isCut: true } : last));
    const run = async (): Promise<void> => {
      const options = { depth: DEPTH, signal: end.signal, onInterrupted };
      let isFirst = true;
      for await (const book of followBook(ask, marketId, options)) {
        setLive({ state: "live", book, isCut: false });
        if (!isFirst) recentTrades.askAnew();
        if (!isFirst) standing.askAnew();
        isFirst = false;
      }
    };
    run().catch((fault: unknown) => {
      if (!end.signal.aborted) setLive({ state: "failed", fault });
    });
    return () => end.abort();
  }, [marketId, ask]);
  return live;
}

export function Book({ terms }: { readonly terms: Market }) {
  const live = useLiveBook(terms.id);
  return (
    <section class="card" aria-labelledby="book">
      <div class="row apart">
        <h2 id="book">Book</h2>
        {live.state === "live" && (
          <span class="tag">
            {live.isCut
              ? "connection lost, coming back"
              : `live, entry ${amount(live.book.sequence)}`}
          </span>
        )}
      </div>
      {live.state === "waiting" && <div class="waiting room-tall" />}
      {live.state === "failed" && (
        <Note title="The book could not be read" isBad>
          <p>{faultWords(live.fault)}</p>
        </Note>
      )}
      {live.state === "live" && <Levels book={live.book} terms={terms} />}
    </section>
  );
}

interface LevelsProps {
  readonly book: BookView;
  readonly terms: Market;
}

function Levels({ book, terms }: LevelsProps) {
  const marketId = terms.id;
  const own = useReading(ownOrders, isSignedIn.value ? [marketId] : undefined);
  const orders = own.state === "ready" ? own.data : [];
  const ownAt = (at: number): number =>
    orders
      .filter((order) => Math.abs(priceOfProtection(order) - at) < 0.00005)
      .reduce((sum, order) => sum + Number(order.amount) - Number(order.filledAmount), 0);
  const offered = useReading(standing, [marketId]);
  const model = offered.state === "ready" ? offered.data : { bids: [], asks: [] };
  const asks = together(book.asks, model.asks, (one, other) => one - other);
  const bids = together(book.bids, model.bids, (one, other) => other - one);
  const most = Math.max(1, ...[...bids, ...asks].map((level) => Number(level.amount)));
  if (bids.length + asks.length === 0) return <Empty terms={terms} />;
  const row = (side: "ask" | "bid") => (level: Level) => (
    <tr key={`${level.price} ${level.orders === undefined}`} class={side}>
      <th scope="row" class="number">
        {price(level.price)}
      </th>
      <td class="number depth">
        <span class="bar-of" style={{ width: `${(100 * Number(level.amount)) / most}%` }} />
        <span class="bar-words">{amount(level.amount)}</span>
      </td>
      <td class="number">{level.orders ?? <span class="soft">mandate</span>}</td>
      <td class="number strong">
        {level.orders !== undefined && ownAt(level.price) > 0 ? amount(ownAt(level.price)) : ""}
      </td>
    </tr>
  );
  const [ask, bid] = [asks[0]?.price, bids[0]?.price];
  return (
    <table class="book">
      <caption class="unseen">Sellers of protection above, buyers below</caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            Price
          </th>
          <th scope="col" class="number">
            Coverage
          </th>
          <th scope="col" class="number">
            Orders
          </th>
          <th scope="col" class="number">
            Yours
          </th>
        </tr>
      </thead>
      <tbody>
        {asks.toReversed().map(row("ask"))}
        <tr class="spread">
          <th scope="row" colSpan={4}>
            {ask === undefined
              ? "No seller"
              : bid === undefined
                ? "No buyer"
                : ask > bid
                  ? `Spread ${price(ask - bid)}`
                  : "A buyer who sends the order again meets a mandate"}
          </th>
        </tr>
        {bids.map(row("bid"))}
      </tbody>
    </table>
  );
}

/** Selling the other outcome at p is buying protection at 1 − p. */
const priceOfProtection = ({ outcomeIndex, price: own }: Schemas["Order"]): number =>
  outcomeIndex === 0 ? own : 1 - own;

const Empty = ({ terms }: { readonly terms: Market }) => (
  <p class="soft">
    {terms.status === "ACTIVE" && !terms.tradingClosed
      ? "Nobody has an order here. The ticket places the first one."
      : "Nobody has an order here, and none is taken any more."}
  </p>
);
