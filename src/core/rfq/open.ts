// Opening, closing and cancelling requests for quotes.
// Invariant: everybody learns the indices of a request, its states and the band of its size.
import { rfqId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { MICROS_PER_LOT } from "#base/quantity.ts";
import type { CommandOf } from "../command.ts";
import type { EventOf } from "../event.ts";
import { stateOfPlace } from "../mandate/scope.ts";
import { refuseStanding } from "../order/checks.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import { refuseLegs } from "./checks.ts";
import { endRfq, hasQuotes } from "./end.ts";
import { isDone, type Rfq, type RfqLeg, sizeBands } from "./record.ts";

const MOST_LEGS = 200;
const LEAST_MILLIS = 30_000;
const LONGEST_MILLIS = 72 * 3_600_000;
const MOST_OPEN = 10;
/** With those that were done in the last day: each keeps its legs until then. */
const MOST_KEPT = 100;

export function openRfq(step: Step, command: CommandOf<"OpenRfq">): Rejection | undefined {
  const { state, nowMillis } = step;
  const { legs, side, audience, closesAtMillis, tellsName } = command;
  const accountId = actingAccount(step);
  const lasts = closesAtMillis - nowMillis;
  const refused =
    refuseStanding(step, state.account(accountId), false) ??
    (lasts < LEAST_MILLIS || lasts > LONGEST_MILLIS
      ? reject("RFQ_TIMES", undefined, "closesAt")
      : undefined) ??
    (areLegs(legs) ? undefined : reject("RFQ_LEGS", { allowed: MOST_LEGS }, "legs")) ??
    refuseLegs(step, legs);
  if (refused !== undefined) return refused;
  const mine = [...(state.rfqsOf.get(accountId) ?? [])];
  const open = mine.filter((id) => state.openRfqs.has(id)).length;
  if (open >= MOST_OPEN) return reject("RFQ_CAP", { allowed: MOST_OPEN });
  if (mine.length >= MOST_KEPT) return reject("RFQ_CAP", { allowed: MOST_KEPT });

  const rfq: Rfq = {
    id: rfqId(`rfq-${state.rfqCount + 1}`),
    accountId,
    legs,
    side,
    audience: audience?.map((address) => address.toLowerCase()) ?? null,
    closesAtMillis,
    openedAtMillis: nowMillis,
    status: "open",
    ...(tellsName === true ? { tellsName } : {}),
  };
  emit(step, { type: "RfqOpened", rfq });
  emit(step, announced(rfq));
  return undefined;
}

/** One market is one leg. */
const areLegs = (legs: readonly RfqLeg[]): boolean =>
  legs.length > 0 &&
  legs.length <= MOST_LEGS &&
  legs.every(({ amountLots }) => amountLots > 0n) &&
  new Set(legs.map(({ listing }) => listing.marketId)).size === legs.length;

function announced({ id, legs }: Rfq): EventOf<"RfqAnnounced"> {
  let lots = 0n;
  for (const leg of legs) lots += leg.amountLots;
  const thousands = (lots * MICROS_PER_LOT) / 1_000_000_000n;
  const band = thousands < 100n ? 0 : thousands < 1_000n ? 1 : thousands < 10_000n ? 2 : 3;
  return {
    type: "RfqAnnounced",
    rfqId: id,
    indexes: [...new Set(legs.map(({ listing }) => listing.terms.index))].sort(),
    states: [...new Set(legs.map(({ listing }) => stateOfPlace(listing)))].sort(),
    size: sizeBands[band],
  };
}

/** Until it is done; a quote that was given for it is over with it. */
export function cancelRfq(
  step: Step,
  { rfqId: id }: CommandOf<"CancelRfq">,
): Rejection | undefined {
  const rfq = step.state.rfqs.get(id);
  if (rfq?.accountId !== actingAccount(step)) return reject("RFQ_NOT_FOUND");
  if (isDone(rfq)) return reject("RFQ_DONE", { status: rfq.status });

  endRfq(step, rfq, "cancelled");
  return undefined;
}

/** Its quotes stand until their own time. */
export function closeRfq(step: Step, { rfqId: id }: CommandOf<"CloseRfq">): undefined {
  const rfq = step.state.rfqs.get(id);
  invariant(rfq !== undefined, `request ${id} is here to close`);
  endRfq(step, rfq, hasQuotes(step, rfq) ? "closed" : "expired");
}
