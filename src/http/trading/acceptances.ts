// /api/trading/acceptances: accepting a quote with the premium paid as chosen, what is owed for it,
// and paying it early.
// Invariant: an answer is read from the command's own events, so a replay shows the same.
import { type Static, Type } from "typebox";
import { type AcceptanceId, type AccountId, acceptanceId, marketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { parseLots } from "#base/quantity.ts";
import type { Acceptance, PremiumStructure } from "#core/acceptance/records.ts";
import type { Event } from "#core/event.ts";
import { acceptanceSubject } from "#core/order/filed.ts";
import { acceptanceIn } from "#views/done-orders.ts";
import { invalidField, invalidFields, type Refused, refuse } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { decimalText } from "../server/json-source.ts";
import { AcceptanceRecord, acceptanceRecord, structureNames } from "./acceptance-record.ts";
import { OrderBody, orderRefusals } from "./order-input.ts";
import { type Looked, listQuery, listSiblings, ownScope, pageOf, startOf } from "./own-list.ts";
import type { TradingPorts } from "./ports.ts";
import { nearestPrices, readPrice, TICK_TEXT } from "./price-text.ts";

const { marketId: MarketName, amount: Amount, price: Price, clientOrderId } = OrderBody.properties;
const Bps = (most: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: most, description }));

const AcceptanceBody = closed(
  {
    marketId: MarketName,
    amount: Amount,
    limitPrice: Price,
    structure: Type.Enum([...structureNames], {
      description: `one of ${structureNames.join(", ")}`,
    }),
    downPaymentBps: Bps(9_999, "installments: the part of the premium paid at once, 0 to 9999"),
    months: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 60, description: "installments: how many, 1 to 60" }),
    ),
    aprBps: Bps(100_000, "the yearly rate that was shown, in basis points"),
    fundingAt: Type.Optional(
      Type.Integer({ minimum: 1, description: "at_funding: when it is owed, Unix seconds" }),
    ),
    clientOrderId,
  },
  { title: "AcceptanceInput" },
);
type AcceptanceBody = Static<typeof AcceptanceBody>;

/** Beyond it a time is in milliseconds. */
const MILLISECONDS_FROM = 1e11;

export const acceptQuote = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/acceptances",
    access: "create:orders",
    summary: "Accepts a quote: buys the protection now, its premium paid as chosen",
    refusals: [...orderRefusals, "FINANCING_TERMS", "FINANCING_LIMIT", "FINANCING_POOL"],
    params: nothing,
    body: AcceptanceBody,
    data: AcceptanceRecord,
    toCommand: ({ body }) => {
      const text = decimalText(body, "limitPrice", body.limitPrice);
      const price = text === undefined ? undefined : readPrice(text);
      if (price === undefined) return invalidField("limitPrice", "must be a plain decimal");
      const amount = decimalText(body, "amount", body.amount);
      const amountLots = amount === undefined ? undefined : parseLots(amount);
      if (amountLots === undefined) {
        return invalidField("amount", "must be a decimal from 0.01 with at most 2 decimals");
      }
      const structure = structureOf(body);
      if ("refused" in structure) return structure;
      const market = ports.view.marketByAnyId(body.marketId);
      const listing = market === undefined ? ports.listingFor(body.marketId) : undefined;
      const order = {
        marketId: market?.id ?? listing?.marketId ?? marketId(body.marketId),
        outcomeIndex: 0 as const,
        side: "BUY" as const,
        priceTick: price.tick,
        amountLots,
        expirySeconds: 0,
        // The amount owed is known when it is answered: no part of the order rests.
        timeInForce: "IOC" as const,
        postOnly: false,
        reduceOnly: false,
        clientOrderId: body.clientOrderId ?? null,
        selfTradePrevention: "cancel_incoming" as const,
      };
      const terms = market?.terms ?? listing?.terms;
      const referenceTick = terms === undefined ? null : (ports.limitTickFor(terms) ?? null);
      return {
        command: {
          type: "AcceptQuote",
          order,
          listing: listing ?? null,
          structure,
          referenceTick,
        },
      };
    },
    render: ({ events }) => ({ data: acceptanceRecord(changedIn(events)) }),
    explain: ({ code }, { body }) => {
      if (code !== "INVALID_PRICE") return {};
      const text = decimalText(body, "limitPrice", body.limitPrice) ?? "";
      return { tick: TICK_TEXT, nearest: nearestPrices(text) };
    },
  });

/** Each structure takes its own fields and no other's. */
function structureOf(body: AcceptanceBody): PremiumStructure | Refused {
  const { structure: kind, downPaymentBps, months, aprBps, fundingAt } = body;
  const given = { downPaymentBps, months, aprBps, fundingAt };
  const isGiven = ([, value]: readonly [string, unknown]): boolean => value !== undefined;
  const due = fieldsOf[kind];
  const foreign = Object.entries(given).filter((one) => isGiven(one) && !due.includes(one[0]));
  const missing = Object.entries(given).filter((one) => !isGiven(one) && due.includes(one[0]));
  const faults = [
    ...foreign.map(([field]) => ({ field, message: `contradicts structure ${kind}` })),
    ...missing.map(([field]) => ({ field, message: `is required for structure ${kind}` })),
  ];
  if (faults.length > 0) {
    const fields = ["structure", ...foreign.map(([field]) => field)];
    return invalidFields(faults, foreign.length === 0 ? undefined : { fields });
  }

  if (kind === "in_full") return { kind };
  if (kind === "installments") {
    invariant(downPaymentBps !== undefined && months !== undefined, "what is due is given");
    invariant(aprBps !== undefined, "what is due is given");
    return { kind, downPaymentBps, months, aprBps };
  }
  invariant(fundingAt !== undefined && aprBps !== undefined, "what is due is given");
  return fundingAt >= MILLISECONDS_FROM
    ? invalidField("fundingAt", "looks like milliseconds; send Unix seconds")
    : { kind, fundsAtMillis: fundingAt * 1000, aprBps };
}

const fieldsOf: Readonly<Record<PremiumStructure["kind"], readonly string[]>> = {
  in_full: [],
  installments: ["downPaymentBps", "months", "aprBps"],
  at_funding: ["aprBps", "fundingAt"],
};

/** As the command left it. */
function changedIn(events: readonly Event[]): Acceptance {
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
