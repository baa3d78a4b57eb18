// Giving a word: one at a time, with what came of it said where it outlives its item.
// Invariant: a word in doubt is never called given or refused.
import { NoAnswer } from "@firstprint/sdk";
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { faultWords } from "../../parts/note.tsx";
import { risk } from "../../parts/risk.ts";
import { health } from "./health.tsx";
import { queue } from "./queue.ts";

const said = signal<{ readonly words: string; readonly isBad: boolean } | undefined>(undefined);
const isActing = signal(false);

/** `give` asks the exchange, and says in words what came of it. */
export async function act(what: string, give: () => Promise<string>): Promise<void> {
  if (isActing.value) return;
  isActing.value = true;
  said.value = undefined;
  try {
    said.value = { words: await give(), isBad: false };
  } catch (fault) {
    const words =
      fault instanceof NoAnswer
        ? `${what}: the exchange has not answered. See what waits before you say it again.`
        : `${what}: ${faultWords(fault)}`;
    said.value = { words, isBad: true };
  } finally {
    isActing.value = false;
    for (const question of [queue, risk, health]) question.askAnew();
  }
}

export function Said() {
  useEffect(() => {
    said.value = undefined;
  }, []);
  const last = said.value;
  return (
    <p class={last?.isBad ? "said bad-words" : "said"} role="status">
      {last?.words}
    </p>
  );
}

interface WordProps {
  readonly label: string;
  /** Begins an error: "Releasing rel-12". */
  readonly what: string;
  readonly isFirst?: boolean;
  readonly isDisabled?: boolean;
  give(): Promise<string>;
}

export const Word = ({ label, what, isFirst = false, isDisabled = false, give }: WordProps) => (
  <button
    type="button"
    class={isFirst ? "button first" : "button"}
    disabled={isDisabled || isActing.value}
    onClick={() => void act(what, give)}
  >
    {label}
  </button>
);

interface ReasonedProps {
  /** On the summary that opens the form, and on its button. */
  readonly label: string;
  readonly what: string;
  readonly isDisabled?: boolean;
  readonly children?: ComponentChildren;
  give(reason: string): Promise<string>;
}

/** A word that the exchange takes with a reason only. */
export function Reasoned({ label, what, isDisabled = false, children, give }: ReasonedProps) {
  const [reason, setReason] = useState("");
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void act(what, () => give(reason.trim()));
  };
  return (
    <details class="reasoned">
      <summary>{label}…</summary>
      <form class="stack" onSubmit={onSubmit}>
        {children}
        <label class="field">
          <span>Reason, which stays in the trail</span>
          <input
            value={reason}
            required
            maxLength={500}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        <div class="row">
          <button
            type="submit"
            class="button"
            disabled={isDisabled || isActing.value || reason.trim() === ""}
          >
            {label}
          </button>
        </div>
      </form>
    </details>
  );
}
