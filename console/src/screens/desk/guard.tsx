// Beside a maker's quotes: free cash, what the account may still do today, and its mandates.
// Invariant: limits are the exchange's own words.
import type { Schemas } from "@firstprint/sdk";
import { indexWords } from "../../parts/market-words.ts";
import { Note } from "../../parts/note.tsx";
import { amount, cents, dollars } from "../../words.ts";

interface GuardProps {
  readonly account: Schemas["OwnAccount"];
  readonly openOrders: number;
}

export function Guard({ account, openOrders }: GuardProps) {
  return (
    <section class="card" aria-labelledby="guard">
      <h2 id="guard">Your account</h2>
      <dl class="facts">
        <div>
          <dt>Free</dt>
          <dd class="figures">{cents(Number(account.available))}</dd>
        </div>
        <div>
          <dt>Held back</dt>
          <dd class="figures">{cents(Number(account.locked))}</dd>
        </div>
        <div>
          <dt>Open orders</dt>
          <dd class="figures">
            {amount(openOrders)} of {amount(account.maxOpenOrders)}
          </dd>
        </div>
        <div>
          <dt>Filled today</dt>
          <dd class="figures">
            {dollars(Number(account.tradedToday))} of {dollars(Number(account.maxDaily))}
          </dd>
        </div>
      </dl>
    </section>
  );
}

export const Mandates = ({ mandates }: { readonly mandates: readonly Schemas["Mandate"][] }) => (
  <section class="card" aria-labelledby="mandates">
    <h2 id="mandates">Mandates</h2>
    {mandates.length === 0 ? (
      <Note title="No mandate stands">
        <p>A mandate sells or buys every contract of a scope at the mark and a spread.</p>
      </Note>
    ) : (
      <div class="sheet">
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Places</th>
              <th scope="col" class="number">
                Beyond the mark
              </th>
              <th scope="col" class="number">
                At most in all
              </th>
            </tr>
          </thead>
          <tbody>
            {mandates.map((one) => (
              <tr key={one.id}>
                <th scope="row">
                  {one.side === "SELL" ? "sells" : "buys"} {indexWords(one.index)}
                </th>
                <td data-name="Places">{one.places.join(", ")}</td>
                <td class="number" data-name="Beyond the mark">
                  {(one.spreadBps / 10_000).toFixed(4)}
                </td>
                <td class="number" data-name="At most in all">
                  {dollars(Number(one.maxTotalUsd))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
);
