// Whose own data and which market's tape an entry belongs to, drawn from its events.
// Invariant: a function of the entry alone, each subject once, in the order of code units.
import { type Entry, isRejected } from "#core/outcome.ts";

/** An account's id or a market's. */
export type Subject = string;

/** One row beside the journal: an entry is found by each of its subjects. */
export interface Touch {
  readonly sequence: number;
  readonly subject: Subject;
}

const CASH = "cash:";

/**
 * Accounts whose cash or position the entry moved; markets that were traded, settled or changed in
 * it. New marks change thousands of markets a day and trade none, so they touch none.
 */
export function touchesOf({ envelope, outcome }: Entry): readonly Subject[] {
  if (isRejected(outcome)) return [];
  const subjects = new Set<Subject>();
  const isMarks = envelope.command.type === "PublishMarks";
  for (const event of outcome.events) {
    if (event.type === "Posted") {
      for (const name of [event.posting.from, event.posting.to]) {
        if (name.startsWith(CASH)) subjects.add(name.slice(CASH.length));
      }
    }
    if (event.type === "PositionChanged") {
      subjects.add(event.position.accountId);
      subjects.add(event.position.marketId);
    }
    if (event.type === "Filled") subjects.add(event.fill.marketId);
    if (event.type === "MarketChanged" && !isMarks) subjects.add(event.market.id);
  }
  return [...subjects].sort();
}
