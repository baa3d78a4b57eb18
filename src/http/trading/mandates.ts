// /api/trading/mandates: an account's standing instructions to trade a scope at the mark and a
// spread.
// Invariant: an account is shown its own mandates only, and others' are answered like absent ones.
import { type Static, Type } from "typebox";
import { type MandateId, mandateId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatLots, lots, noLots } from "#base/quantity.ts";
import type { Event } from "#core/event.ts";
import type { Mandate, MandateUse } from "#core/mandate/record.ts";
import { type ErrorCode, refuse } from "../route/errors.ts";
import { closed, type KeyCaller, nothing, type Route, trading } from "../route/route.ts";
import { Done, done } from "./done.ts";
import {
  ChangedMandate,
  mandateFields,
  mandateLimits,
  mandateShown,
  NewMandate,
  readChangedMandate,
  readMandateLimits,
  readNewMandate,
} from "./mandate-input.ts";
import type { TradingPorts } from "./ports.ts";

const url = "/api/trading/mandates";
const oneUrl = `${url}/:mandateId`;
const named = Type.Object({ mandateId: Type.String({ maxLength: 64 }) });
const idOf = (params: { readonly mandateId: string }): MandateId =>
  mandateId(params.mandateId.toLowerCase());

const MandateRecord = Type.Object(
  {
    id: Type.String(),
    ...mandateFields,
    createdAt: Type.Integer({ description: "Unix seconds" }),
    sequence: Type.Integer({
      description: "the entry that set its terms: of two at one price the lower comes first",
    }),
  },
  { title: "Mandate" },
);

const mandateRecord = (mandate: Mandate): Static<typeof MandateRecord> => ({
  id: mandate.id,
  ...mandateShown(mandate),
  createdAt: Math.floor(mandate.createdAtMillis / 1000),
  sequence: mandate.rank,
});

const standing: readonly ErrorCode[] = [
  "ROLE_NOT_TRADER",
  "KYC_REQUIRED",
  "ACCREDITATION_REQUIRED",
  "ACCOUNT_HALTED",
  "EXCHANGE_HALTED",
  "PAYMENT_OVERDUE",
  "MARGIN_CALL",
  "IN_DEFAULT",
  "PROTECTION_TRIPPED",
  "EXPIRY_PAST",
];

export const listMandates = (ports: TradingPorts): Route =>
  trading.read({
    url,
    access: "read:portfolio",
    summary: "The account's mandates, the oldest first",
    params: nothing,
    query: nothing,
    data: Type.Array(MandateRecord),
    read: ({ caller }) => ({ data: ports.view.mandatesOf(caller.account.id).map(mandateRecord) }),
  });

const ownOf = ({ view }: TradingPorts, { account }: KeyCaller, id: MandateId) =>
  view.mandatesOf(account.id).find((mandate) => mandate.id === id);

export const showMandate = (ports: TradingPorts): Route =>
  trading.read({
    url: oneUrl,
    access: "read:portfolio",
    summary: "One of the account's mandates",
    refusals: ["MANDATE_NOT_FOUND"],
    params: named,
    query: nothing,
    data: MandateRecord,
    read: ({ caller, params }) => {
      const mandate = ownOf(ports, caller, idOf(params));
      return mandate === undefined ? refuse("MANDATE_NOT_FOUND") : { data: mandateRecord(mandate) };
    },
  });

const Usage = Type.Object(
  {
    usedUsd: Type.String({ description: "in markets that are not final; USD of coverage" }),
    states: Type.Array(Type.Object({ place: Type.String(), usedUsd: Type.String() })),
    markets: Type.Array(Type.Object({ marketId: Type.String(), usedUsd: Type.String() })),
  },
  { title: "MandateUsage" },
);

export const showMandateUsage = (ports: TradingPorts): Route =>
  trading.read({
    url: `${oneUrl}/usage`,
    access: "read:portfolio",
    summary: "The part of its limits that a mandate has traded: in all, by state and by market",
    refusals: ["MANDATE_NOT_FOUND"],
    params: named,
    query: nothing,
    data: Usage,
    read: ({ caller, params }) => {
      const mandate = ownOf(ports, caller, idOf(params));
      return mandate === undefined
        ? refuse("MANDATE_NOT_FOUND")
        : { data: usageOf(ports.view.usesOf(mandate.id)) };
    },
  });

