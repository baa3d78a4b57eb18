// firstprint order …: placing, amending, cancelling and looking at orders with a trading key.
// Invariant: amount and price travel as the digits that were typed; nothing is read as a float.
import { at, items } from "./answer.ts";
import type { Arguments } from "./arguments.ts";
import type { CliCommand } from "./command.ts";
import type { Members } from "./exchange.ts";
import { UsageFault } from "./faults.ts";
import { amountText } from "./figures.ts";
import { secondsOf } from "./instant.ts";
import { cursorOptions, cursorRemark, fillFields } from "./portfolio.ts";
import { field, plain, time } from "./table.ts";

const outcomeField = field("outcomeIndex", "outcome", (index) => (index === 0 ? "YES" : "NO"));

const mainFields = [
  field("id"),
  field("marketId", "market"),
  field("side"),
  outcomeField,
  field("amount", "contracts"),
  field("price", "limit price"),
  field("status"),
  field("filledAmount", "filled"),
];
const placedField = field("createdAt", "placed", time);

const orderFields = [
  ...mainFields,
  field("cancelReason", "cancelled because"),
  field("timeInForce", "time in force"),
  field("postOnly", "post-only"),
  field("reduceOnly", "reduce-only"),
  field("cancelOnRelease", "cancel on release"),
  field("group"),
  field("expiry", "expires", (seconds) => (seconds === 0 ? "-" : time(seconds))),
  field("clientOrderId", "client order id"),
  placedField,
];

const listFields = [...mainFields, placedField];

const takes = ["market", "buy|sell", "amount", "price"] as const;

const ways = {
  no: { about: "the NO outcome; YES when left out" },
  expiry: { value: "time", about: "cancelled then; a time or Unix seconds" },
  "time-in-force": { value: "kind", about: "GTC, GTD, IOC or FOK" },
  "post-only": { about: "cancelled rather than matched at once" },
  "reduce-only": { about: "brings the position nearer to flat, and never through it" },
  "cancel-on-release": { about: "cancelled when a release of its index is awaited" },
  group: { value: "name", about: "a group of your orders, with a protection of its own" },
  "self-trade": { value: "rule", about: "cancel_incoming, cancel_resting or cancel_both" },
  "client-order-id": { value: "text", about: "a name of your own, accepted once" },
};

function orderBody(args: Arguments): Members {
  const expiry = args.option("expiry");
  const timeInForce = args.option("time-in-force")?.toUpperCase();
  const selfTradePrevention = args.option("self-trade");
  const clientOrderId = args.option("client-order-id");
  return {
    marketId: args.word("market"),
    outcomeIndex: args.flag("no") ? 1 : 0,
    side: sideOf(args.word("buy|sell")),
    amount: amountText(args.word("amount")),
    price: args.word("price"),
    ...(expiry === undefined ? {} : { expiry: secondsOf(expiry, "--expiry") }),
    ...(timeInForce === undefined ? {} : { timeInForce }),
    ...(args.flag("post-only") ? { postOnly: true } : {}),
    ...(args.flag("reduce-only") ? { reduceOnly: true } : {}),
    ...(args.flag("cancel-on-release") ? { cancelOnRelease: true } : {}),
    ...args.given("group"),
    ...(selfTradePrevention === undefined ? {} : { selfTradePrevention }),
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
  };
}

const placeOrder: CliCommand = {
  words: "order place",
  about: "Place one order; the answer shows it after it has met the book",
  takes,
  options: ways,
  example: "order place srs.zhvi.state-tx.b2024-10.e2025-04.L0200-1000 buy 50000 0.0412",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post("/api/trading/orders", orderBody(args));
    screen.show(answer, () => screen.record(orderFields, at(answer.json, "data")));
    return undefined;
  },
};

const previewFields = [
  field("order.status", "status"),
  field("order.amount", "contracts"),
  field("order.filledAmount", "filled"),
  field("order.cancelReason", "cancelled because"),
  field("fills", "fills", (fills) =>
    plain(items(fills).map((fill) => `${at(fill, "amount")} at ${at(fill, "price")}`)),
  ),
  field("cost"),
  field("fee"),
];
const balanceFields = [
  field("required"),
  field("available"),
  field("availableAfter", "available after"),
];

const previewOrder: CliCommand = {
  words: "order preview",
  about: "Show what an order would do now; nothing is done",
  takes,
  options: ways,
  example: "order preview mkt-001 sell 250 0.18 --reduce-only",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post("/api/trading/orders/preview", orderBody(args));
    const data = at(answer.json, "data");
    screen.show(answer, () =>
      [
        screen.record(previewFields, at(data, "orders.0")),
        "",
        screen.record(balanceFields, data),
      ].join("\n"),
    );
    return undefined;
  },
};

const idUrl = "/api/trading/orders/{orderId}";
const referenceUrl = "/api/trading/orders/by-client-id/{clientOrderId}";

/** `client:spring-7` is the account's own reference. */
const referenceIn = (word: string): string | undefined => /^client:(.+)$/.exec(word)?.[1];

