// Everything the goldens must give again, computed here and now.
// Invariant: one Node, one time zone, one locale or another: the answer is `expected.json`.
import { sha256OfLines } from "#base/digest.ts";
import { readJournal } from "./journal-file.ts";
import { goldens } from "./made.ts";
import { quoteLines } from "./quotes.ts";
import { type Replayed, replayed } from "./replay.ts";

interface Digests {
  readonly journals: Readonly<Record<string, Replayed>>;
  /** SHA-256 of the lines of `quotes.txt`. */
  readonly quotes: string;
}

export async function digests(): Promise<Digests> {
  const journals: Record<string, Replayed> = {};
  for (const { name } of goldens) journals[name] = await replayed(readJournal(name));
  return { journals, quotes: sha256OfLines(quoteLines()) };
}
