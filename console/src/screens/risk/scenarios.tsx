// The scenarios in words: what all open protection would be worth after each, and how often a
// payout went beyond it.
// Invariant: a scenario that has no words here stands with the exchange's own.
import type { Risk } from "../../parts/risk.ts";
import { amount, dollars, percent } from "../../words.ts";

type Scenario = Risk["open"]["scenarios"][number];

const words: Readonly<Record<string, string>> = {
  "all-1": "All places together: a month as bad as one in a hundred",
  "all-3": "All places together: a quarter as bad as one in a hundred",
  "all-6": "All places together: half a year as bad as one in a hundred",
  "all-12": "All places together: a year as bad as one in a hundred",
  northeast: "The Northeast alone: half a year as bad as one in a thousand",
  midwest: "The Midwest alone: half a year as bad as one in a thousand",
  south: "The South alone: half a year as bad as one in a thousand",
  west: "The West alone: half a year as bad as one in a thousand",
  "replay-2006": "2006 to 2011 comes again",
  "replay-1989": "1989 to 1996 comes again in California and New England",
  "replay-1985": "1985 to 1989 comes again in Texas, Oklahoma and Louisiana",
  "minus-20": "Every place loses a fifth within two years",
  "missing-print": "No further number is published: the last one stands",
  "up-1": "All places together: a month as good as one in a hundred",
  "up-12": "All places together: a year as good as one in a hundred",
};

export function Scenarios({ open }: { readonly open: Risk["open"] }) {
  const { scenarios, settled, exceededAll, worth, coverage } = open;
  return (
    <section class="card" aria-labelledby="scenarios">
      <h2 id="scenarios">If it happened</h2>
      <p class="measure">
        All open protection pays {dollars(Number(coverage))} at most and is worth{" "}
        {dollars(Number(worth))} now. Sellers keep what the worst of these asks of what they sold.
        The bars are of all that can be paid.
      </p>
      <div class="sheet">
        <table class="stacked scenarios">
          <thead>
            <tr>
              <th scope="col">Scenario</th>
              <th scope="col">Open protection would be worth</th>
              <th scope="col" class="number">
                Prints beyond it
              </th>
            </tr>
          </thead>
          <tbody>
            {scenarios.map((one) => (
              <Row key={one.id} scenario={one} coverage={Number(coverage)} settled={settled} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="source">
        {settled === 0
          ? "No market has been settled by its print yet, so none can lie beyond a scenario."
          : `Prints beyond it: of ${amount(settled)} markets settled by their print, those that ` +
            "paid more than the scenario foretold last before it (of a rise: less). Beyond every " +
            `scenario of a fall: ${amount(exceededAll)}.`}
      </p>
    </section>
  );
}

interface RowProps {
  readonly scenario: Scenario;
  readonly coverage: number;
  readonly settled: number;
}

const Row = ({ scenario, coverage, settled }: RowProps) => {
  const share = coverage === 0 ? 0 : Number(scenario.worth) / coverage;
  return (
    <tr>
      <th scope="row">{words[scenario.id] ?? scenario.title}</th>
      <td class="share-cell">
        <span class="share">
          <svg class="share-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect class="trough" width="100" height="8" />
            <rect class={`towards-${scenario.direction}`} width={100 * share} height="8" />
          </svg>
          <span class="figures">{dollars(Number(scenario.worth))}</span>
          <span class="figures soft">{percent(100 * share)}</span>
        </span>
      </td>
      <td class="number" data-name="Prints beyond it">
        {settled === 0 ? "–" : `${amount(scenario.exceeded)} of ${amount(settled)}`}
      </td>
    </tr>
  );
};
