// The words of operators in the reference model: two people who say the same decide, each person's
// newest counts, and none lasts longer than ten days. Written from decision 18.
// Invariant: nothing of src/core is called; two words of one name are one person's.
import type { MarketId, ProposalId } from "#base/ids.ts";
import type { RejectionCode } from "#core/rejection.ts";
import type { ModelWord } from "./model-ledger.ts";
import type { ReferenceModel } from "./reference-model.ts";

const TEN_DAYS_MILLIS = 10 * 86_400_000;

export const voidOf = (id: MarketId): string => `void ${id}`;
export const disputeOf = (id: MarketId): string => `dispute ${id}`;
export const bustOf = (fill: string): string => `bust ${fill}`;

/** "decided", where somebody else has said the same; else the word is kept, or refused. */
export function say(
  model: ReferenceModel,
  { by, subject, choice }: Pick<ModelWord, "by" | "subject" | "choice">,
  same: RejectionCode,
  most = Number.POSITIVE_INFINITY,
): RejectionCode | "decided" | undefined {
  const alike = model.words.filter((one) => one.subject === subject && one.choice === choice);
  if (alike.some((one) => one.by !== by)) {
    endWords(model, subject);
    return "decided";
  }
  if (alike.length > 0) return same;
  const own = model.words.filter((one) => one.by === by);
  if (own.filter((one) => one.subject.startsWith("bust")).length >= most) return "PROPOSAL_LIMIT";
  takeBack(model, by, subject);
  const untilMillis = model.nowMillis + TEN_DAYS_MILLIS;
  model.words = [...model.words, { by, subject, choice, untilMillis, proposalId: null }];
  return undefined;
}

/** Whether there was one of this person's. */
export function takeBack(model: ReferenceModel, by: string, subject: string): boolean {
  const left = model.words.filter((one) => one.by !== by || one.subject !== subject);
  const isLess = left.length < model.words.length;
  model.words = left;
  return isLess;
}

export function endWords(model: ReferenceModel, subject: string): void {
  model.words = model.words.filter((one) => one.subject !== subject);
}

export function lapseWord(model: ReferenceModel, id: ProposalId): void {
  model.words = model.words.filter(({ proposalId }) => proposalId !== id);
}

/** A word is told its name. */
export function nameWord(model: ReferenceModel, proposalId: ProposalId): void {
  model.words = model.words.map((word) =>
    word.proposalId === null ? { ...word, proposalId } : word,
  );
}
