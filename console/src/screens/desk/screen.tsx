// The maker's desk: own quotes beside market, mark and position; all anew, or none, at once.
// Invariant: what is shown is what is quoted; a pull never waits for anything else.
import "./desk.css";
import { NoAnswer } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { AskKey } from "../../parts/ask-key.tsx";
import { holdings } from "../../parts/holdings.ts";
import { faultWords, Shown } from "../../parts/note.tsx";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import { isSignedIn } from "../../session.ts";
import { ByState, byState } from "./by-state.tsx";
import { pullAll, pullPart, requote } from "./commands.ts";
import { desk, type Filter, type Row } from "./desk.ts";
import { Guard } from "./guard.tsx";
import { Mandates } from "./mandates.tsx";
import { Pull } from "./pull.tsx";
import { Requests } from "./requests.tsx";
import { Rows } from "./rows.tsx";
import { MOST_QUOTES, type Rule } from "./rule.ts";
import { RuleForm } from "./rule-form.tsx";

export default function DeskScreen() {
  useTitle("Desk");
  return (
    <div class="maker">
      <header>
        <h1>Desk</h1>
        <p class="lead">
          Your quotes in every market, beside the market’s, the model’s mark, and what you hold.
        </p>
      </header>
      {isSignedIn.value ? <Signed /> : <SignedOut />}
    </div>
  );
}

const SignedOut = () => (
  <AskKey title="Sign in to quote">
    A key that may place and cancel orders shows its account’s quotes and moves them.
  </AskKey>
);

interface Outcome {
  readonly words: string;
  readonly isBad?: boolean;
  readonly faults?: readonly { readonly market: string; readonly words: string }[];
}

function Signed() {
  const [filter, setFilter] = useState<Filter>({ index: "", text: "" });
  const [rule, setRule] = useState<Rule>({ below: 50, above: 50, contracts: 100, sides: "both" });
  const [outcome, setOutcome] = useState<Outcome>({ words: "" });
  const [isQuoting, setQuoting] = useState(false);
  const reading = useReading(desk, [filter], { keepsLast: true });
  const act = async (what: string, does: () => Promise<Outcome>): Promise<void> => {
    setOutcome({ words: `${what} …` });
    setOutcome(await does().catch((fault: unknown) => failed(what, fault)));
    for (const question of [desk, holdings]) question.askAnew();
  };
  const orders = reading.state === "ready" ? reading.data.orders : [];
  const states = reading.state === "ready" ? statesOf(reading.data.rows) : [];
  return (
    <>
      <Pull
        states={states}
        onPullAll={() => void act("Pulling all", pullAll)}
        onPullPart={(part) => void act("Pulling", () => pullPart(orders, part))}
      />
      <Said outcome={outcome} />
      <Shown reading={reading} room="tall">
        {(data) => {
          const rows = data.rows.slice(0, MOST_QUOTES);
          const onQuote = (): void => {
            setQuoting(true);
            void act("Quoting", () => requote(rows, rule)).then(() => setQuoting(false));
          };
          return (
            <div class="maker-parts">
              <Guard account={data.account} openOrders={data.orders.length} />
              <RuleForm
                rule={rule}
                filter={filter}
                markets={rows.length}
                isDisabled={isQuoting || rows.length === 0}
                setRule={setRule}
                setFilter={setFilter}
                onQuote={onQuote}
              />
              <Requests />
              <ByState rows={rows} />
              <Rows rows={rows} rule={rule} total={data.total} />
              <Mandates mandates={data.mandates} act={act} />
            </div>
          );
        }}
      </Shown>
    </>
  );
}

const statesOf = (rows: readonly Row[]): readonly string[] => [...byState(rows).keys()].toSorted();

const failed = (what: string, fault: unknown): Outcome => ({
  words:
    fault instanceof NoAnswer
      ? `${what}: the exchange has not answered. Look at what rests before you go on.`
      : `${what}: ${faultWords(fault)}`,
  isBad: true,
});

const MOST_FAULTS = 20;

const Said = ({ outcome }: { readonly outcome: Outcome }) => (
  <div class={outcome.isBad === true ? "said bad-words" : "said"} role="status">
    {outcome.words !== "" && <p>{outcome.words}</p>}
    {outcome.faults !== undefined && outcome.faults.length > 0 && (
      <ul class="small">
        {outcome.faults.slice(0, MOST_FAULTS).map(({ market, words }) => (
          <li key={market}>
            {market}: {words}
          </li>
        ))}
        {outcome.faults.length > MOST_FAULTS && (
          <li>and {outcome.faults.length - MOST_FAULTS} more</li>
        )}
      </ul>
    )}
  </div>
);
