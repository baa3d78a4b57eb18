// The fields a part leaves out of a record: the entry says them elsewhere, or most records have
// them.
// Invariant: what is left out is drawn from the entry alone, in one way, written and read.
import { type AccountId, accountId } from "#base/ids.ts";
import { encode } from "./codec.ts";
import type { Event } from "./event.ts";
import { GUARANTEE } from "./step.ts";

/** The part that only auditors and operators see: ledgers of the exchange, owners of accounts. */
export const EXCHANGE = "exchange";
export type Owner = AccountId | typeof EXCHANGE;

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a record that differ from those `known`. */
export function without(record: object, known: Fields): Fields {
  const fields = fieldsOf(record);
  const left: Record<string, unknown> = {};
  // Known ones first: so they stand in a record that was read back, which is written again so.
  for (const name in known) if (!isSame(fields[name], known[name])) left[name] = fields[name];
  for (const name in fields) if (!(name in known)) left[name] = fields[name];
  return left;
}

/** The record itself: an order's entry has a dozen of them, and a copy of each is dear. */
export const fieldsOf = (record: object): Fields => (isFields(record) ? record : {});

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (isWhole(one) && isWhole(other) && encode(one) === encode(other));

const isWhole = (value: unknown): boolean => isFields(value) || Array.isArray(value);

export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The type of an event that is told by its record alone, by the member that holds it. */
export const typeByMember = {
  level: "LevelChanged",
  fill: "Filled",
  market: "MarketChanged",
  traded: "MarketTraded",
  marked: "MarketMarked",
  order: "OrderChanged",
  posting: "Posted",
  position: "PositionChanged",
} as const satisfies Readonly<Record<string, Event["type"]>>;

/** As most orders are sent. Part of the stored form: it stays when the defaults of HTTP change. */
export const plainInput = {
  expirySeconds: 0,
  timeInForce: "GTC",
  postOnly: false,
  reduceOnly: false,
  clientOrderId: null,
  selfTradePrevention: "cancel_incoming",
};
export const untouched = { filledLots: 0n, status: "OPEN", cancelReason: null };
const flat = { heldLots: 0n, costMicros: 0n, realisedMicros: 0n, flowMicros: 0n };
const noFees = { houseFeesMicros: 0n, fundFeesMicros: 0n };

/**
 * The facts an entry has told so far. The reader is given them as records; `record-texts.ts` writes
 * what differs from them, and in their order.
 */
export class Told {
  readonly timeMillis: number;
  /** The first market that the open part names: a record that names none is of this one. */
  readonly marketId: unknown;
  /** Markets that the open part tells whole. */
  readonly #listed: readonly Fields[];
  #sender: Owner | undefined;
  #inputs: readonly Fields[] = [];
  #ordersTold = 0;
  /** Of the last fill. */
  lastTick: unknown;
  /** Of what an account paid or got: the premium of the last fill. */
  premium: Fields = {};
  /** By account and market. */
  readonly #positions = new Map<unknown, Map<unknown, Fields>>();

  constructor(timeMillis: number, marketId: unknown, listed: readonly Fields[]) {
    this.timeMillis = timeMillis;
    this.marketId = marketId;
    this.#listed = listed;
  }

  get market(): Fields {
    return this.marketId === undefined ? {} : { marketId: this.marketId };
  }

  /** Of an order as it is sent. */
  input(): Fields {
    return { ...this.market, ...plainInput };
  }

  /** Of the n-th listing that is sent: the n-th market that the entry lists. */
  listing(at: number): Fields {
    const listed = this.#listed[at];
    if (listed === undefined) return {};
    const { id: marketId, terms, markTick, stressedTick, riskTicks, within } = listed;
    return { marketId, terms, markTick, stressedTick, riskTicks, within };
  }

  /** The n-th order that is told of `sender` is known by the n-th that was sent. */
  sent(sender: Owner, inputs: readonly Fields[]): void {
    this.#sender = sender;
    this.#inputs = inputs;
  }

  /** The order sent that the next one told of `owner` is known by. */
  asked(owner: Owner): Fields | undefined {
    return owner === this.#sender ? this.#inputs[this.#ordersTold++] : undefined;
  }

  /** Of the next order that is told of `owner`. */
  order(owner: Owner): Fields {
    const asked = this.asked(owner);
    const accountId = holderIn(owner);
    const createdAtMillis = this.timeMillis;
    const plain = { accountId, ...this.input(), ...untouched, createdAtMillis };
    if (asked === undefined) return plain;
    // One by one, so that they stand in one order, whether the command was sent or read back.
    const { marketId, outcomeIndex, side, priceTick, amountLots } = asked;
    const known: Record<string, unknown> = { ...plain, marketId };
    for (const name in plainInput) known[name] = asked[name];
    return { ...known, outcomeIndex, side, priceTick, amountLots };
  }

  filled({ id, yesTick, amountLots }: Fields): void {
    this.lastTick = yesTick;
    const isWhole = typeof amountLots === "bigint" && typeof yesTick === "number";
    const amountMicros = isWhole ? amountLots * BigInt(yesTick) : undefined;
    this.premium = { amountMicros, reason: "premium", reference: id };
  }

  fill(): Fields {
    return { ...this.market, timeMillis: this.timeMillis };
  }

  traded(): Fields {
    return { ...this.market, lastTick: this.lastTick };
  }

  position(owner: Owner, marketId = this.marketId): Fields {
    const accountId = holderIn(owner);
    const known = this.#positions.get(accountId)?.get(marketId) ?? flat;
    const { heldLots, costMicros, realisedMicros, flowMicros } = known;
    return { accountId, ...this.market, heldLots, costMicros, realisedMicros, flowMicros };
  }

  /** From here on it is known as it is now; returns it as it was known. */
  held(position: Fields): Fields {
    const { accountId, marketId } = position;
    const told = this.#positions.get(accountId) ?? new Map<unknown, Fields>();
    const known = told.get(marketId) ?? flat;
    if (told.size === 0) this.#positions.set(accountId, told);
    told.set(marketId, position);
    return known;
  }

  /** Of a market that is listed now. */
  listed(): Fields {
    const [createdAtMillis, updatedAtMillis] = [this.timeMillis, this.timeMillis];
    const never = { tradingClosed: false, lastTick: null, reason: null, shortfallMicros: 0n };
    const open = { resolution: null, dispute: null };
    return { ...noFees, ...never, ...open, createdAtMillis, updatedAtMillis };
  }
}

/** The fund holds positions and has no part of its own. */
export const holderIn = (owner: Owner): AccountId => (owner === EXCHANGE ? GUARANTEE : owner);

export const ownerIn = (part: Fields): Owner => {
  const { of } = part;
  return typeof of === "string" && of !== EXCHANGE ? accountId(of) : EXCHANGE;
};
