// The operators' desk: what waits for a word, halts, the fund, and the exchange's health.
// Invariant: nothing here decides alone what takes two people; the exchange counts the words.
import "./ops.css";
import { AskKey } from "../../parts/ask-key.tsx";
import { Fund } from "../../parts/fund.tsx";
import { Note, Shown } from "../../parts/note.tsx";
import { risk } from "../../parts/risk.ts";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import { isSignedIn } from "../../session.ts";
import { Said } from "./acting.tsx";
import { Calendar } from "./calendar.tsx";
import { Halts } from "./halts.tsx";
import { Health } from "./health.tsx";
import { queue } from "./queue.ts";
import { Queue } from "./queue-card.tsx";
import { Rules } from "./rules.tsx";

export default function Ops() {
  useTitle("Operations");
  return (
    <div class="ops">
      <header>
        <h1>Operations</h1>
        <p class="lead">
          Everything that waits for an operator. A decision about money takes two people: the first
          word is kept, and another person’s carries it out.
        </p>
      </header>
      {isSignedIn.value ? <Desk /> : <SignedOut />}
    </div>
  );
}

const SignedOut = () => (
  <AskKey title="Sign in with an operator’s key">
    The sample’s start prints the keys of two operators.
  </AskKey>
);

function Desk() {
  const reading = useReading(queue, []);
  const funds = useReading(risk, []);
  if (reading.state === "failed" && isForbidden(reading.fault))
    return (
      <Note title="This key is not an operator’s" isBad>
        <p>Sign out, then sign in with the key of an operator who may read.</p>
      </Note>
    );
  return (
    <div class="desk">
      <div class="desk-main">
        <Said />
        <Shown reading={reading} room="tall">
          {(waiting) => <Queue waiting={waiting} />}
        </Shown>
        <Calendar />
      </div>
      <div class="desk-side">
        <Health />
        <Shown reading={funds} room="short">
          {(data) => <Fund risk={data} />}
        </Shown>
        <Halts />
        <Rules />
      </div>
    </div>
  );
}

const isForbidden = (fault: unknown): boolean =>
  typeof fault === "object" && fault !== null && "status" in fault && fault.status === 403;
