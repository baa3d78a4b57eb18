// The way out, always in sight: all quotes, or a side or a state of them, pulled with one key; the
// brake on fast fills, and the switch that pulls everything once this page is gone.
// Invariant: a pull waits for nothing else, and nothing but cancels is sent from here.
import { answered, type Schemas } from "@firstprint/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount } from "../../words.ts";
import type { Part } from "./commands.ts";

/** Not letters, so that they are never typed by chance, and nothing in a form takes them. */
const PULL_ALL = "F8";
const PULL_PART = "F9";

interface PullProps {
  /** Postal codes. */
  readonly states: readonly string[];
  onPullAll(): void;
  onPullPart(part: Part): void;
}

export function Pull({ states, onPullAll, onPullPart }: PullProps) {
  const [part, setPart] = useState<Part>({ side: "both", state: "" });
  const pullPart = (): void => onPullPart(part);
  useKey(PULL_ALL, onPullAll);
  useKey(PULL_PART, pullPart);
  return (
    <section class="pull" aria-label="Pull quotes">
      <div class="row">
        <button
          type="button"
          class="button danger"
          onClick={onPullAll}
          aria-keyshortcuts={PULL_ALL}
          title="Cancels every open order and every mandate of the account, also those not shown"
        >
          Pull all quotes <kbd>{PULL_ALL}</kbd>
        </button>
        <label class="field pull-choice">
          <span class="unseen">Side to pull</span>
          <select
            value={part.side}
            onChange={({ currentTarget: { value } }) =>
              setPart({ ...part, side: value === "bid" || value === "ask" ? value : "both" })
            }
          >
            <option value="both">bids and asks</option>
            <option value="bid">bids</option>
            <option value="ask">asks</option>
          </select>
        </label>
        <label class="field pull-choice">
          <span class="unseen">State to pull</span>
          <select
            value={part.state}
            onChange={({ currentTarget: { value } }) => setPart({ ...part, state: value })}
          >
            <option value="">in every state</option>
            {states.map((state) => (
              <option key={state} value={state}>
                in {state}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="button danger"
          onClick={pullPart}
          aria-keyshortcuts={PULL_PART}
        >
          Pull these <kbd>{PULL_PART}</kbd>
        </button>
      </div>
      <dl class="guards small">
        <Brake />
        <Switch />
      </dl>
    </section>
  );
}

/** The key does what was drawn last: a choice holds from the moment it is seen. */
function useKey(key: string, act: () => void): void {
  const newest = useRef(act);
  newest.current = act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== key || event.repeat) return;
      event.preventDefault();
      newest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [key]);
}

const protection = new Question(
  async () => (await answered(exchange.value.GET("/api/trading/protection"))).data,
  { everySeconds: 20, isPrivate: true },
);

function Brake() {
  const reading = useReading(protection, []);
  const reset = async (): Promise<void> => {
    await answered(exchange.value.POST("/api/trading/protection/reset"));
    protection.askAnew();
  };
  return (
    <div>
      <dt>Brake on fills</dt>
      <dd>
        <Shown reading={reading} room="line">
          {(brake) => (
            <>
              {brakeWords(brake)}{" "}
              {brake.trippedAt !== null && (
                <button
                  type="button"
                  class="button slim"
                  onClick={() => void reset().catch(() => protection.askAnew())}
                >
                  Reset it
                </button>
              )}
            </>
          )}
        </Shown>
      </dd>
    </div>
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

const PULLED_AFTER_SECONDS = 60;
const SENT_EVERY_MILLIS = 15_000;

/** While it is on, this page says so again and again; once it no longer does, all is pulled. */
function Switch() {
  const [isOn, setOn] = useState(false);
  const [fault, setFault] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => void set(PULLED_AFTER_SECONDS, setFault), SENT_EVERY_MILLIS);
    return () => clearInterval(timer);
  }, [isOn]);
  const turn = (on: boolean): void => {
    setOn(on);
    void set(on ? PULLED_AFTER_SECONDS : 0, setFault);
  };
  return (
    <div>
      <dt>
        <label class="tick">
          <input
            type="checkbox"
            checked={isOn}
            onChange={(event) => turn(event.currentTarget.checked)}
          />
          Pull when I am gone
        </label>
      </dt>
      <dd>{switchWords(isOn, fault)}</dd>
    </div>
  );
}

async function set(seconds: number, setFault: (fault: boolean) => void): Promise<void> {
  const body = { seconds };
  const asked = answered(exchange.value.POST("/api/trading/cancel-after", { body }));
  setFault(
    await asked.then(
      () => false,
      () => true,
    ),
  );
}

function switchWords(isOn: boolean, fault: boolean): string {
  if (fault) return "The exchange has not taken it; what it was before holds.";
  return isOn
    ? `On: all is cancelled ${PULLED_AFTER_SECONDS} s after this page is closed or cut off.`
    : "Off here: orders stay when this page is gone.";
}
