// The whole portfolio in a few numbers, and the falls between which it is to be protected.
// Invariant: the layer stays in whole percent, its end above its beginning.
import type { Layer } from "../../parts/protection.ts";
import { amount, dollars, percent } from "../../words.ts";
import { type Exposure, lossOf } from "./exposure.ts";
import type { LoanFile } from "./loans.ts";

interface TotalsProps {
  readonly file: LoanFile;
  readonly exposures: readonly Exposure[];
  readonly layer: Layer;
  onLayer(layer: { attach: number; exhaust: number }): void;
}

/** Told in the table, in percent. */
const falls = [5, 10, 15, 20, 30] as const;

export function Totals({ file: { loans }, exposures, layer, onLayer }: TotalsProps) {
  const sum = (value: (one: Exposure) => number): number =>
    exposures.reduce((total, one) => total + value(one), 0);
  const balance = sum((one) => one.balance);
  const facts = [
    ["Loans", amount(loans.length)],
    ["Zip codes", amount(exposures.length)],
    ["Owed", dollars(balance)],
    ["Owed in percent of worth", percent((100 * balance) / sum((one) => one.worth))],
    ["To protect", dollars(sum((one) => one.coverage))],
  ] as const;
  return (
    <section class="card" aria-labelledby="totals">
      <h2 id="totals">The book as a whole</h2>
      <dl class="facts lender-facts">
        {facts.map(([name, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="figures">{words}</dd>
          </div>
        ))}
      </dl>
      <div class="sheet">
        <table class="falls">
          <caption>Your loss if every home is worth less by</caption>
          <tbody>
            {falls.map((fall) => (
              <tr key={fall}>
                <th scope="row">{fall}%</th>
                <td class="number">
                  {dollars(loans.reduce((total, loan) => total + lossOf(loan, fall), 0))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <form class="row" onSubmit={(event) => event.preventDefault()}>
        <Percent
          label="Protect from a fall of, in %"
          value={layer.attach}
          least={0}
          most={layer.exhaust - 1}
          onValue={(attach) => onLayer({ ...layer, attach })}
        />
        <Percent
          label="up to a fall of, in %"
          value={layer.exhaust}
          least={layer.attach + 1}
          most={60}
          onValue={(exhaust) => onLayer({ ...layer, exhaust })}
        />
      </form>
    </section>
  );
}

interface PercentProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  onValue(value: number): void;
}

const Percent = ({ label, value, least, most, onValue }: PercentProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      type="number"
      min={least}
      max={most}
      step={1}
      value={value}
      required
      onChange={({ currentTarget }) => {
        if (currentTarget.reportValidity()) onValue(currentTarget.valueAsNumber);
      }}
    />
  </label>
);
