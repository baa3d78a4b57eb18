// /api/trading/groups: groups of an account's orders, each with a brake of its own.
// Invariant: a group is listed while it has limits, has tripped, or has an open order.
import { type Static, Type } from "typebox";
import type { AccountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatLots, noLots, parseLots } from "#base/quantity.ts";
import type { OrderGroup } from "#core/account/protection-record.ts";
import type { Event } from "#core/event.ts";
import { groupName } from "#core/names.ts";
import { invalidField } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { decimalText } from "../server/json-source.ts";
import { AMOUNT, MakerProtectionBody, refuseContradiction } from "./maker-protection.ts";
import { GROUP_NAME, GroupName, isGroupName } from "./order-input.ts";
import { type Looked, listQuery, listSiblings, ownScope, pageOf, startOf } from "./own-list.ts";
import type { TradingPorts } from "./ports.ts";

const url = "/api/trading/groups";

const GroupRecord = Type.Object(
  {
    group: GroupName,
    withinMillis: Type.Integer({ description: "length of the window, milliseconds; 0 = off" }),
    maxContracts: Type.Union([Type.String(), Type.Null()]),
    maxFills: Type.Union([Type.Integer(), Type.Null()]),
    filledContracts: Type.String(),
    fills: Type.Integer(),
    tripped: Type.Boolean(),
    trippedAt: Type.Union([Type.Integer(), Type.Null()]),
    openOrders: Type.Integer({ description: "orders it has open" }),
  },
  { title: "OrderGroup" },
);

const { maxContracts, maxFills } = MakerProtectionBody.properties;
const GroupBody = closed({
  withinMillis: Type.Integer({
    minimum: 0,
    maximum: 86_400_000,
    description: "0 for off, or a whole number of milliseconds up to 86400000",
  }),
  maxContracts,
  maxFills,
});

const GroupParams = Type.Object({ group: Type.String({ description: GROUP_NAME }) });

const listGroups = (ports: TradingPorts): Route =>
  trading.read({
    url,
    access: "read:portfolio",
    summary: "The account's groups of orders in use, by name",
    params: nothing,
    query: closed(listQuery),
    data: Type.Array(GroupRecord),
    siblings: listSiblings,
    read: async ({ caller, query }) => {
      const { id } = caller.account;
      const scope = ownScope("groups", caller);
      const start = startOf(scope, query);
      if ("refused" in start) return start;
      const page = await pageOf(scope, query, looked(ports, id, start.place));
      return { data: page.items, siblings: page.siblings };
    },
  });

const setGroup = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: `${url}/:group`,
    access: "create:orders",
    summary: "Sets a group's own protection: above these fills within so long its orders go",
    refusals: ["GROUP_CAP"],
    params: GroupParams,
    body: GroupBody,
    data: GroupRecord,
    toCommand: ({ params: { group }, body }) => {
      if (!isGroupName(group)) return invalidField("group", `must be ${GROUP_NAME}`);
      const clash = refuseContradiction("withinMillis", body.withinMillis, body);
      if (clash !== undefined) return clash;
      const text = decimalText(body, "maxContracts", body.maxContracts);
      const maxLots = text === undefined ? null : parseLots(text);
      if (maxLots === undefined) return invalidField("maxContracts", `must be ${AMOUNT}`);
      const { withinMillis, maxFills: most = null } = body;
      return { command: { type: "SetGroup", group, withinMillis, maxLots, maxFills: most } };
    },
    render: ({ events }, { caller, params }) => ({
      data: groupRecord(ports, caller.account.id, params.group, changed(events)),
    }),
  });

const resetGroup = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: `${url}/:group/reset`,
    access: "create:orders",
    summary: "Lets a group take orders again whose protection has tripped",
    refusals: ["GROUP_NOT_FOUND"],
    params: GroupParams,
    body: nothing,
    data: GroupRecord,
    toCommand: ({ params: { group } }) => ({ command: { type: "ResetGroup", group } }),
    render: ({ events }, { caller, params }) => ({
      data: groupRecord(ports, caller.account.id, params.group, changed(events)),
    }),
  });

function changed(events: readonly Event[]): OrderGroup | null {
  const event = events.find((candidate) => candidate.type === "GroupChanged");
  invariant(event !== undefined, "a group that is set is an event");
  return event.limits;
}

function* looked(
  ports: TradingPorts,
  id: AccountId,
  after: string | undefined,
): Generator<Looked<Static<typeof GroupRecord>>> {
  const { orderGroups, groupsOf } = ports.view.limits;
  for (const group of [...(groupsOf.get(id) ?? [])].sort()) {
    if (after !== undefined && group <= after) continue;
    const limits = orderGroups.get(groupName(id, group)) ?? null;
    yield { place: group, item: groupRecord(ports, id, group, limits) };
  }
}

function groupRecord(
  { view }: TradingPorts,
  id: AccountId,
  group: string,
  limits: OrderGroup | null,
): Static<typeof GroupRecord> {
  const trippedAt = limits?.trippedAtMillis ?? null;
  const maxLots = limits?.maxLots ?? null;
  return {
    group,
    withinMillis: limits?.withinMillis ?? 0,
    maxContracts: maxLots === null ? null : formatLots(maxLots),
    maxFills: limits?.maxFills ?? null,
    filledContracts: formatLots(limits?.windowLots ?? noLots),
    fills: limits?.windowFills ?? 0,
    tripped: trippedAt !== null,
    trippedAt: trippedAt === null ? null : Math.floor(trippedAt / 1000),
    openOrders: view.limits.groupOrders.get(groupName(id, group))?.size ?? 0,
  };
}

export const groupRoutes = (ports: TradingPorts): readonly Route[] => [
  listGroups(ports),
  setGroup(ports),
  resetGroup(ports),
];
