// Open protection by state: how much would be paid at most, and what it is worth now.
// Invariant: the rows add up to the sum beneath them.
import { Note } from "../../parts/note.tsx";
import { PlaceName } from "../../parts/place-name.tsx";
import type { Risk } from "../../parts/risk.ts";
import { dollars, percent } from "../../words.ts";

const SHOWN_AT_ONCE = 8;

interface OpenProps {
  readonly open: Risk["open"];
}

export function States({ open }: OpenProps) {
  const { byState } = open;
  const rest = byState.slice(SHOWN_AT_ONCE);
  return (
    <section class="card" aria-labelledby="states">
      <h2 id="states">Open protection by state</h2>
      {byState.length === 0 ? (
        <Note title="No protection is open" />
      ) : (
        <>
          <StateTable rows={byState.slice(0, SHOWN_AT_ONCE)} open={open} hasSum />
          {rest.length > 0 && (
            <details>
              <summary>
                {rest.length === 1 ? "One more state" : `${rest.length} more states`}
              </summary>
              <StateTable rows={rest} open={open} />
            </details>
          )}
        </>
      )}
    </section>
  );
}

interface TableProps extends OpenProps {
  readonly rows: Risk["open"]["byState"];
  readonly hasSum?: boolean;
}

const StateTable = ({ rows, open, hasSum = false }: TableProps) => (
  <div class="sheet">
    <table>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Markets
          </th>
          <th scope="col" class="number">
            Pays at most
          </th>
          <th scope="col" class="number broad">
            Of all
          </th>
          <th scope="col" class="number">
            Worth now
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ stateCode, markets, coverage, worth }) => (
          <tr key={stateCode}>
            <th scope="row">{nameOf(stateCode)}</th>
            <td class="number">{markets}</td>
            <td class="number">{dollars(Number(coverage))}</td>
            <td class="number broad">
              {percent((100 * Number(coverage)) / Math.max(1, Number(open.coverage)))}
            </td>
            <td class="number">{dollars(Number(worth))}</td>
          </tr>
        ))}
        {hasSum && (
          <tr class="sum">
            <th scope="row">All states</th>
            <td class="number">{open.byState.reduce((sum, { markets }) => sum + markets, 0)}</td>
            <td class="number">{dollars(Number(open.coverage))}</td>
            <td class="number broad">{percent(100)}</td>
            <td class="number">{dollars(Number(open.worth))}</td>
          </tr>
        )}
      </tbody>
    </table>
  </div>
);

const nameOf = (code: string) =>
  /^[A-Z]{2}$/.test(code) && code !== "US" ? (
    <PlaceName id={`state:${code.toLowerCase()}`} />
  ) : (
    "The nation"
  );
