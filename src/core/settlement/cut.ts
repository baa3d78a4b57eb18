// Claims that the guarantee fund cannot pay in full: one share for all that one release resolved.
// Invariant: a claim gets floor(due × share), whatever its market is called; what disputed markets
// of the release will need stays in the release's own ledger account until they end.
import type { ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { least } from "#base/least.ts";
import { atLeastZero, type Micros, micros, noMoney } from "#base/money.ts";
import { mulDivDown } from "#base/rounding.ts";
import { reversed, settled } from "../account/position.ts";
import type { LedgerName } from "../event.ts";
import { fundNeedIn, fundNeeds } from "../margin/guarantee.ts";
import type { AcceptedRelease, Market, Position } from "../records.ts";
import { cashOf, emit, GUARANTEE, post, type Step } from "../step.ts";
import { type Due, type DueInMarket, dueIn, putFinal, resolutionOf } from "./due.ts";
import { type PaidClaim, positionsIn, putPosition, tellPaid } from "./holders.ts";
import { sharesOf } from "./shares.ts";

/** A long of a market that has ended, or ends now. */
interface Claim {
  readonly position: Position;
  readonly dueMicros: Micros;
  readonly paidMicros: Micros;
}

/** The amount due on all claims together, and the cash there is to pay them. */
interface Share {
  readonly due: bigint;
  readonly pay: bigint;
}

const accountOf = (release: ReleaseId): LedgerName => `claims:${release}`;

/** Ends every market of the release whose window is over, and pays on what was cut before. */
export function settleCut(step: Step, id: ReleaseId): void {
  const release = step.state.release(id);
  // One that nobody ever traded may have left the state since: nothing is owed in it.
  const markets = release.resolvedMarkets.flatMap((one) => step.state.markets.get(one) ?? []);
  const resolved = markets.filter(({ status }) => status === "RESOLVED");
  const waiting = resolved.filter((market) => !isOver(step, market));
  const ending = resolved
    .filter((market) => isOver(step, market))
    .map((one) => dueIn(step, one.id));
  const open = markets.flatMap((market) => openClaims(step, market));
  const fresh = ending.flatMap(({ claims }) => claims).map(asClaim);

  const payable = collectFor(step, { release, ending, waiting, open, fresh });
  const share = shareOf(release, fresh, payable);
  const paid = payAll(step, id, { fresh, open, payable, share });
  for (const { market } of ending) putFinal(step, market, lackingIn(step, market));
  for (const market of markets) if (market.status === "FINALIZED") lowerShortfall(step, market);
  record(step, release, fresh, paid);
  if (waiting.length === 0) {
    const left = step.state.balance(accountOf(id));
    post(step, accountOf(id), "guarantee", left, "claims-left", id);
  }
  tellPaid(step, paid);
}

const isOver = ({ nowMillis }: Step, market: Market): boolean =>
  market.dispute === null && resolutionOf(market).disputeWindowEndsAtMillis <= nowMillis;

const asClaim = ({ position, micros: dueMicros }: Due): Claim => ({
  position,
  dueMicros,
  paidMicros: noMoney,
});

/** Claims of a market that has ended on which something is still owed; before, there are none. */
const openClaims = (step: Step, { id }: Market): readonly Claim[] =>
  positionsIn(step, id).flatMap((position) =>
    position.claim === undefined ? [] : [{ position, ...position.claim }],
  );

const dueOf = (claims: readonly Claim[]): bigint =>
  claims.reduce((sum, { dueMicros }) => sum + dueMicros, 0n);

const owedOn = (claims: readonly Claim[]): bigint =>
  claims.reduce((sum, { dueMicros, paidMicros }) => sum + dueMicros - paidMicros, 0n);

interface Collecting {
  readonly release: AcceptedRelease;
  readonly ending: readonly DueInMarket[];
  readonly waiting: readonly Market[];
  readonly open: readonly Claim[];
  readonly fresh: readonly Claim[];
}

/**
 * Takes what the shorts of ending markets owe, and from the guarantee fund what it can spare.
 * Returns what may be paid out now. The loss is one share of all claims, those in waiting markets
 * too: what their holders bear of it, their own shorts bring later, so it cannot be paid out yet.
 */
function collectFor(step: Step, { release, ending, waiting, open, fresh }: Collecting): bigint {
  const { state } = step;
  const { id } = release;
  const { beside } = fundNeeds(state, id);
  const payers = ending.flatMap(({ payers: all }) => all);
  for (const due of payers) if (due.position.accountId !== GUARANTEE) collect(step, id, due);
  const owed = owedOn(open) + owedOn(fresh);
  const later = waiting.reduce((sum, market) => sum + fundNeedIn(state, market.id), 0n);
  const lacking = owed + later - state.balance(accountOf(id));
  const spare = state.balance("guarantee") - beside;
  const given = atLeastZero(least(lacking, spare));
  collectFromFund(step, id, payers, given);

  const have = state.balance(accountOf(id));
  const loss = atLeastZero(owed + later - have);
  const ended = (release.claims?.dueMicros ?? 0n) + dueOf(fresh);
  const waitingDue = waiting.reduce((sum, market) => sum + dueIn(step, market.id).owed, 0n);
  const all = ended + waitingDue;
  const bornLater = all === 0n ? 0n : mulDivDown(loss, waitingDue, all);
  const kept = atLeastZero(later - bornLater);
  const free = atLeastZero(have - kept);
  return least<bigint>(owed, free);
}

function collect(step: Step, id: ReleaseId, { position, micros: owes }: Due): void {
  const { accountId, marketId } = position;
  const cash = cashOf(accountId);
  invariant(owes <= step.state.balance(cash), `${accountId} can pay what it owes`);
  post(step, cash, accountOf(id), owes, "settlement", marketId);
  putPosition(step, settled(position, micros(-owes)));
}

/** Its shorts of the ending markets are gone with it, paid for as far as it goes. */
function collectFromFund(step: Step, id: ReleaseId, payers: readonly Due[], given: Micros): void {
  post(step, "guarantee", accountOf(id), given, "settlement", id);
  const mine = payers.filter(({ position }) => position.accountId === GUARANTEE);
  const owes = mine.map((due) => due.micros);
  const most = owes.reduce<bigint>((sum, one) => sum + one, 0n);
  const parts = sharesOf(least(given, micros(most)), owes);
  for (const [at, { position }] of mine.entries()) {
    putPosition(step, settled(position, micros(-(parts[at] ?? noMoney))));
  }
}

/**
 * With what was paid before, so that all end at one share. Nobody gives back: where an amended
 * dispute has left less than the share paid before, only what ends now shares what there is.
 */
function shareOf({ claims }: AcceptedRelease, fresh: readonly Claim[], payable: bigint): Share {
  const [dueBefore, paidBefore] = [claims?.dueMicros ?? 0n, claims?.paidMicros ?? 0n];
  const due = dueBefore + dueOf(fresh);
  const pay = paidBefore + payable;
  const isLess = paidBefore * due > pay * dueBefore;
  return isLess ? { due: due - dueBefore, pay: payable } : { due, pay };
}

interface Paying {
  readonly fresh: readonly Claim[];
  readonly open: readonly Claim[];
  readonly payable: bigint;
  readonly share: Share;
}

/**
 * Claims of what ends now come first: there is enough for their share. The rest raises earlier
 * claims below the share, in proportion where it is not enough, as others above the share give
 * nothing back. Cash set aside for waiting markets raises nobody.
 */
function payAll(step: Step, id: ReleaseId, paying: Paying): readonly PaidClaim[] {
  const { fresh, open, payable, share } = paying;
  const first = fresh.map((claim) => pay(step, id, claim, lackingTo(share, claim)));
  const rest = payable - sumOf(first);
  const all = open.reduce((sum, claim) => sum + lackingTo(share, claim), 0n);
  const partOf = (lacking: Micros): Micros =>
    all > rest ? micros(mulDivDown(lacking, rest, all)) : lacking;
  const more = open.map((claim) => pay(step, id, claim, partOf(lackingTo(share, claim))));
  return [...first, ...more];
}

/** Of a claim that has more already, nothing. */
const lackingTo = ({ due, pay: payable }: Share, { dueMicros, paidMicros }: Claim): Micros =>
  atLeastZero((due === 0n ? 0n : mulDivDown(dueMicros, payable, due)) - paidMicros);

const sumOf = (paid: readonly PaidClaim[]): bigint =>
  paid.reduce((sum, { paidMicros }) => sum + paidMicros, 0n);

function pay(step: Step, id: ReleaseId, claim: Claim, given: Micros): PaidClaim {
  const { position, dueMicros } = claim;
  const { accountId, marketId } = position;
  post(step, accountOf(id), cashOf(accountId), given, "settlement", marketId);
  const isFresh = position.heldLots !== 0n;
  const { claim: _, ...ended } = isFresh ? settled(position, given) : reversed(position, given);
  const paidMicros = micros(claim.paidMicros + given);
  const isWhole = paidMicros === dueMicros;
  putPosition(step, isWhole ? ended : { ...ended, claim: { dueMicros, paidMicros } });
  const lacksMicros = isFresh ? micros(dueMicros - given) : noMoney;
  return { accountId, marketId, paidMicros: given, lacksMicros };
}

const lackingIn = (step: Step, { id }: Market): Micros =>
  micros(
    positionsIn(step, id).reduce((sum, { claim }) => {
      return claim === undefined ? sum : sum + claim.dueMicros - claim.paidMicros;
    }, 0n),
  );

/** Of a market that has ended before: later money was paid on its claims. */
function lowerShortfall(step: Step, market: Market): void {
  const shortfallMicros = lackingIn(step, market);
  if (shortfallMicros === market.shortfallMicros) return;
  const changed = { ...market, shortfallMicros, updatedAtMillis: step.nowMillis };
  emit(step, { type: "MarketChanged", market: changed });
}

/** The release says what its claims came to, and what of it was paid. */
function record(
  step: Step,
  release: AcceptedRelease,
  fresh: readonly Claim[],
  paid: readonly PaidClaim[],
): void {
  const { dueMicros = noMoney, paidMicros = noMoney } = release.claims ?? {};
  const claims = {
    dueMicros: micros(dueMicros + dueOf(fresh)),
    paidMicros: micros(paidMicros + sumOf(paid)),
  };
  emit(step, { type: "ReleaseChanged", release: { ...release, claims } });
}
