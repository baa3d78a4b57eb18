// An order as it is sent: its fields, what they may not be together, and the command's order in it.
// Invariant: price and amount are read from the digits that were sent; a decimal that is no valid
// price goes on as null, so that the core refuses it in its turn and not before.
import { type Static, type TObject, Type } from "typebox";
import { marketId } from "#base/ids.ts";
import { type Lots, parseLots } from "#base/quantity.ts";
import type { CommandOf } from "#core/command.ts";
import type { Rejection } from "#core/rejection.ts";
import { type ErrorCode, invalidField, type Refused } from "../route/errors.ts";
import { closed } from "../route/route.ts";
import { decimalText } from "../server/json-source.ts";
import type { TradingPorts } from "./ports.ts";
import { nearestPrices, type ReadPrice, readPrice, TICK_TEXT } from "./price-text.ts";

const number = [Type.Number(), Type.String({ minLength: 1, maxLength: 64 })];

export const GROUP_NAME =
  "a group of the account's orders: 1 to 32 letters, digits, dots, dashes and underscores";
const GROUP_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$";

export const GroupName = Type.String({ pattern: GROUP_PATTERN, description: GROUP_NAME });

/** For a path, whose members arrive as they are. */
export const isGroupName = (text: string): boolean => new RegExp(GROUP_PATTERN).test(text);

export const OrderBody = closed(
  {
    marketId: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "a market's id, frontend id or series id",
    }),
    outcomeIndex: Type.Enum([0, 1], { description: "0 (YES) or 1 (NO)" }),
    side: Type.Enum(["BUY", "SELL"], { description: "BUY or SELL" }),
    amount: Type.Union(number, {
      description: "a decimal from 0.01 to 10000000000 with at most 2 decimals",
    }),
    price: Type.Union(number, {
      description: "a plain decimal between 0.0001 and 0.9999 in steps of 0.0001",
    }),
    expiry: Type.Optional(
      Type.Integer({ minimum: 0, description: "Unix seconds, or 0 for no expiry" }),
    ),
    timeInForce: Type.Optional(
      Type.Enum(["GTC", "GTD", "IOC", "FOK"], { description: "GTC, GTD, IOC or FOK" }),
    ),
    postOnly: Type.Optional(Type.Boolean({ description: "true or false" })),
    reduceOnly: Type.Optional(Type.Boolean({ description: "true or false" })),
    cancelOnRelease: Type.Optional(Type.Boolean({ description: "true or false" })),
    group: Type.Optional(GroupName),
    clientOrderId: Type.Optional(
      Type.String({
        pattern: "^[\\x20-\\x7e]{1,64}$",
        description: "1 to 64 printable ASCII characters",
      }),
    ),
    selfTradePrevention: Type.Optional(
      Type.Enum(["cancel_incoming", "cancel_resting", "cancel_both"], {
        description: "cancel_incoming, cancel_resting or cancel_both",
      }),
    ),
  },
  { title: "OrderInput" },
);
type OrderBody = Static<typeof OrderBody>;

/** The codes an order can be refused with, in the order they are checked. */
export const orderRefusals: readonly ErrorCode[] = [
  "ROLE_NOT_TRADER",
  "KYC_REQUIRED",
  "ACCREDITATION_REQUIRED",
  "ACCOUNT_HALTED",
  "EXCHANGE_HALTED",
  "PAYMENT_OVERDUE",
  "MARGIN_CALL",
  "PROTECTION_TRIPPED",
  "GROUP_TRIPPED",
  "MARKET_NOT_FOUND",
  "LISTING_STALE",
  "MARKET_CLOSED",
  "INVALID_PRICE",
  "EXPIRY_PAST",
  "FUND_SHORT",
  "POSITION_LIMIT",
  "OPEN_ORDER_CAP",
  "GROUP_CAP",
  "LISTING_CAP",
  "SERIES_NOT_STANDARD",
  "CLIENT_ORDER_ID_USED",
  "FINANCING_PRICE",
  "FINANCED_POSITION",
  "INSUFFICIENT_BALANCE",
  "CLOSING_PRICE",
];

