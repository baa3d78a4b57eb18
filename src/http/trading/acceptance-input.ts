// The body of an acceptance, read into its command: the same to accept it and to look first.
// Invariant: each structure takes its own fields and no other's; a price is read from its text.
import { type Static, Type } from "typebox";
import { marketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { parseLots } from "#base/quantity.ts";
import type { PremiumStructure } from "#core/acceptance/records.ts";
import type { CommandOf } from "#core/command.ts";
import type { Rejection } from "#core/rejection.ts";
import { invalidField, invalidFields, type Refused } from "../route/errors.ts";
import { closed } from "../route/route.ts";
import { decimalText } from "../server/json-source.ts";
import { structureNames } from "./acceptance-record.ts";
import { OrderBody, orderRefusals } from "./order-input.ts";
import type { TradingPorts } from "./ports.ts";
import { nearestPrices, readPrice, TICK_TEXT } from "./price-text.ts";

const { marketId: MarketName, amount: Amount, price: Price, clientOrderId } = OrderBody.properties;
const Bps = (most: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: most, description }));

export const AcceptanceBody = closed(
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
export type AcceptanceBody = Static<typeof AcceptanceBody>;

/** Beyond it a time is in milliseconds. */
const MILLISECONDS_FROM = 1e11;

export const acceptanceRefusals = [
  ...orderRefusals,
  "FINANCING_TERMS",
  "FINANCING_LIMIT",
  "FINANCING_POOL",
] as const;

export function readAcceptance(
  body: AcceptanceBody,
  ports: TradingPorts,
): { readonly command: CommandOf<"AcceptQuote"> } | Refused {
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
}

/** Details of a refusal that the core cannot know: the prices next to the one that was sent. */
export function explainLimit({ code }: Rejection, body: AcceptanceBody) {
  if (code !== "INVALID_PRICE") return {};
  const text = decimalText(body, "limitPrice", body.limitPrice) ?? "";
  return { tick: TICK_TEXT, nearest: nearestPrices(text) };
}

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
