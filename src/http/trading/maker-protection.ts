// /api/trading/protection: an account's own brake on how fast its resting orders may be filled.
// Invariant: what is shown is the account's own, as it stands or as the command left it.

import { type Static, Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { formatLots, noLots, parseLots } from "#base/quantity.ts";
import type { MakerProtection } from "#core/account/protection-record.ts";
import type { Event } from "#core/event.ts";
import { invalidField, type Refused } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { decimalText } from "../server/json-source.ts";
import type { TradingPorts } from "./ports.ts";

const url = "/api/trading/protection";

const MakerProtectionRecord = Type.Object(
  {
    /** 0 = off. */
    withinSeconds: Type.Integer(),
    maxContracts: Type.Union([Type.String(), Type.Null()]),
    maxFills: Type.Union([Type.Integer(), Type.Null()]),
    /** Of the window that opened last. */
    filledContracts: Type.String(),
    fills: Type.Integer(),
    tripped: Type.Boolean(),
    /** Unix seconds. */
    trippedAt: Type.Union([Type.Integer(), Type.Null()]),
  },
  { title: "Protection" },
);

export const AMOUNT = "a decimal from 0.01 to 10000000000 with at most 2 decimals";
export const MakerProtectionBody = closed({
  withinSeconds: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    description: "0 for off, or a whole number of seconds up to 86400",
  }),
  maxContracts: Type.Optional(
    Type.Union([Type.Number(), Type.String({ minLength: 1, maxLength: 64 })], {
      description: AMOUNT,
    }),
  ),
  maxFills: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: "a whole number, at least 1" }),
  ),
});

export const showMakerProtection = (ports: TradingPorts): Route =>
  trading.read({
    url,
    access: "read:portfolio",
    summary: "The account's protection: its limits, what the window has seen, whether it tripped",
    params: nothing,
    query: nothing,
    data: MakerProtectionRecord,
    read: ({ caller }) => ({
      data: makerProtectionRecord(ports.view.limits.makerProtections.get(caller.account.id)),
    }),
  });

export const setMakerProtection = (): Route =>
  trading.write({
    method: "POST",
    url,
    access: "create:orders",
    summary: "Sets the protection: above these fills within so long, resting orders are cancelled",
    params: nothing,
    body: MakerProtectionBody,
    data: MakerProtectionRecord,
    toCommand: ({ body }) => {
      const clash = refuseContradiction("withinSeconds", body.withinSeconds, body);
      if (clash !== undefined) return clash;
      const text = decimalText(body, "maxContracts", body.maxContracts);
      const maxLots = text === undefined ? null : parseLots(text);
      if (maxLots === undefined) return invalidField("maxContracts", `must be ${AMOUNT}`);
      const { withinSeconds, maxFills = null } = body;
      return { command: { type: "SetProtection", withinSeconds, maxLots, maxFills } };
    },
    render: ({ events }) => ({ data: changed(events) }),
  });

export const resetMakerProtection = (): Route =>
  trading.write({
    method: "POST",
    url: `${url}/reset`,
    access: "create:orders",
    summary: "Lets an account trade again whose protection has tripped",
    params: nothing,
    body: nothing,
    data: MakerProtectionRecord,
    toCommand: () => ({ command: { type: "ResetProtection" } }),
    render: ({ events }) => ({ data: changed(events) }),
  });

/** A window without a limit, or a limit without a window. */
export function refuseContradiction(
  field: string,
  within: number,
  { maxContracts, maxFills }: Pick<Static<typeof MakerProtectionBody>, "maxContracts" | "maxFills">,
): Refused | undefined {
  const limit = maxContracts === undefined ? "maxFills" : "maxContracts";
  const hasLimit = maxContracts !== undefined || maxFills !== undefined;
  if (hasLimit === within > 0) return undefined;
  const why = hasLimit ? `0 contradicts ${limit}` : "needs maxContracts, maxFills or both";
  return invalidField(field, why, { fields: [field, limit] });
}

function changed(events: readonly Event[]): Static<typeof MakerProtectionRecord> {
  const event = events.find((candidate) => candidate.type === "ProtectionChanged");
  invariant(event !== undefined, "a protection that is set is an event");
  return makerProtectionRecord(event.protection);
}

function makerProtectionRecord(
  protection: MakerProtection | undefined,
): Static<typeof MakerProtectionRecord> {
  const trippedAt = protection?.trippedAtMillis ?? null;
  const maxLots = protection?.maxLots ?? null;
  return {
    withinSeconds: protection?.withinSeconds ?? 0,
    maxContracts: maxLots === null ? null : formatLots(maxLots),
    maxFills: protection?.maxFills ?? null,
    filledContracts: formatLots(protection?.windowLots ?? noLots),
    fills: protection?.windowFills ?? 0,
    tripped: trippedAt !== null,
    trippedAt: trippedAt === null ? null : Math.floor(trippedAt / 1000),
  };
}
