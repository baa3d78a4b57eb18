// Positions in words: what each pays for, what it cost, what it is worth, what came of it.
// Invariant: amounts are the exchange's own; a position's terms come from its market.
import type { Schemas } from "@firstprint/sdk";
import { market } from "../../parts/market.ts";
import { indexWords, paysFor, stateWords } from "../../parts/market-words.ts";
import { Note } from "../../parts/note.tsx";
import { PlaceName } from "../../parts/place-name.tsx";
import { useReading } from "../../query.ts";
import { cents, day, dollars, monthWords, percent } from "../../words.ts";

type Position = Schemas["Position"];
interface ListProps {
  readonly positions: readonly Position[];
}

/** The place and what it pays for, with a link to the market. */
function WhatItPays({ marketId }: { readonly marketId: string }) {
  const reading = useReading(market, [marketId]);
  if (reading.state !== "ready") return <span class="soft">{marketId}</span>;
  const terms = reading.data;
  return (
    <>
      <a href={`/market/${terms.frontendId}`}>
        <PlaceName id={terms.geoNodeId} />
      </a>
      <span class="what">
        {paysFor(terms)} of {indexWords(terms.metricType)} by {monthWords(terms.measurementMonth)}
      </span>
    </>
  );
}

function State({ marketId }: { readonly marketId: string }) {
  const reading = useReading(market, [marketId]);
  return reading.state === "ready" ? <span class="tag">{stateWords(reading.data)}</span> : null;
}

export const Held = ({ positions }: ListProps) => (
  <section class="card" aria-labelledby="held">
    <h2 id="held">What you are protected against</h2>
    {positions.length === 0 ? (
      <Note title="You have no protection yet">
        <p>
          <a href="/">Look for your place</a> and see what a year of it costs.
        </p>
      </Note>
    ) : (
      <div class="sheet">
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">Pays for</th>
              <th scope="col" class="number">
                Pays up to
              </th>
              <th scope="col" class="number">
                Cost
              </th>
              <th scope="col" class="number">
                Worth now
              </th>
            </tr>
          </thead>
          <tbody>
            {positions.map((one) => (
              <tr key={one.marketId}>
                <th scope="row">
                  <WhatItPays marketId={one.marketId} />
                </th>
                <td class="number strong" data-name="Pays up to">
                  {dollars(Number(one.amount))}
                </td>
                <td class="number" data-name="Cost">
                  {cents(Number(one.cost))}
                </td>
                <td class="number" data-name="Worth now">
                  {cents(Number(one.amount) * one.mark)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <p class="source">Worth now: at the model’s price, which nobody has to pay.</p>
      </div>
    )}
  </section>
);

export const Sold = ({ positions }: ListProps) => (
  <div class="sheet">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Pays for</th>
          <th scope="col" class="number">
            You may owe
          </th>
          <th scope="col" class="number">
            Received
          </th>
          <th scope="col" class="number">
            Held back
          </th>
          <th scope="col" class="number">
            Price now
          </th>
        </tr>
      </thead>
      <tbody>
        {positions.map((one) => (
          <tr key={one.marketId}>
            <th scope="row">
              <WhatItPays marketId={one.marketId} />
            </th>
            <td class="number strong" data-name="You may owe">
              {dollars(-Number(one.amount))}
            </td>
            <td class="number" data-name="Received">
              {cents(-Number(one.cost))}
            </td>
            <td class="number" data-name="Held back">
              {cents(Number(one.collateral))}
            </td>
            <td class="number" data-name="Price now">
              {percent(100 * one.mark)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** Paid, or about to be: the print is known. */
export function Settled({ positions }: ListProps) {
  if (positions.length === 0) return null;
  return (
    <section class="card" aria-labelledby="settled">
      <h2 id="settled">Settlements</h2>
      <div class="sheet">
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">Paid for</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Of the coverage
              </th>
              <th scope="col" class="number">
                To come
              </th>
              <th scope="col" class="number">
                Gain or loss
              </th>
            </tr>
          </thead>
          <tbody>
            {positions.map((one) => (
              <tr key={one.marketId}>
                <th scope="row">
                  <WhatItPays marketId={one.marketId} />
                </th>
                <td data-name="State">
                  <State marketId={one.marketId} />
                </td>
                <td class="number" data-name="Of the coverage">
                  {percent(100 * one.mark)}
                </td>
                <td class="number strong" data-name="To come">
                  {toCome(one)}
                </td>
                <td class="number" data-name="Gain or loss">
                  {cents(Number(one.realised))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const toCome = ({ expectedPayout, payableAt }: Position): string => {
  if (expectedPayout === null) return "–";
  const when = payableAt === null ? "" : `, ${day(payableAt)}`;
  return `${cents(Number(expectedPayout))}${Number(expectedPayout) === 0 ? "" : when}`;
};
