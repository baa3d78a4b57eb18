// Cover-2: the loss that the guarantee fund would bear if the two weakest owners defaulted now.
// Invariant: accounts of one owner count together, and none counts for less than nothing.
import type { AccountId } from "#base/ids.ts";
import { formatMicros, type Micros, micros, noMoney } from "#base/money.ts";
import { byAge, ownerOf } from "../account/owner.ts";
import type { Command } from "../command.ts";
import type { Event, LedgerName } from "../event.ts";
import type { Account, Market } from "../records.ts";
import { cashOf, emit, GUARANTEE, type Step } from "../step.ts";
import { raiseAlert } from "./alert.ts";
import { lackingOf } from "./call.ts";
import { contributionTo } from "./contribution.ts";
import type { Exposures } from "./exposure.ts";
import { worstOf } from "./guarantee.ts";

interface Cover {
  /** The loss beyond its margin of the owner that lacks most, and of the two that do. */
  readonly cover1Micros: Micros;
  readonly cover2Micros: Micros;
  /** The most that the fund's own shorts may cost, which is set aside first. */
  readonly setAsideMicros: Micros;
  /** The cash of the fund beyond that; below zero where it lacks something already. */
  readonly spareMicros: Micros;
  /** The exchange's own layer, and the contributions of all accounts. */
  readonly exchangeMicros: Micros;
  readonly contributionsMicros: Micros;
  /** Whether that and the layers are enough for the two owners. */
  readonly isCovered: boolean;
  /** The cash that is missing for that; 0 where nothing is. */
  readonly lackingMicros: Micros;
}

/** A lack up to this shuts nobody out: one call on a small exchange stops not all its sellers. */
const FLOOR_MICROS = 10_000_000_000n;

/**
 * At a publication of marks: whether the fund and its layers hold the two weakest owners. Where
 * they do not, this is asked after every command that moves cash or a position, until they do.
 */
export function judgeCover(step: Step, { type }: Command): void {
  const { state, events } = step;
  const before = state.exchange?.fundShortMicros ?? 0n;
  const isPublished = type === "PublishMarks";
  if (!isPublished && (before === 0n || !events.some(movesSomething))) return;
  const { lackingMicros } = coverOf(state);
  const lacking = lackingMicros > FLOOR_MICROS ? lackingMicros : noMoney;
  const isSame = isPublished ? lacking === before : lacking > 0n;
  if (isSame) return;
  emit(step, { type: "CoverJudged", lackingMicros: lacking });
  if (before > 0n) return;
  const text =
    `The guarantee fund lacks ${formatMicros(lacking)} USD of what the two weakest owners lack: ` +
    "no order may add a short until they deposit, or the fund or the exchange's layer is funded";
  for (const id of [...state.operators].sort(byAge)) raiseAlert(step, id, "fund_short", text);
}

const movesSomething = ({ type }: Event): boolean =>
  type === "Posted" || type === "PositionChanged" || type === "AccountChanged";

interface Covered {
  readonly accounts: ReadonlyMap<AccountId, Account>;
  readonly markets: ReadonlyMap<Market["id"], Market>;
  readonly exposures: Pick<Exposures, "shortTotals" | "shorts">;
  balance(name: LedgerName): Micros;
}

export function coverOf(exchange: Covered): Cover {
  const losses = [...lossesOf(exchange).values()].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0));
  const [first = 0n, second = 0n] = losses;
  const setAside = worstOf(exchange.markets, exchange.exposures.shorts(GUARANTEE));
  const spare = exchange.balance("guarantee") - setAside;
  const exchangeLayer = exchange.balance("exchange-layer");
  let contributions = 0n;
  for (const [id, { contribution }] of exchange.accounts) {
    if (contribution !== undefined) contributions += exchange.balance(contributionTo(id));
  }
  const lacking = first + second - (spare + exchangeLayer + contributions);
  return {
    cover1Micros: micros(first),
    cover2Micros: micros(first + second),
    setAsideMicros: setAside,
    spareMicros: micros(spare),
    exchangeMicros: exchangeLayer,
    contributionsMicros: micros(contributions),
    isCovered: lacking <= 0n,
    lackingMicros: micros(lacking > 0n ? lacking : 0n),
  };
}

/** By owner. An account that is in no call has the loss of the worst scenario as its margin. */
function lossesOf(exchange: Covered): ReadonlyMap<AccountId, bigint> {
  const losses = new Map<AccountId, bigint>();
  for (const { id, marginCall, inDefault } of exchange.accounts.values()) {
    if (marginCall === undefined && inDefault?.auctionId === undefined) continue;
    const cash = exchange.balance(cashOf(id));
    const lacking = lackingOf(cash, exchange.exposures.shortTotals(id));
    const owner = ownerOf(exchange, id);
    losses.set(owner, (losses.get(owner) ?? 0n) + lacking);
  }
  return losses;
}
