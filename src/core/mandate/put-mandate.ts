// A mandate and what it has traded, in their places.
// Invariant: the sums by state and over all are those of the uses; a use leaves with its market.
import type { MandateId, MarketId } from "#base/ids.ts";
import { lots, noLots } from "#base/quantity.ts";
import { dropOf, setOf } from "#base/set-of.ts";
import type { EventOf } from "../event.ts";
import type { State } from "../state.ts";
import { type Mandate, type MandateUse, stateUseName, useName } from "./record.ts";

export type MandateEvent = EventOf<"MandateChanged" | "MandateUsed">;

export function foldMandate(state: State, event: MandateEvent): void {
  if (event.type === "MandateUsed") putMandateUse(state, event.use);
  else if (event.status === "set") {
    if (!state.mandates.has(event.mandate.id)) state.mandateCount += 1;
    putMandate(state, event.mandate);
  } else dropMandate(state, event.mandate.id);
}

export function putMandate(state: State, mandate: Mandate): void {
  const { mandates, mandatesByPlace, mandatesOf, due } = state;
  const before = mandates.get(mandate.id);
  if (before !== undefined) mandatesByPlace.remove(before);
  mandates.set(mandate.id, mandate);
  mandatesByPlace.put(mandate);
  setOf(mandatesOf, mandate.accountId).add(mandate.id);
  if (mandate.expirySeconds === 0 || mandate.expirySeconds === before?.expirySeconds) return;
  const command = { type: "ExpireMandate" as const, mandateId: mandate.id };
  due.add({ atMillis: mandate.expirySeconds * 1000, command });
}

function dropMandate(state: State, id: MandateId): void {
  const mandate = state.mandates.get(id);
  if (mandate === undefined) return;
  state.mandates.delete(id);
  state.mandatesByPlace.remove(mandate);
  dropOf(state.mandatesOf, mandate.accountId, id);
  for (const market of [...(state.marketsUsedBy.get(id) ?? [])]) {
    const use = state.mandateUses.get(useName(id, market));
    if (use !== undefined) dropUse(state, use);
  }
}

export function putMandateUse(state: State, use: MandateUse): void {
  const name = useName(use.mandateId, use.marketId);
  const before = state.mandateUses.get(name)?.usedLots ?? noLots;
  state.mandateUses.set(name, use);
  setOf(state.mandatesUsedIn, use.marketId).add(use.mandateId);
  setOf(state.marketsUsedBy, use.mandateId).add(use.marketId);
  count(state, use, use.usedLots - before);
}

/** The market is final: what was traded in it counts against no budget any more. */
export function forgetUses(state: State, market: MarketId): void {
  for (const id of state.mandatesUsedIn.get(market) ?? []) {
    const use = state.mandateUses.get(useName(id, market));
    if (use !== undefined) dropUse(state, use);
  }
}

function dropUse(state: State, use: MandateUse): void {
  state.mandateUses.delete(useName(use.mandateId, use.marketId));
  dropOf(state.mandatesUsedIn, use.marketId, use.mandateId);
  dropOf(state.marketsUsedBy, use.mandateId, use.marketId);
  count(state, use, -use.usedLots);
}

function count({ mandateSums }: State, { mandateId, state }: MandateUse, change: bigint): void {
  for (const name of [mandateId, stateUseName(mandateId, state)]) {
    const sum = lots((mandateSums.get(name) ?? noLots) + change);
    if (sum === noLots) mandateSums.delete(name);
    else mandateSums.set(name, sum);
  }
}