/** Beyond it a time is in milliseconds: 1e11 seconds is the year 5138. */
const MILLISECONDS_FROM = 1e11;

/** The command an order stands for; it lists its market where that is not listed but could be. */
export function readOrder(
  body: OrderBody,
  ports: TradingPorts,
): { readonly command: CommandOf<"PlaceOrder"> } | Refused {
  const price = sentPrice(body);
  if (price === undefined) return invalidField("price", expected("price"));
  const amountLots = sentAmount(body);
  if (amountLots === undefined) return invalidField("amount", expected("amount"));
  const { expiry = 0, postOnly = false, reduceOnly = false } = body;
  const tooLate = refuseMilliseconds(expiry);
  if (tooLate !== undefined) return tooLate;
  const timeInForce = body.timeInForce ?? (expiry === 0 ? "GTC" : "GTD");
  const clash = contradiction(timeInForce, expiry, postOnly);
  if (clash !== undefined) return clash;

  const market = ports.view.marketByAnyId(body.marketId);
  const listing = market === undefined ? ports.listingFor(body.marketId) : undefined;
  const order = {
    marketId: market?.id ?? listing?.marketId ?? marketId(body.marketId),
    outcomeIndex: body.outcomeIndex,
    side: body.side,
    priceTick: price.tick,
    amountLots,
    expirySeconds: expiry,
    timeInForce,
    postOnly,
    reduceOnly,
    clientOrderId: body.clientOrderId ?? null,
    selfTradePrevention: body.selfTradePrevention ?? "cancel_incoming",
    ...(body.cancelOnRelease === true ? ({ cancelOnRelease: true } as const) : {}),
    ...(body.group === undefined ? {} : { group: body.group }),
  };
  return { command: { type: "PlaceOrder", order, listing: listing ?? null } };
}

export const refuseMilliseconds = (expiry: number): Refused | undefined =>
  expiry >= MILLISECONDS_FROM
    ? invalidField("expiry", "looks like milliseconds; send Unix seconds")
    : undefined;

/** The prices around the one that was refused, for the answer to name. */
export function explainPrice(
  rejection: Rejection,
  body: Partial<OrderBody> | undefined,
): Readonly<Record<string, unknown>> {
  if (rejection.code !== "INVALID_PRICE" || body === undefined) return {};
  const price = sentPrice(body);
  return price === undefined ? {} : { tick: TICK_TEXT, nearest: nearestPrices(price.text) };
}

export function sentPrice(body: Partial<OrderBody>): ReadPrice | undefined {
  const text = decimalText(body, "price", body.price);
  return text === undefined ? undefined : readPrice(text);
}

export function sentAmount(body: Partial<OrderBody>): Lots | undefined {
  const text = decimalText(body, "amount", body.amount);
  return text === undefined ? undefined : parseLots(text);
}

function contradiction(
  timeInForce: string,
  expiry: number,
  postOnly: boolean,
): Refused | undefined {
  const immediate = timeInForce === "IOC" || timeInForce === "FOK";
  if (postOnly && immediate) return clash("postOnly", "true", timeInForce);
  if (timeInForce === "GTD" && expiry === 0) return clash("expiry", "0", timeInForce);
  if (timeInForce !== "GTD" && expiry !== 0) return clash("expiry", "other than 0", timeInForce);
  return undefined;
}

const clash = (field: string, value: string, timeInForce: string): Refused =>
  invalidField("timeInForce", `${timeInForce} contradicts ${field} ${value}`, {
    fields: ["timeInForce", field],
  });

export const expected = (field: "price" | "amount"): string =>
  `must be ${describe(OrderBody, field)}`;

function describe(schema: TObject, field: string): string {
  const member = schema.properties[field];
  const described = member !== undefined && "description" in member;
  return described ? String(member.description) : "valid";
}
