// The limit of a day around every command: nobody trades beyond it, whoever met whom.
// Invariant: the limit and what counts against it are read from records alone.
import assert from "node:assert/strict";
import type { AccountId } from "#base/ids.ts";
import type { Event } from "#core/event.ts";
import type { State } from "#core/state.ts";

const DAY_MILLIS = 86_400_000;

/** Lots that count today: fills, and the legs of open quotes for requests. */
export function takenBy(state: State, nowMillis: number): ReadonlyMap<AccountId, bigint> {
  const taken = new Map<AccountId, bigint>();
  const add = (id: AccountId, amount: bigint) => taken.set(id, (taken.get(id) ?? 0n) + amount);
  for (const [id, { day, filledLots }] of state.dayVolumes) {
    if (day === Math.floor(nowMillis / DAY_MILLIS)) add(id, filledLots);
  }
  for (const { accountId, rfqId, status } of state.rfqQuotes.values()) {
    if (status !== "open") continue;
    for (const { amountLots } of state.rfqs.get(rfqId)?.legs ?? []) add(accountId, amountLots);
  }
  return taken;
}

/** The exchange buys back an account in default to its end, whatever it has traded. */
export function checkDays(
  state: State,
  events: readonly Event[],
  before: ReadonlyMap<AccountId, bigint>,
  nowMillis: number,
): void {
  const filled = events.flatMap((event) =>
    event.type === "Filled" ? [event.fill.buyer, event.fill.seller] : [],
  );
  if (filled.length === 0) return;
  const inDefault = events.flatMap((event) =>
    event.type === "AccountChanged" && event.account.inDefault !== undefined
      ? [event.account.id]
      : [],
  );
  const after = takenBy(state, nowMillis);
  for (const id of new Set(filled)) {
    const { kyc, caps } = state.account(id);
    if (state.account(id).inDefault !== undefined || inDefault.includes(id)) continue;
    const approved = kyc.approvedTier ?? kyc.tier;
    const tier = state.rules.tiers[approved === "none" ? "basic" : approved];
    const { maxDailyMicros: ofKyc, maxDailyVolumeMicros: ofTier } = tier;
    const allowed = caps?.maxDailyMicros ?? (ofKyc < ofTier ? ofKyc : ofTier);
    const [was, is] = [before.get(id) ?? 0n, after.get(id) ?? 0n];
    const isWithin = is * 10_000n <= allowed || is <= was;
    assert.ok(isWithin, `${id} has traded ${is} lots of ${allowed} micro-dollars today`);
  }
}
