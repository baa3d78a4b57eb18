// Requests for quotes as an account may see them, found by who may read them.
// Invariant: a requester sees all quotes for its request, anybody else those of its own; a list
// holds exactly the requests that are shown one by one.
import { type AccountId, type RfqId, rfqId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { isInAudience } from "#core/rfq/checks.ts";
import {
  areKnown,
  isDone,
  type Rfq,
  type RfqEvent,
  type RfqQuote,
  rfqNumber,
} from "#core/rfq/record.ts";
import type { State } from "#core/state.ts";
import { Ascending } from "./ascending.ts";

type RfqRecords = Pick<State, "accounts" | "rfqs" | "rfqQuotes" | "quotesForRfq">;

/** The list of requests that every trader may read. */
const EVERYBODY = "everybody";
const accountName = (id: AccountId): string => `account ${id}`;
const addressName = (address: string): string => `address ${address.toLowerCase()}`;

export class RfqsView {
  readonly #records: RfqRecords;
  /** Numbers of requests by reader: those that are done stand in the lists of accounts alone. */
  readonly #lists = new Map<string, Ascending>();

  /** The records are folded elsewhere; `take` is told of each event before. */
  constructor(records: RfqRecords) {
    this.#records = records;
    for (const rfq of records.rfqs.values()) this.#open(rfq);
    for (const { accountId, rfqId: id } of records.rfqQuotes.values()) {
      this.#add(accountName(accountId), id);
    }
  }

  take(event: RfqEvent): void {
    switch (event.type) {
      case "RfqOpened":
        this.#open(event.rfq);
        return;
      case "RfqQuoteChanged":
        this.#add(accountName(event.quote.accountId), event.quote.rfqId);
        return;
      case "RfqEnded": {
        const rfq = this.#records.rfqs.get(event.rfqId);
        if (rfq === undefined || event.status === "closed") return;
        for (const name of askedBy(rfq)) this.#remove(name, rfq.id);
        return;
      }
      case "RfqsForgotten":
        for (const id of event.rfqIds) this.#forget(id);
        return;
      default:
        return;
    }
  }

  /** Those that the account made, may quote or has quoted, below that number, newest first. */
  listFor(account: AccountId, below: number, most: number): readonly Rfq[] {
    const address = this.#records.accounts.get(account)?.address ?? "";
    const names = [accountName(account), addressName(address), EVERYBODY];
    const open = names.flatMap((name) => this.#lists.get(name)?.below(below) ?? []);
    const heads = open.map((numbers) => numbers.next().value ?? 0);
    const found: Rfq[] = [];
    while (found.length < most) {
      const newest = Math.max(0, ...heads);
      if (newest === 0) break;
      for (const [at, numbers] of open.entries()) {
        if (heads[at] === newest) heads[at] = numbers.next().value ?? 0;
      }
      const rfq = this.#records.rfqs.get(rfqId(`rfq-${newest}`));
      invariant(rfq !== undefined, `request rfq-${newest} leaves the lists when it is forgotten`);
      found.push(rfq);
    }
    return found;
  }

  oneFor(account: AccountId, id: RfqId): Rfq | undefined {
    const rfq = this.#records.rfqs.get(id);
    return rfq !== undefined && this.#mayRead(rfq, account) ? rfq : undefined;
  }

  quotesShown({ id, accountId }: Rfq, account: AccountId): readonly RfqQuote[] {
    const quotes = this.#quotesFor(id);
    return account === accountId ? quotes : quotes.filter((one) => one.accountId === account);
  }

  /** The address of the other side of its block trade, where both have wished to be known. */
  counterpartyOf(rfq: Rfq, account: AccountId): string | null {
    const taken = this.#quotesFor(rfq.id).find((one) => areKnown(rfq, one));
    if (taken === undefined) return null;
    const sides = [rfq.accountId, taken.accountId];
    const other = sides.find((id) => id !== account);
    if (!sides.includes(account) || other === undefined) return null;
    return this.#records.accounts.get(other)?.address ?? null;
  }

  /** One that is done is shown to those who took part. */
  #mayRead(rfq: Rfq, account: AccountId): boolean {
    if (rfq.accountId === account) return true;
    return isDone(rfq)
      ? this.quotesShown(rfq, account).length > 0
      : isInAudience(this.#records, rfq, account);
  }

  #quotesFor(id: RfqId): readonly RfqQuote[] {
    const { quotesForRfq, rfqQuotes } = this.#records;
    return [...(quotesForRfq.get(id) ?? [])].flatMap((quoteId) => rfqQuotes.get(quoteId) ?? []);
  }

  #open(rfq: Rfq): void {
    this.#add(accountName(rfq.accountId), rfq.id);
    if (isDone(rfq)) return;
    for (const name of askedBy(rfq)) this.#add(name, rfq.id);
  }

  #forget(id: RfqId): void {
    const rfq = this.#records.rfqs.get(id);
    if (rfq !== undefined) this.#remove(accountName(rfq.accountId), id);
    for (const { accountId } of this.#quotesFor(id)) this.#remove(accountName(accountId), id);
  }

  #add(name: string, id: RfqId): void {
    const list = this.#lists.get(name) ?? new Ascending();
    list.add(rfqNumber(id));
    this.#lists.set(name, list);
  }

  #remove(name: string, id: RfqId): void {
    const list = this.#lists.get(name);
    list?.remove(rfqNumber(id));
    if (list?.isEmpty === true) this.#lists.delete(name);
  }
}

const askedBy = ({ audience }: Rfq): readonly string[] =>
  audience === null ? [EVERYBODY] : audience.map(addressName);
