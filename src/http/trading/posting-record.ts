// A movement of the account's cash, with the cash it left.
// Invariant: balance before + amount = balance, from each line to the next.
import { type Static, Type } from "typebox";
import { formatMicros } from "#base/money.ts";
import { postingReasons } from "#core/event.ts";
import type { Entry } from "#core/outcome.ts";
import type { OwnPosting } from "#views/own-entries.ts";

export const ReasonName = Type.Enum([...postingReasons], {
  description: `one of ${postingReasons.join(", ")}`,
});

export const PostingRecord = Type.Object(
  {
    sequence: Type.Integer({ description: "of the journal's entry" }),
    line: Type.Integer({ description: "among the account's postings of that entry, from 0" }),
    timestamp: Type.Integer(),
    reason: ReasonName,
    reference: Type.String({ description: "the account, fill, order or market it belongs to" }),
    amount: Type.String({ description: "USD; above zero came in" }),
    balance: Type.String({ description: "cash after it, in USD" }),
  },
  { title: "Posting" },
);
export type PostingRow = Static<typeof PostingRecord>;

export const postingRecord = (
  { sequence, envelope }: Pick<Entry, "sequence" | "envelope">,
  { reason, reference, amountMicros, balanceMicros }: OwnPosting,
  line: number,
): PostingRow => ({
  sequence,
  line,
  timestamp: Math.floor(envelope.timeMillis / 1000),
  reason,
  reference,
  amount: formatMicros(amountMicros),
  balance: formatMicros(balanceMicros),
});
