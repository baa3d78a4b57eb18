// The desk's table: a market a row, own quotes beside the market's, and what the rule would quote.
// Invariant: prices are of the protection, in dollars for each dollar of coverage.
import { indexWords } from "../../parts/market-words.ts";
import { Note } from "../../parts/note.tsx";
import { save } from "../../parts/save.ts";
import { amount, cents, layerOf, monthWords, price } from "../../words.ts";
import { csvOf } from "./csv.ts";
import type { Row } from "./desk.ts";
import { quoteOf, type Rule } from "./rule.ts";

interface RowsProps {
  readonly rows: readonly Row[];
  readonly rule: Rule;
  readonly total: number;
}

const columns = [
  "Your bid",
  "Your ask",
  "Market",
  "Mark",
  "Position",
  "Edge",
  "By the rule",
] as const;

export function Rows({ rows, rule, total }: RowsProps) {
  return (
    <section class="card" aria-labelledby="quotes">
      <h2 id="quotes">Markets</h2>
      {rows.length === 0 ? (
        <Note title="No open market is like this" />
      ) : (
        <section class="sheet" aria-label="Markets and quotes">
          <table class="stacked">
            <caption>
              {rows.length === total
                ? `${total} open markets`
                : `${rows.length} of ${total} open markets, yours first; narrow them to see others`}
            </caption>
            <thead>
              <tr>
                <th scope="col">Place and contract</th>
                {columns.map((name) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <OneRow key={row.market.id} row={row} rule={rule} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <div class="row apart">
        <p class="source">Mark: the reference model’s price, which nobody has to pay.</p>
        {rows.length > 0 && (
          <button
            type="button"
            class="button slim"
            onClick={() => save("desk.csv", new Blob([csvOf(rows, rule)], { type: "text/csv" }))}
          >
            Save as CSV
          </button>
        )}
      </div>
    </section>
  );
}

function OneRow({ row, rule }: { readonly row: Row; readonly rule: Rule }) {
  const { market, bid, ask, position, edge } = row;
  const next = quoteOf(row, rule);
  const cells = [
    bid === undefined ? "–" : price(bid.price),
    ask === undefined ? "–" : price(ask.price),
    `${shown(market.bestBid)} / ${shown(market.bestAsk)}`,
    price(market.mark),
    position === 0 ? "–" : position < 0 ? `−${amount(-position)}` : amount(position),
    bid === undefined && ask === undefined ? "–" : cents(edge),
    `${shown(next.bid?.price)} / ${shown(next.ask?.price)}`,
  ];
  return (
    <tr>
      <th scope="row">
        <a href={`/market/${market.frontendId}`}>{row.name}</a>
        <span class="what">
          {contractOf(market)}, {monthWords(market.measurementMonth)}
        </span>
      </th>
      {columns.map((name, at) => (
        <td key={name} class="number" data-name={name}>
          {cells[at]}
        </td>
      ))}
    </tr>
  );
}

const shown = (value: number | string | null | undefined): string =>
  value === null || value === undefined ? "–" : price(Number(value));

function contractOf({ id, metricType, threshold, comparator }: Row["market"]): string {
  const layer = layerOf(id);
  const what = indexWords(metricType);
  if (layer !== undefined) return `${what} −${layer[0]}% to −${layer[1]}%`;
  if (metricType.endsWith("_decline")) return `${what} −${amount(threshold)}%`;
  return `${what} ${comparator === "gte" ? "≥" : "≤"} ${amount(threshold)}`;
}
