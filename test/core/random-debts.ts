// Premiums that are lent, and missed, as a seed draws them: somebody sells at a fresh mark, another
// buys it on credit at once, and has sold all its cash away before a payment falls due.
// Invariant: only the dice and the state decide. Drawn by chance almost nothing is lent, since no
// more is than lots are worth at the mark, and what is owed cannot be withdrawn.
import type { AccountId, MarketId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import { owedOn } from "#core/acceptance/owed.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isMatchingHeld, isShut } from "#core/market/matching.ts";
import type { Dice } from "./dice.ts";
import { publishMarks } from "./publish-marks.ts";
import { type Trader, tick, type World } from "./world.ts";

const DAY_MILLIS = 86_400_000;
/** Longer than a month: every payment of a schedule is this near some time before it is due. */
const SOON_MILLIS = 40 * DAY_MILLIS;
/** The most that a lot can pay: what a seller may have to bind for it. */
const LOT_MICROS = 10_000n;

type Draw = readonly [Actor, Command];

export class RandomDebts {
  readonly #world: World;
  readonly #dice: Dice;
  /** Of a sale that has begun. */
  #next: Draw[] = [];

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  /** Undefined: whatever else is drawn. `draft`: an order as it is drawn for a listing. */
  next(
    traders: readonly Trader[],
    listings: readonly Listing[],
    draft: (listing: Listing) => OrderInput,
  ): Draw | undefined {
    const dice = this.#dice;
    const begun = this.#next.shift();
    if (begun !== undefined) return begun;
    const debtor = dice.chance(10) ? this.#debtor(traders) : undefined;
    if (debtor === undefined && !dice.chance(2)) return undefined;
    const open = listings.filter(({ marketId }) => this.#isOpen(marketId));
    if (open.length === 0) return undefined;
    const listing = dice.pick(open);
    const others = traders.filter((one) => one !== debtor && this.#isAble(one.id, listing));
    if (others.length < 2) return undefined;
    const [seller, buyer] = [debtor ?? dice.pick(others), dice.pick(others)];
    if (seller === buyer) return undefined;
    const amount = debtor === undefined ? 1 + dice.below(20_000) : this.#mostOf(debtor.id);
    const terms = {
      ...{ ...draft(listing), amountLots: lots(BigInt(amount)) },
      ...{ postOnly: false, reduceOnly: false, expirySeconds: 0, clientOrderId: null },
    } as const;
    this.#next = this.#sale(seller, buyer, listing, terms, debtor === undefined);
    return this.#next.shift();
  }

  /** At a fresh mark, on credit or for cash. */
  #sale(
    seller: Trader,
    buyer: Trader,
    listing: Listing,
    terms: OrderInput,
    isOnCredit: boolean,
  ): Draw[] {
    const [dice, { nowMillis }] = [this.#dice, this.#world];
    const { marketId } = listing;
    const markTick = tick(dice.pick(["0.05", "0.5"]));
    const priced = { ...terms, outcomeIndex: 0, priceTick: markTick } as const;
    const sold: OrderInput = { ...priced, side: "SELL", timeInForce: "GTC" };
    const order: OrderInput = { ...priced, side: "BUY", timeInForce: "IOC" };
    const structure = dice.pick([
      ...[{ kind: "installments", downPaymentBps: 2_500, months: 3, aprBps: 900 } as const],
      ...[{ kind: "at_funding", fundsAtMillis: nowMillis + 20 * DAY_MILLIS, aprBps: 600 } as const],
    ]);
    const marks = publishMarks([{ marketId, markTick, stressedTick: tick("0.9") }]);
    return [
      [{ type: "system" }, marks],
      [seller.actor, { type: "PlaceOrder", order: sold, listing }],
      [
        buyer.actor,
        isOnCredit
          ? { type: "AcceptQuote", order, listing, structure, referenceTick: markTick }
          : { type: "PlaceOrder", order, listing },
      ],
    ];
  }

  /** Somebody with cash whose payment falls due before long. */
  #debtor(traders: readonly Trader[]): Trader | undefined {
    const { state, nowMillis } = this.#world;
    const owing = [...state.acceptances.values()].find(
      ({ accountId, payments }) =>
        payments.some((one) => owedOn(one) > 0n && one.dueMillis < nowMillis + SOON_MILLIS) &&
        this.#mostOf(accountId) > 0,
    );
    return traders.find(({ id }) => id === owing?.accountId);
  }

  /** Lots that its free cash is enough for, in full. */
  #mostOf(id: AccountId): number {
    const { state } = this.#world;
    return Number((state.balance(`cash:${id}`) - state.exposures.locked(id)) / LOT_MICROS);
  }

  /** No position there: a loan is made only on what is bought anew. */
  #isAble(id: AccountId, { marketId }: Listing): boolean {
    const { kyc, halted } = this.#world.state.account(id);
    const isFlat = this.#world.state.position(id, marketId) === undefined;
    return kyc.status === "approved" && !halted && isFlat;
  }

  /** Orders of it meet now. */
  #isOpen(market: MarketId): boolean {
    const { state } = this.#world;
    const known = state.markets.get(market);
    return known !== undefined && !isShut(state, known) && !isMatchingHeld(state, known);
  }
}
