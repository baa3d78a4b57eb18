// The map of a portfolio: each state by its share of what the lender stands to lose.
// Invariant: it only shows what the table under it says too.
import { Shown } from "../../parts/note.tsx";
import { HEIGHT, stateShapes, WIDTH } from "../../parts/shapes.ts";
import { placeIdOf } from "../../parts/states.ts";
import { useReading } from "../../query.ts";
import { dollars, percent } from "../../words.ts";
import { stateOfZips } from "./basket.ts";
import type { Exposure } from "./exposure.ts";

const steps = [
  { from: 40, name: "price-5", words: "40% or more" },
  { from: 20, name: "price-4", words: "20 to 40" },
  { from: 10, name: "price-3", words: "10 to 20" },
  { from: 2, name: "price-2", words: "2 to 10" },
  { from: 0, name: "price-1", words: "under 2%" },
] as const;

interface MapProps {
  readonly exposures: readonly Exposure[];
  readonly layerWords: string;
}

export function ExposureMap({ exposures, layerWords }: MapProps) {
  const zips = exposures.map(({ zip }) => zip);
  const states = useReading(stateOfZips, [zips], { keepsLast: true });
  return (
    <section class="card" aria-labelledby="exposure">
      <h2 id="exposure">Where you stand to lose</h2>
      <Shown reading={states} room="tall">
        {(stateOf) => <Drawn exposures={exposures} stateOf={stateOf} layerWords={layerWords} />}
      </Shown>
    </section>
  );
}

interface DrawnProps extends MapProps {
  readonly stateOf: ReadonlyMap<string, string>;
}

function Drawn({ exposures, stateOf, layerWords }: DrawnProps) {
  const shapes = useReading(stateShapes, []);
  const sums = new Map<string, number>();
  for (const { zip, coverage } of exposures) {
    const state = stateOf.get(zip);
    if (state !== undefined) sums.set(state, (sums.get(state) ?? 0) + coverage);
  }
  const total = [...sums.values()].reduce((sum, one) => sum + one, 0);
  const shareOf = (id: string): number => (100 * (sums.get(id) ?? 0)) / Math.max(total, 1);
  const rows = [...sums].toSorted(([, a], [, b]) => b - a);
  return (
    <>
      <div class="map">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          {(shapes.state === "ready" ? shapes.data : []).map(({ fips, line }) => {
            const id = placeIdOf(fips) ?? "";
            const step = sums.has(id) ? steps.find(({ from }) => shareOf(id) >= from) : undefined;
            return (
              <g key={fips} class="area">
                <path d={line} class={step?.name ?? "no-value"} />
              </g>
            );
          })}
        </svg>
      </div>
      <ul class="legend" aria-label="Share of the loss">
        {steps.toReversed().map(({ name, words }) => (
          <li key={name}>
            <span class={`swatch ${name}`} />
            {words}
          </li>
        ))}
      </ul>
      <p class="source">
        Share of {dollars(total)}, your loss as every place goes {layerWords} below today.
      </p>
      <details>
        <summary>Show as a table</summary>
        <div class="sheet">
          <table>
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Loss
                </th>
                <th scope="col" class="number">
                  Share
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(([id, loss]) => (
                <tr key={id}>
                  <th scope="row">
                    <a href={`/place/${id}`}>{id.slice("state:".length).toUpperCase()}</a>
                  </th>
                  <td class="number">{dollars(loss)}</td>
                  <td class="number">{percent(shareOf(id))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
