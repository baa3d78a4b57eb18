// A margin call in its place: who is called until when, and what the clock is to bring. An account
// in default is looked at again after each change of its record.
// Invariant: one moment brings one command for all the calls that it ends.
import type { Account } from "../records.ts";
import type { State } from "../state.ts";

export function putCall(
  { callsDue, due, marginQueue }: State,
  { id, marginCall, inDefault }: Account,
  before: Account | undefined,
): void {
  if (inDefault !== undefined) marginQueue.add(id);
  const dueBefore = before?.marginCall?.dueAtMillis;
  if (dueBefore !== undefined) {
    callsDue.get(dueBefore)?.delete(id);
    if (callsDue.get(dueBefore)?.size === 0) callsDue.delete(dueBefore);
  }
  if (marginCall === undefined) return;
  const { calledAtMillis, dueAtMillis, reported } = marginCall;
  const others = callsDue.get(dueAtMillis);
  if (others === undefined) {
    callsDue.set(dueAtMillis, new Set([id]));
    due.add({ atMillis: dueAtMillis, command: { type: "EndMarginCalls" } });
  } else {
    others.add(id);
  }
  if (reported !== undefined) return;
  due.add({ atMillis: calledAtMillis, command: { type: "ReportMarginCall", accountId: id } });
}