const amendOrder: CliCommand = {
  words: "order amend",
  about: "Change an open order; a new price or a larger amount goes to the end of the queue",
  takes: ["order"],
  options: {
    price: { value: "price", about: "the new limit" },
    amount: { value: "amount", about: "the new total, what is filled included" },
    expiry: { value: "time", about: "a time or Unix seconds; 0 = until cancelled" },
  },
  example: "order amend ord-12 --price 0.0425 --amount 40000",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const [price, amount] = [args.option("price"), args.option("amount")];
    const expiry = args.option("expiry");
    const changes = {
      ...(price === undefined ? {} : { price }),
      ...(amount === undefined ? {} : { amount: amountText(amount) }),
      ...(expiry === undefined
        ? {}
        : { expiry: expiry === "0" ? 0 : secondsOf(expiry, "--expiry") }),
    };
    const orderId = args.word("order");
    const clientOrderId = referenceIn(orderId);
    const answer =
      clientOrderId === undefined
        ? await exchange.patch(idUrl, { orderId, ...changes })
        : await exchange.patch(referenceUrl, { clientOrderId, ...changes });
    screen.show(answer, () => screen.record(orderFields, at(answer.json, "data")));
    return undefined;
  },
};

export function sideOf(text: string): "BUY" | "SELL" {
  const side = text.toUpperCase();
  if (side === "BUY" || side === "SELL") return side;
  throw new UsageFault(`the side must be buy or sell, not "${text}"`);
}

const cancelOrder: CliCommand = {
  words: "order cancel",
  about: "Take an open order off the book",
  takes: ["order"],
  example: "order cancel ord-12",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const orderId = args.word("order");
    const clientOrderId = referenceIn(orderId);
    const answer =
      clientOrderId === undefined
        ? await exchange.delete(idUrl, { orderId })
        : await exchange.delete(referenceUrl, { clientOrderId });
    screen.show(answer, () => `Cancelled ${orderId}.`);
    return undefined;
  },
};

const cancelAll: CliCommand = {
  words: "order cancel-all",
  about: "Cancel every open order of the account, or those that have all that is given",
  options: {
    market: { value: "market", about: "only the orders of this market" },
    orders: { value: "names", about: "only these: ids, or client:reference, with commas" },
    place: { value: "place", about: "only of markets of this place and those that lie in it" },
    index: { value: "index", about: "only of zhvi, zori, vacancy or weather" },
    side: { value: "buy|sell", about: "only the orders of this side" },
    group: { value: "name", about: "only the orders of this group" },
  },
  example: "order cancel-all --market mkt-001",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const marketId = args.option("market");
    const side = args.option("side");
    const answer = await exchange.post("/api/trading/orders/cancel-all", {
      ...(marketId === undefined ? {} : { marketId }),
      ...(side === undefined ? {} : { side: sideOf(side) }),
      ...namesIn(args.option("orders")),
      ...args.given("place", "index", "group"),
    });
    screen.show(answer, () => `Orders cancelled: ${at(answer.json, "data.cancelledCount")}.`);
    const missed = items(at(answer.json, "data.missed"));
    if (missed.length > 0) screen.note(`Not open: ${missed.join(", ")}.`);
    return undefined;
  },
};

function namesIn(list: string | undefined) {
  const names = list?.split(",") ?? [];
  const clientOrderIds = names.flatMap((name) => referenceIn(name) ?? []);
  const orderIds = names.filter((name) => referenceIn(name) === undefined);
  return {
    ...(orderIds.length === 0 ? {} : { orderIds }),
    ...(clientOrderIds.length === 0 ? {} : { clientOrderIds }),
  };
}

const listOrders: CliCommand = {
  words: "order list",
  about: "List the account's orders, newest first",
  options: {
    market: { value: "market", about: "only the orders of this market" },
    status: { value: "status", about: "OPEN, PARTIALLY_FILLED, FILLED or CANCELLED" },
    ...cursorOptions,
  },
  example: "order list --status open",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const marketId = args.option("market");
    const status = args.option("status")?.toUpperCase();
    const answer = await exchange.read("/api/trading/orders", {
      ...(marketId === undefined ? {} : { marketId }),
      ...(status === undefined ? {} : { status }),
      ...args.given("limit", "cursor"),
    });
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(listFields, rows, "No orders."));
    cursorRemark(screen, answer);
    return undefined;
  },
};

const cancelAfter: CliCommand = {
  words: "order cancel-after",
  about: "Cancel every open order after so many seconds, unless it is sent again before; 0 disarms",
  takes: ["seconds"],
  options: { market: { value: "market", about: "only the orders of this market" } },
  example: "order cancel-after 60",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const marketId = args.option("market");
    const answer = await exchange.post("/api/trading/cancel-after", {
      seconds: wholeOf(args.word("seconds")),
      ...(marketId === undefined ? {} : { marketId }),
    });
    const cancelAt = at(answer.json, "data.cancelAt");
    screen.show(answer, () =>
      cancelAt === null ? "Disarmed." : `Open orders are cancelled at ${time(cancelAt)}.`,
    );
    return undefined;
  },
};

const showOrder: CliCommand = {
  words: "order show",
  about: "Show one order and its newest fills",
  takes: ["order"],
  example: "order show ord-12",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const word = args.word("order");
    const clientOrderId = referenceIn(word);
    const answer =
      clientOrderId === undefined
        ? await exchange.read(idUrl, { orderId: word })
        : await exchange.read(referenceUrl, { clientOrderId });
    const orderId = plain(at(answer.json, "data.id"));
    const fills = await exchange.read("/api/trading/fills", { orderId });
    const rows = items(at(fills.json, "data"));
    screen.show(answer, () => `${screen.record(orderFields, at(answer.json, "data"))}\n\n`);
    screen.show(fills, () => screen.table(fillFields, rows, "No fills."));
    return undefined;
  },
};

function wholeOf(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw new UsageFault(`seconds must be a whole number, not "${text}"`);
}

export const orderCommands: readonly CliCommand[] = [
  placeOrder,
  previewOrder,
  amendOrder,
  cancelOrder,
  cancelAll,
  cancelAfter,
  listOrders,
  showOrder,
];
