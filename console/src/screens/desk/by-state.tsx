// The maker's inventory by state: protection sold and bought there, as a map and as a table.
// Invariant: it only shows what the rows of the desk add up to.
import { HEIGHT, stateShapes, WIDTH } from "../../parts/shapes.ts";
import { placeIdOf } from "../../parts/states.ts";
import { useReading } from "../../query.ts";
import { cents, dollars } from "../../words.ts";
import type { Row } from "./desk.ts";

interface OfState {
  /** The coverage that was sold, and that was bought, in dollars. */
  readonly sold: number;
  readonly bought: number;
  readonly quoted: number;
  readonly edge: number;
}

const none: OfState = { sold: 0, bought: 0, quoted: 0, edge: 0 };

/** By the postal code of the state. */
export function byState(rows: readonly Row[]): ReadonlyMap<string, OfState> {
  const sums = new Map<string, OfState>();
  for (const { state, position, bid, ask, edge } of rows) {
    if (state === undefined) continue;
    const sum = sums.get(state) ?? none;
    sums.set(state, {
      sold: sum.sold + Math.max(0, -position),
      bought: sum.bought + Math.max(0, position),
      quoted: sum.quoted + (bid === undefined && ask === undefined ? 0 : 1),
      edge: sum.edge + edge,
    });
  }
  return sums;
}

const steps = [
  { name: "change-1", words: "mostly sold" },
  { name: "change-3", words: "some sold" },
  { name: "change-4", words: "even" },
  { name: "change-5", words: "some bought" },
  { name: "change-7", words: "mostly bought" },
] as const;

/** By its net position beside the greatest of all states. */
function stepOf({ sold, bought }: OfState, most: number): (typeof steps)[number] {
  const share = most === 0 ? 0 : (bought - sold) / most;
  if (share === 0) return steps[2];
  if (share < 0) return share < -0.5 ? steps[0] : steps[1];
  return share > 0.5 ? steps[4] : steps[3];
}

export function ByState({ rows }: { readonly rows: readonly Row[] }) {
  const sums = byState(rows);
  const held = [...sums].toSorted(([, a], [, b]) => b.sold + b.bought - (a.sold + a.bought));
  return (
    <section class="card by-state" aria-labelledby="by-state">
      <h2 id="by-state">Inventory by state</h2>
      <div class="by-state-parts">
        <div>
          <StateMap sums={sums} />
          <ul class="legend" aria-label="Net position">
            {steps.map(({ name, words }) => (
              <li key={name}>
                <span class={`swatch ${name}`} />
                {words}
              </li>
            ))}
          </ul>
        </div>
        <div class="sheet">
          <table>
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Sold
                </th>
                <th scope="col" class="number">
                  Bought
                </th>
                <th scope="col" class="number">
                  Quoted
                </th>
                <th scope="col" class="number">
                  Edge
                </th>
              </tr>
            </thead>
            <tbody>
              {held.map(([code, { sold, bought, quoted, edge }]) => (
                <tr key={code}>
                  <th scope="row">
                    <a href={`/place/state:${code.toLowerCase()}`}>{code}</a>
                  </th>
                  <td class="number">{dollars(sold)}</td>
                  <td class="number">{dollars(bought)}</td>
                  <td class="number">{quoted}</td>
                  <td class="number">{cents(edge)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <p class="source">
        Of the markets shown below. Edge: what your resting quotes earn beyond the mark if all of
        them fill.
      </p>
    </section>
  );
}

function StateMap({ sums }: { readonly sums: ReadonlyMap<string, OfState> }) {
  const shapes = useReading(stateShapes, []);
  const net = [...sums.values()].map(({ sold, bought }) => Math.abs(bought - sold));
  const most = Math.max(0, ...net);
  return (
    <div class="map">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        {(shapes.state === "ready" ? shapes.data : []).map(({ fips, line }) => {
          const code = (placeIdOf(fips) ?? "").slice("state:".length).toUpperCase();
          const sum = sums.get(code);
          const step = sum === undefined ? "no-value" : stepOf(sum, most).name;
          return (
            <g key={fips} class="area">
              <path d={line} class={step} />
            </g>
          );
        })}
      </svg>
    </div>
  );
}