function usageOf(uses: readonly MandateUse[]): Static<typeof Usage> {
  const states = new Map<string, bigint>();
  let total = 0n;
  for (const { state, usedLots } of uses) {
    states.set(state, (states.get(state) ?? noLots) + usedLots);
    total += usedLots;
  }
  return {
    usedUsd: formatLots(lots(total)),
    states: [...states].map(([place, used]) => ({ place, usedUsd: formatLots(lots(used)) })),
    markets: uses.map(({ marketId, usedLots }) => ({ marketId, usedUsd: formatLots(usedLots) })),
  };
}

export const setMandate = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url,
    access: "create:orders",
    summary: "Sets a mandate: orders in its scope are met at the mark and its spread from now on",
    refusals: [...standing, "MANDATE_CAP"],
    params: nothing,
    body: NewMandate,
    data: MandateRecord,
    toCommand: ({ body }) => {
      const read = readNewMandate(body, ports);
      if ("refused" in read) return read;
      return { command: { type: "SetMandate", mandateId: null, terms: read.terms } };
    },
    render: ({ events }) => ({ data: changedIn(events) }),
  });

export const changeMandate = (ports: TradingPorts): Route =>
  trading.write({
    method: "PATCH",
    url: oneUrl,
    access: "create:orders",
    summary: "Changes terms of a mandate, which goes behind the others at its price",
    refusals: [...standing, "MANDATE_NOT_FOUND"],
    params: named,
    body: ChangedMandate,
    data: MandateRecord,
    toCommand: ({ caller, params, body }) => {
      const id = idOf(params);
      const before = ownOf(ports, caller, id);
      if (before === undefined) return refuse("MANDATE_NOT_FOUND");
      const read = readChangedMandate(before, body, ports);
      if ("refused" in read) return read;
      return { command: { type: "SetMandate", mandateId: id, terms: read.terms } };
    },
    render: ({ events }) => ({ data: changedIn(events) }),
  });

export const lowerMandate = (): Route =>
  trading.write({
    method: "POST",
    url: `${oneUrl}/lower`,
    access: "cancel:orders",
    summary:
      "Lowers limits of a mandate; taken however busy the exchange is, and it keeps its place",
    refusals: ["MANDATE_NOT_FOUND"],
    params: named,
    body: closed(mandateLimits),
    data: MandateRecord,
    toCommand: ({ params, body }) => {
      const limits = readMandateLimits(body);
      if ("refused" in limits) return limits;
      return { command: { type: "LowerMandate", mandateId: idOf(params), ...limits } };
    },
    render: ({ events }) => ({ data: changedIn(events) }),
  });

export const cancelMandate = (): Route =>
  trading.write({
    method: "DELETE",
    url: oneUrl,
    access: "cancel:orders",
    summary: "Cancels a mandate; its positions stay",
    refusals: ["MANDATE_NOT_FOUND"],
    params: named,
    body: nothing,
    data: Done,
    toCommand: ({ params }) => ({
      command: { type: "CancelMandates", mandateId: idOf(params) },
    }),
    render: () => done,
  });

export const cancelMandates = (): Route =>
  trading.write({
    method: "DELETE",
    url,
    access: "cancel:orders",
    summary: "Cancels all mandates of the account",
    params: nothing,
    body: nothing,
    data: Type.Object({ cancelledCount: Type.Integer() }),
    toCommand: () => ({ command: { type: "CancelMandates", mandateId: null } }),
    render: ({ events }) => {
      const cancelled = events.filter(({ type }) => type === "MandateChanged");
      return { data: { cancelledCount: cancelled.length } };
    },
  });

function changedIn(events: readonly Event[]): Static<typeof MandateRecord> {
  const changed = events.find((event) => event.type === "MandateChanged");
  invariant(changed !== undefined, "a mandate that is taken is told");
  return mandateRecord(changed.mandate);
}
