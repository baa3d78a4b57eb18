// The maker's desk: own quotes beside market, mark and position; all anew, or none, at once.
// Invariant: what is shown is what is quoted; a pull never waits for anything else.
import "./desk.css";
import { NoAnswer } from "@firstprint/sdk";
import { useEffect, useState } from "preact/hooks";
import { AskKey } from "../../parts/ask-key.tsx";
import { holdings } from "../../parts/holdings.ts";
import { faultWords, Shown } from "../../parts/note.tsx";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import { isSignedIn } from "../../session.ts";
import { desk, type Filter } from "./desk.ts";
import { Guard, Mandates } from "./guard.tsx";
import { Requests } from "./requests.tsx";
import { Rows } from "./rows.tsx";
import { MOST_QUOTES, pullAll, type Rule, requote } from "./rule.ts";
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

/** Not a letter, so that it is never typed by chance, and nothing in a form takes it. */
const PULL_KEY = "F8";

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
  const pull = (): void => void act("Pulling all", pullAll);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== PULL_KEY || event.repeat) return;
      event.preventDefault();
      pull();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <section class="pull" aria-label="Pull all">
        <button type="button" class="button danger" onClick={pull} aria-keyshortcuts={PULL_KEY}>
          Pull all quotes <kbd>{PULL_KEY}</kbd>
        </button>
        <p class="small soft">
          Cancels every open order and every mandate of the account, also those not shown.
        </p>
      </section>
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
              <Guard account={data.account} openOrders={data.openOrders} />
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
              <Rows rows={rows} rule={rule} total={data.total} />
              <Mandates mandates={data.mandates} />
            </div>
          );
        }}
      </Shown>
    </>
  );
}

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
