// Requests for quotes as an account may see them.
// Invariant: a requester sees all quotes for its request, anybody else those of its own.
import type { AccountId, RfqId } from "#base/ids.ts";
import { isInAudience } from "#core/rfq/checks.ts";
import { isDone, type Rfq, type RfqQuote, rfqNumber } from "#core/rfq/record.ts";
import type { State } from "#core/state.ts";

export type RfqRecords = Pick<State, "accounts" | "rfqs" | "rfqQuotes" | "quotesForRfq">;

/** Those that the account made, or may quote, or has quoted; the newest first. */
export const rfqsFor = (records: RfqRecords, account: AccountId): readonly Rfq[] =>
  [...records.rfqs.values()]
    .filter((rfq) => mayRead(records, rfq, account))
    .sort((one, other) => rfqNumber(other.id) - rfqNumber(one.id));

export function rfqFor(records: RfqRecords, account: AccountId, id: RfqId): Rfq | undefined {
  const rfq = records.rfqs.get(id);
  return rfq !== undefined && mayRead(records, rfq, account) ? rfq : undefined;
}

export function quotesShown(
  { quotesForRfq, rfqQuotes }: RfqRecords,
  { id, accountId }: Rfq,
  account: AccountId,
): readonly RfqQuote[] {
  const ids = [...(quotesForRfq.get(id) ?? [])];
  const quotes = ids.flatMap((quoteId) => rfqQuotes.get(quoteId) ?? []);
  return account === accountId ? quotes : quotes.filter((one) => one.accountId === account);
}

/** One that is done is shown to those who took part. */
function mayRead(records: RfqRecords, rfq: Rfq, account: AccountId): boolean {
  if (rfq.accountId === account) return true;
  return isDone(rfq)
    ? quotesShown(records, rfq, account).length > 0
    : isInAudience(records, rfq, account);
}
