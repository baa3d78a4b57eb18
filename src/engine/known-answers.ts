// Answers given before: a request sent again under its idempotency key gets the first one.
// Invariant: what is answered again is read from the durable journal, byte for byte.
import { invariant } from "#base/invariant.ts";
import { messageOf } from "#base/message-of.ts";
import { ANSWERS_KEPT_MILLIS, type AnswerRecord } from "#core/answers.ts";
import { answerName } from "#core/apply.ts";
import type { Envelope } from "#core/command.ts";
import { readEntry } from "#core/entry-bytes.ts";
import type { State } from "#core/state.ts";
import type { JournalReader } from "#journal/journal.ts";
import type { Result } from "./engine.ts";

/** The answer that the key was given, if it still counts at this moment of the engine's time. */
export function knownAnswer(
  { answers }: Pick<State, "answers">,
  { actor, idempotency }: Pick<Envelope, "actor" | "idempotency">,
  timeMillis: number,
): AnswerRecord | undefined {
  if (idempotency === null) return undefined;
  const known = answers.get(answerName(actor, idempotency.key));
  if (known === undefined) return undefined;
  return known.atMillis > timeMillis - ANSWERS_KEPT_MILLIS ? known : undefined;
}

export async function answerAgain(
  journal: Pick<JournalReader, "read">,
  again: Pick<Envelope, "idempotency" | "requestId">,
  known: AnswerRecord,
  durableSequence: number,
  log: (message: string) => void,
): Promise<Result> {
  if (known.digest !== again.idempotency?.digest) return { refused: "IDEMPOTENCY_MISMATCH" };
  if (known.sequence > durableSequence) return { refused: "IDEMPOTENCY_IN_FLIGHT" };
  try {
    const [stored] = await journal.read(known.sequence, 1);
    invariant(stored !== undefined, `entry ${known.sequence} is durable`);
    const { sequence, envelope, outcome } = readEntry(stored.bytes);
    const { timeMillis } = envelope;
    const requestId = envelope.requestId ?? again.requestId;
    return { sequence, timeMillis, requestId, outcome, replayed: true };
  } catch (error) {
    log(`entry ${known.sequence} cannot be read again: ${messageOf(error)}`);
    return { unknown: true };
  }
}
