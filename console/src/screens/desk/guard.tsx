// Beside a maker's quotes: free cash, the brake on fast fills, and its mandates.
// Invariant: a brake that has tripped is said in words, with what to do.
import { answered, type Schemas } from "@firstprint/sdk";
import { indexWords } from "../../parts/market-words.ts";
import { Note, Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, cents, dollars } from "../../words.ts";

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
