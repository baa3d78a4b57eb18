// The rules in force, for a look: what each tier may do and pays, and changes that are announced.
// Invariant: nothing is changed here; a change takes two people and is announced first.
import { answered } from "@firstprint/sdk";
import { Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, day, dollars, percent } from "../../words.ts";

const rules = new Question(
  async () => (await answered(exchange.value.GET("/api/admin/rules"))).data,
  { isPrivate: true, everySeconds: 60 },
);

export function Rules() {
  const reading = useReading(rules, []);
  return (
    <section class="card" aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      <Shown reading={reading} room="short">
        {({ tiers, fundingLimit, bust, concentration, price, announced }) => (
          <>
            <div class="sheet">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Tier</th>
                    <th scope="col" class="number">
                      In all
                    </th>
                    <th scope="col" class="number">
                      A day
                    </th>
                    <th scope="col" class="number">
                      Fee
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {Object.entries(tiers).map(([name, tier]) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td class="number">{dollars(tier.maxTotal)}</td>
                      <td class="number">{dollars(tier.maxDaily)}</td>
                      <td class="number">{percent(100 * tier.tradingFee)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <ul class="plain-list small">
              <li>One operator funds {dollars(fundingLimit)} a day alone.</li>
              <li>
                A fill more than {bust.band} off the mark can be busted within{" "}
                {amount(bust.windowMinutes)} minutes.
              </li>
              <li>
                From {percent(100 * concentration.share)} of a market or a state on, and{" "}
                {dollars(concentration.floor)}, a seller needs more margin.
              </li>
              <li>Prices bear {percent(100 * price.carry)} a year on a seller’s cash.</li>
            </ul>
            <p class="source">
              {announcedWords(announced.map(({ effectiveAt }) => day(effectiveAt)))}{" "}
              <a href="/docs/reference/setRules">To change them.</a>
            </p>
          </>
        )}
      </Shown>
    </section>
  );
}

const announcedWords = (days: readonly string[]): string =>
  days.length === 0 ? "No change is announced." : `Announced for ${days.join(", ")}.`;
