// The rules of mandates, recounted from the records alone.
// Invariant: nothing of the look-up by place or of the sums is believed here.
import assert from "node:assert/strict";
import type { AccountId } from "#base/ids.ts";
import type { Event } from "#core/event.ts";
import type { MandatesByPlace } from "#core/mandate/by-place.ts";
import type { Mandate } from "#core/mandate/record.ts";
import type { State } from "#core/state.ts";
import { available } from "#core/step.ts";

/** Uses belong to mandates that are here and markets that are not final; sums are those of uses. */
export function checkMandates(state: State): void {
  const sums = new Map<string, bigint>();
  for (const { mandateId, marketId, state: place, usedLots } of state.mandateUses.values()) {
    const { status } = state.market(marketId);
    assert.ok(state.mandates.has(mandateId), `${mandateId} is here`);
    assert.ok(status !== "FINALIZED" && status !== "CANCELLED", `${marketId} is not final`);
    assert.ok(usedLots > 0n);
    for (const name of [mandateId, `${mandateId}|${place}`]) {
      sums.set(name, (sums.get(name) ?? 0n) + usedLots);
    }
  }
  assert.deepEqual(new Map(state.mandateSums), sums, "sums are those of the uses");
  const all = [...state.mandates.values()];
  for (const { id, accountId } of all) {
    assert.ok(state.mandatesOf.get(accountId)?.has(id), `${id} is its account's`);
  }
  checkOrder(state.mandatesByPlace, all);
}

/** Each place holds all that name it, sorted anew here for some numbers of months. */
export function checkOrder(byPlace: MandatesByPlace, all: readonly Mandate[]): void {
  const named = new Map<string, Mandate[]>();
  for (const mandate of all) {
    for (const place of new Set(mandate.scope.places)) {
      const name = `${mandate.scope.index} ${mandate.side} ${place}`;
      named.set(name, [...(named.get(name) ?? []), mandate]);
    }
  }
  for (const [name, mandates] of named) {
    const [first] = mandates;
    const place = first?.scope.places.find((one) => name.endsWith(` ${one}`));
    assert.ok(first !== undefined && place !== undefined);
    for (const months of [1, 12, 13]) {
      const price = ({ spreadTicks, spreadTicksPerYear }: Mandate): number =>
        spreadTicks + Math.ceil((spreadTicksPerYear * months) / 12);
      const sorted = mandates.toSorted((a, b) => price(a) - price(b) || a.rank - b.rank);
      const found: readonly Mandate[] = byPlace
        .at(first.scope.index, first.side, place, months)
        .flat();
      const ids = (list: readonly Mandate[]) => list.map(({ id }) => id);
      assert.deepEqual(ids(found), ids(sorted), `${name}, ${months} months`);
      assert.ok(
        found.every((one) => mandates.includes(one)),
        "each with its newest terms",
      );
    }
  }
}

/** Cash less all that is held back, of each account with a mandate. */
export const freeOfMakers = (state: State): ReadonlyMap<AccountId, bigint> =>
  new Map([...state.mandatesOf.keys()].map((id) => [id, available(state, id)]));

/** A mandate's fills leave its account no cash below its margin; one that closes adds to none. */
export function checkMandateCash(
  state: State,
  events: readonly Event[],
  before: ReadonlyMap<AccountId, bigint>,
): void {
  for (const event of events) {
    if (event.type !== "MandateUsed") continue;
    const { accountId } = event;
    const free = available(state, accountId);
    const known = before.get(accountId) ?? assert.fail(`${accountId} had a mandate`);
    assert.ok(free >= 0n || free >= known, `${accountId} has ${free} free, and had ${known}`);
  }
}

/** Each fill of a mandate in a command: no nearer than its spread, and within its budgets. */
export function checkMandateFills(
  state: State,
  events: readonly Event[],
  mandates: ReadonlyMap<string, Mandate>,
): void {
  for (const [at, event] of events.entries()) {
    if (event.type !== "MandateUsed") continue;
    const { mandateId, marketId, usedLots, state: place } = event.use;
    const mandate = mandates.get(mandateId) ?? assert.fail(`${mandateId} was here`);
    const fill = events.slice(0, at).findLast((one) => one.type === "Filled")?.fill;
    assert.ok(fill !== undefined && fill.marketId === marketId);
    const { terms, markTick } = state.market(marketId);
    const newest = state.chainPoints.get(`${terms.index}|${terms.nodeId}`);
    const months = terms.measurementMonth - (newest?.month ?? assert.fail("it has prints"));
    const spread = mandate.spreadTicks + (mandate.spreadTicksPerYear * months) / 12;
    const sells = mandate.side === "SELL";
    assert.equal(sells ? fill.seller : fill.buyer, mandate.accountId);
    const beyond = sells ? fill.yesTick - markTick : markTick - fill.yesTick;
    assert.ok(beyond >= spread, `${mandateId} traded ${beyond} from the mark, not ${spread}`);
    assert.ok(
      usedLots <= mandate.mostInMarketLots,
      `${mandateId} keeps to its limit in ${marketId}`,
    );
    const sumOf = (name: string) => state.mandateSums.get(name) ?? 0n;
    assert.ok(sumOf(mandateId) <= mandate.mostInAllLots, `${mandateId} keeps to its limit`);
    assert.ok(
      sumOf(`${mandateId}|${place}`) <= mandate.mostInStateLots,
      `${mandateId} in ${place}`,
    );
  }
}
