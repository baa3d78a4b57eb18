// Beside a maker's quotes: free cash, and the brake on fast fills.
// Invariant: a brake that has tripped is said in words, with what to do.
import { answered, type Schemas } from "@firstprint/sdk";
import { Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, cents } from "../../words.ts";

const protection = new Question(
  async () => (await answered(exchange.value.GET("/api/trading/protection"))).data,
  { everySeconds: 20, isPrivate: true },
);

interface GuardProps {
  readonly account: Schemas["OwnAccount"];
  readonly openOrders: number;
}

export function Guard({ account, openOrders }: GuardProps) {
  const reading = useReading(protection, []);
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
          <dd class="figures">{amount(openOrders)}</dd>
        </div>
        <div>
          <dt>Brake</dt>
          <dd>
            <Shown reading={reading} room="line">
              {(brake) => <>{brakeWords(brake)}</>}
            </Shown>
          </dd>
        </div>
      </dl>
    </section>
  );
}

function brakeWords({ trippedAt, ...terms }: Schemas["Protection"]): string {
  if (trippedAt !== null) return "Tripped: no quote is taken until you reset it.";
  const most = [
    ...(terms.maxContracts === null ? [] : [`${amount(terms.maxContracts)} contracts`]),
    ...(terms.maxFills === null ? [] : [`${terms.maxFills} fills`]),
  ];
  return most.length === 0
    ? "None is set: fills pull nothing by themselves."
    : `All is pulled beyond ${most.join(" or ")} within ${terms.withinSeconds} s.`;
}
