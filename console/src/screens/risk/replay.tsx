// 2005–2011 again: what fell due of contracts sold in each month, against what sellers had put up.
// Invariant: the figures are the served record's; the table under the picture has every month.
import { useState } from "preact/hooks";
import type { Risk } from "../../parts/risk.ts";
import { day, dollars, percent } from "../../words.ts";
import { ReplayPicture } from "./replay-picture.tsx";

type ReplayRecord = Risk["replay"];
type Horizon = ReplayRecord["horizons"][number];

const share = (value: number): string => percent(100 * value);

export function Replay({ replay }: { readonly replay: ReplayRecord }) {
  const [months, setMonths] = useState(12);
  const horizon = replay.horizons.find((one) => one.months === months) ?? replay.horizons.at(-1);
  if (horizon === undefined) return null;
  return (
    <section class="card" aria-labelledby="replay">
      <div class="row apart">
        <h2 id="replay">2005 to 2011 again</h2>
        <fieldset class="switch">
          <legend class="unseen">How long the protection runs</legend>
          {replay.horizons.map((one) => (
            <label key={one.months}>
              <input
                type="radio"
                name="horizon"
                checked={one === horizon}
                onChange={() => setMonths(one.months)}
              />
              {one.months} months
            </label>
          ))}
        </fieldset>
      </div>
      <p class="measure">{sentence(horizon)}</p>
      <ReplayPicture horizon={horizon} />
      <p class="source">
        {layerWords(replay.layer)}; {replay.file}: {replay.places} places, {replay.tier} sellers and
        a fund of {share(replay.fund)} of coverage. Run on {day(replay.date)} through this
        exchange’s own margin, default and payment. {replay.hindsight} {replay.attribution}.
      </p>
      <ReplayTable horizon={horizon} attribution={replay.attribution} />
    </section>
  );
}

function sentence({ due, paid, worstPaid, called, ...one }: Horizon): string {
  const inFull = paid === 1 && worstPaid === 1;
  const claims = inFull
    ? "Every claim would have been paid in full"
    : `${share(paid)} of the claims would have been paid, ${share(worstPaid)} in the worst month`;
  const own =
    one.paidFromOwnMargin === 1
      ? "all of it from the sellers’ own cash"
      : `${share(one.paidFromOwnMargin)} of it from the sellers’ own cash`;
  return (
    `Had this exchange sold ${one.months} months of protection in every state in each month from ` +
    `2005 on, ${dollars(100 * due)} of every ${dollars(100)} of coverage would have fallen due. ` +
    `${claims}, ${own}; ${called === 0 ? "no seller" : `${share(called)} of sellers`} would have ` +
    "been called for more."
  );
}

function layerWords(layer: string): string {
  const [from = 0, to = 0] = layer.split("-").map((bps) => Number(bps) / 100);
  return `A fall from ${from}% to ${to}%`;
}

interface TableProps {
  readonly horizon: Horizon;
  readonly attribution: string;
}

const ReplayTable = ({ horizon, attribution }: TableProps) => (
  <details>
    <summary>Show as a table</summary>
    <div class="sheet">
      <table>
        <caption>
          Protection of {horizon.months} months by the month of sale, of its coverage. {attribution}
          .
        </caption>
        <thead>
          <tr>
            <th scope="col">Sold in</th>
            <th scope="col" class="number">
              Fell due
            </th>
            <th scope="col" class="number">
              Sellers’ cash
            </th>
          </tr>
        </thead>
        <tbody>
          {horizon.cohorts.map(({ month, due, sellerCash }) => (
            <tr key={month}>
              <th scope="row">{month}</th>
              <td class="number">{share(due)}</td>
              <td class="number">{share(sellerCash)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);
