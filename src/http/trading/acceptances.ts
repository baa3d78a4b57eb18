// /api/trading/acceptances: accepting a quote with the premium paid as chosen, what is owed for it,
// and paying it early.
// Invariant: an answer is read from the command's own events, so a replay shows the same.
import { Type } from "typebox";
import { type AcceptanceId, type AccountId, acceptanceId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Acceptance } from "#core/acceptance/records.ts";
import type { Event } from "#core/event.ts";
import { acceptanceSubject } from "#core/order/filed.ts";
import { acceptanceIn } from "#views/done-orders.ts";
import { refuse } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import {
  AcceptanceBody,
  acceptanceRefusals,
  explainLimit,
  readAcceptance,
} from "./acceptance-input.ts";
import { AcceptanceRecord, acceptanceRecord } from "./acceptance-record.ts";
import { type Looked, listQuery, listSiblings, ownScope, pageOf, startOf } from "./own-list.ts";
import type { TradingPorts } from "./ports.ts";

export const acceptQuote = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/acceptances",
    access: "create:orders",
    summary: "Accepts a quote: buys the protection now, its premium paid as chosen",
    refusals: acceptanceRefusals,
    params: nothing,
    body: AcceptanceBody,
    data: AcceptanceRecord,
    toCommand: ({ body }) => readAcceptance(body, ports),
    render: ({ events }) => ({ data: acceptanceRecord(changedIn(events)) }),
    explain: (rejection, { body }) => explainLimit(rejection, body),
  });

/** As the command left it. */
export function changedIn(events: readonly Event[]): Acceptance {
  const changed = events.findLast((event) => event.type === "AcceptanceChanged");
  invariant(changed !== undefined, "the command changes an acceptance");
  return changed.acceptance;
}

export const listAcceptances = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/acceptances",
    access: "read:portfolio",
    summary: "Acceptances that filled, oldest first, with what is owed on each",
    costsBytes: true,
    params: nothing,
    query: closed(listQuery),
    data: Type.Array(AcceptanceRecord),
    siblings: listSiblings,
    read: async ({ caller, query }) => {
      const scope = ownScope("acceptances", caller);
      const start = startOf(scope, query);
      if ("refused" in start) return start;
      const own = ports.view.acceptancesOf(caller.account.id);
      const { items, siblings } = await pageOf(scope, query, acceptancesAfter(start.place, own));
      return { data: items.map(acceptanceRecord), siblings };
    },
  });

function* acceptancesAfter(
  place: string | undefined,
  own: readonly Acceptance[],
): Generator<Looked<Acceptance>> {
  const start = own.findIndex(({ id }) => id === place) + 1;
  for (const item of own.slice(start)) yield { place: item.id, item };
}

const named = Type.Object({ acceptanceId: Type.String({ maxLength: 64 }) });

export const showAcceptance = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/acceptances/:acceptanceId",
    access: "read:portfolio",
    summary: "An acceptance and its schedule",
    refusals: ["ACCEPTANCE_NOT_FOUND", "OVERLOADED"],
    params: named,
    query: nothing,
    data: AcceptanceRecord,
    read: async ({ caller, params }) => {
      const id = acceptanceId(params.acceptanceId.toLowerCase());
      const own =
        ports.view.acceptancesOf(caller.account.id).find((one) => one.id === id) ??
        (await unfilled(ports, caller.account.id, id));
      return own === undefined ? refuse("ACCEPTANCE_NOT_FOUND") : { data: acceptanceRecord(own) };
    },
  });

/** One that filled nothing is in the journal alone. */
async function unfilled(
  { engine }: Pick<TradingPorts, "engine">,
  account: AccountId,
  id: AcceptanceId,
): Promise<Acceptance | undefined> {
  // The database takes no text with a zero byte: only a name of ours is looked up.
  if (!/^acp-[1-9]\d{0,15}$/.test(id)) return undefined;
  const subjects = [acceptanceSubject(account, id)] as const;
  const range = { subjects, after: 0, before: Number.MAX_SAFE_INTEGER, order: "newest" } as const;
  const [entry] = await engine.history.touching(range, 1);
  return entry === undefined ? undefined : acceptanceIn(entry, account, id);
}

export const payAcceptance = (): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/acceptances/:acceptanceId/payments",
    access: "create:orders",
    summary: "Pays all that is open up to a payment of the schedule, early without its interest",
    refusals: [
      "ACCEPTANCE_NOT_FOUND",
      "PAYMENT_NOT_OPEN",
      "MARGIN_CALL",
      "IN_DEFAULT",
      "INSUFFICIENT_BALANCE",
    ],
    params: named,
    body: closed({
      through: Type.Integer({ minimum: 1, maximum: 60, description: "a payment's number" }),
    }),
    data: AcceptanceRecord,
    toCommand: ({ params, body }) => ({
      command: {
        type: "PayAcceptance",
        acceptanceId: acceptanceId(params.acceptanceId.toLowerCase()),
        through: body.through,
      },
    }),
    render: ({ events }) => ({ data: acceptanceRecord(changedIn(events)) }),
  });
