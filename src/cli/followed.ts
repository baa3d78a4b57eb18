// A stream of the exchange as a command follows it: entry by entry, across cuts.
// Invariant: ends after as many entries as --entries says, or with the fault that ended the stream.
import { at } from "./answer.ts";
import type { Arguments } from "./arguments.ts";
import { CutOff, RefusedRequest, Unreachable } from "./faults.ts";
import type { Screen } from "./screen.ts";

type Open = (after: number | undefined) => Promise<AsyncIterable<Uint8Array>>;

export async function* followed(open: Open, args: Arguments, screen: Screen) {
  let left = args.whole("entries") ?? Number.POSITIVE_INFINITY;
  const { resumed, StreamGap } = await import("#sdk/stream.ts");
  const messages = resumed(open, {
    after: args.whole("after"),
    mayPass: mayComeBack,
    onInterrupted: (reason, after) => screen.warn(`${reason}; coming back after entry ${after}`),
  });
  try {
    for await (const message of messages) {
      if (message.kind !== "entry") continue;
      yield message;
      left -= 1;
      if (left === 0) return;
    }
  } catch (fault) {
    throw fault instanceof StreamGap ? new Unreachable(fault.message) : fault;
  }
}

/** Faults after which following a stream is worth another try. */
const mayComeBack = (fault: unknown): boolean =>
  fault instanceof CutOff ||
  fault instanceof Unreachable ||
  (fault instanceof RefusedRequest && at(fault.answer.json, "error.retryable") === true);
