// Notes that a screen shows in place of data: waiting, empty, or failed.
// Invariant: a failure says what happened and offers the next step; waiting keeps the room.
import { Refused } from "@firstprint/sdk";
import type { ComponentChildren } from "preact";
import type { Reading } from "../query.ts";

interface NoteProps {
  readonly title: string;
  readonly isBad?: boolean;
  /** It stands for the whole screen. */
  readonly isScreen?: boolean;
  readonly children?: ComponentChildren;
}

export const Note = ({ title, isBad = false, isScreen = false, children }: NoteProps) => (
  <div class={isBad ? "note bad" : "note"} role={isBad ? "alert" : undefined}>
    {isScreen ? <h1>{title}</h1> : <strong>{title}</strong>}
    {children}
  </div>
);

/** The words of whatever went wrong. */
export function faultWords(fault: unknown): string {
  if (fault instanceof Refused) return fault.error?.message ?? fault.message;
  if (fault instanceof Error) return fault.message;
  return String(fault);
}

interface ShownProps<T> {
  readonly reading: Reading<T>;
  /** Room kept while waiting, so that nothing jumps: "short", "tall" or "line". */
  readonly room: "line" | "short" | "tall";
  children(data: T): ComponentChildren;
}

/** The answer, once it is there. */
export function Shown<T>({ reading, room, children }: ShownProps<T>) {
  switch (reading.state) {
    case "ready":
      return <>{children(reading.data)}</>;
    case "waiting":
      return (
        <div class={`waiting room-${room}`}>
          <span class="unseen">Loading</span>
        </div>
      );
    case "failed":
      return (
        <Note title="This could not be loaded" isBad>
          <p>{faultWords(reading.fault)}</p>
          <button type="button" class="button slim" onClick={reading.retry}>
            Try again
          </button>
        </Note>
      );
  }
}
