// Beside a maker's quotes: free cash, and what the account may still do today.
// Invariant: limits are the exchange's own words.
import type { Schemas } from "@firstprint/sdk";
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
