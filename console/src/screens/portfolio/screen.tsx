// The portfolio: what one is protected against, what one has sold, what is due, and statements.
// Invariant: an owner reads what pays, when and how much; margin stands with what was sold.
import "./portfolio.css";
import type { Schemas } from "@firstprint/sdk";
import { AskKey } from "../../parts/ask-key.tsx";
import { holdings } from "../../parts/holdings.ts";
import { Shown } from "../../parts/note.tsx";
import { Statements } from "../../parts/statements.tsx";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import { isSignedIn } from "../../session.ts";
import { cents, day } from "../../words.ts";
import { Margin } from "./margin.tsx";
import { Held, Settled, Sold } from "./positions.tsx";

export default function Portfolio() {
  useTitle("Portfolio");
  return (
    <div class="portfolio">
      <h1>Portfolio</h1>
      {isSignedIn.value ? <Holdings /> : <SignedOut />}
    </div>
  );
}

const SignedOut = () => (
  <AskKey title="Sign in to see what you are protected against">
    Your key shows this account’s protection, payments and statements.
  </AskKey>
);

function Holdings() {
  const reading = useReading(holdings, []);
  return (
    <Shown reading={reading} room="tall">
      {({ account, positions, acceptances, margin }) => {
        const isSettled = (one: Schemas["Position"]) => one.priceBasis === "payout";
        const open = positions.filter((one) => Number(one.amount) !== 0 && !isSettled(one));
        const sold = open.filter((one) => Number(one.amount) < 0);
        return (
          <>
            <Cash account={account} />
            <Held positions={open.filter((one) => Number(one.amount) > 0)} />
            <Payments acceptances={acceptances} />
            {sold.length > 0 && (
              <section class="card" aria-labelledby="sold">
                <h2 id="sold">Protection you have sold</h2>
                <Margin margin={margin} />
                <Sold positions={sold} />
              </section>
            )}
            <Settled positions={positions.filter(isSettled)} />
            <Statements />
          </>
        );
      }}
    </Shown>
  );
}

const Cash = ({ account }: { readonly account: Schemas["OwnAccount"] }) => (
  <dl class="cash">
    <Fact name="Worth in all" words={cents(Number(account.equity))} />
    <Fact name="Cash" words={cents(Number(account.cash))} />
    <Fact name="Free" words={cents(Number(account.available))} />
    <Fact name="Held back" words={cents(Number(account.locked))} />
  </dl>
);

const Fact = ({ name, words }: { readonly name: string; readonly words: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="figures">{words}</dd>
  </div>
);

function Payments({ acceptances }: { readonly acceptances: readonly Schemas["Acceptance"][] }) {
  const due = acceptances.flatMap(({ id, payments }) =>
    payments
      .filter(({ paid, amount }) => Number(paid) < Number(amount))
      .map((payment) => ({ id, ...payment, left: Number(payment.amount) - Number(payment.paid) })),
  );
  if (due.length === 0) return null;
  return (
    <section class="card" aria-labelledby="payments">
      <h2 id="payments">Payments due</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Due</th>
            <th scope="col">For</th>
            <th scope="col" class="number">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {due
            .toSorted((a, b) => a.dueAt - b.dueAt)
            .map(({ id, number, dueAt, left }) => (
              <tr key={`${id} ${number}`}>
                <th scope="row">{day(dueAt)}</th>
                <td>
                  {id}, payment {number}
                </td>
                <td class="number">{cents(left)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
