// Firstprint-Min-Sequence: an answer must show the exchange as it was at this entry, or later.
// Invariant: a client that passes on the highest Firstprint-Sequence it was told, to whichever
// node, is shown nothing older than what it has seen.
import { invalidField, type Problem } from "../route/errors.ts";

export const SEQUENCE_HEADER = "firstprint-sequence";
export const MIN_SEQUENCE_HEADER = "firstprint-min-sequence";

/** 0 where none is asked for. */
export function readMinSequence(
  values: readonly string[],
): { readonly minSequence: number } | { readonly problem: Problem } {
  const [text, second] = values;
  if (text === undefined) return { minSequence: 0 };
  const isSequence = second === undefined && /^(?:0|[1-9][0-9]{0,14})$/.test(text);
  if (isSequence) return { minSequence: Number(text) };
  const { refused } = invalidField("Firstprint-Min-Sequence", "must be one sequence of an entry");
  return { problem: refused };
}
