// firstprint order …: placing, cancelling and looking at orders with a trading key.
// Invariant: amount and price travel as the digits that were typed; nothing is read as a float.
import { at, items } from "./answer.ts";
import type { Command } from "./command.ts";
import { path } from "./exchange.ts";
import { UsageFault } from "./faults.ts";
import { secondsOf } from "./instant.ts";
import { cursorOptions, cursorRemark, fillFields } from "./portfolio.ts";
import { field, time } from "./table.ts";

const outcomeField = field("outcomeIndex", "outcome", (index) => (index === 0 ? "YES" : "NO"));

const orderFields = [
  field("id"),
  field("marketId", "market"),
  field("side"),
  outcomeField,
  field("amount"),
  field("price"),
  field("status"),
  field("filledAmount", "filled"),
  field("cancelReason", "cancelled because"),
  field("timeInForce", "time in force"),
  field("expiry", "expires", (seconds) => (seconds === 0 ? "-" : time(seconds))),
  field("clientOrderId", "client order id"),
  field("createdAt", "placed", time),
];

const listFields = [
  field("id"),
  field("marketId", "market"),
  field("side"),
  outcomeField,
  field("amount"),
  field("price"),
  field("status"),
  field("filledAmount", "filled"),
  field("createdAt", "placed", time),
];

const placeOrder: Command = {
  words: "order place",
  about: "Place one order; the answer shows it after it has met the book",
  takes: ["market", "buy|sell", "amount", "price"],
  options: {
    no: { about: "the NO outcome; YES when left out" },
    expiry: { value: "time", about: "cancelled then; a time or Unix seconds" },
    "time-in-force": { value: "kind", about: "GTC, GTD, IOC or FOK" },
    "post-only": { about: "cancelled rather than matched at once" },
    "client-order-id": { value: "text", about: "a name of your own, accepted once" },
  },
  example: "order place srs.zhvi.state-tx.b2024-10.e2025-04.L0200-1000 buy 50000 0.0412",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const expiry = args.option("expiry");
    const timeInForce = args.option("time-in-force")?.toUpperCase();
    const clientOrderId = args.option("client-order-id");
    const answer = await exchange.post("/api/trading/orders", {
      marketId: args.word("market"),
      outcomeIndex: args.flag("no") ? 1 : 0,
      side: sideOf(args.word("buy|sell")),
      amount: args.word("amount"),
      price: args.word("price"),
      ...(expiry === undefined ? {} : { expiry: secondsOf(expiry, "--expiry") }),
      ...(timeInForce === undefined ? {} : { timeInForce }),
      ...(args.flag("post-only") ? { postOnly: true } : {}),
      ...(clientOrderId === undefined ? {} : { clientOrderId }),
    });
    screen.show(answer, () => screen.record(orderFields, at(answer.json, "data")));
    return undefined;
  },
};

function sideOf(text: string): "BUY" | "SELL" {
  const side = text.toUpperCase();
  if (side === "BUY" || side === "SELL") return side;
  throw new UsageFault(`the side is buy or sell, not "${text}"`);
}

const cancelOrder: Command = {
  words: "order cancel",
  about: "Take an open order off the book",
  takes: ["order"],
  example: "order cancel ord-12",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const order = args.word("order");
    const answer = await exchange.delete(path`/api/trading/orders/${order}`);
    screen.show(answer, () => `Cancelled ${order}.`);
    return undefined;
  },
};

const cancelAll: Command = {
  words: "order cancel-all",
  about: "Cancel every open order of the account, or those of one market",
  options: { market: { value: "market", about: "only the orders of this market" } },
  example: "order cancel-all --market mkt-001",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const marketId = args.option("market");
    const body = marketId === undefined ? {} : { marketId };
    const answer = await exchange.post("/api/trading/orders/cancel-all", body);
    screen.show(answer, () => `Orders cancelled: ${at(answer.json, "data.cancelledCount")}.`);
    return undefined;
  },
};

const listOrders: Command = {
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

const showOrder: Command = {
  words: "order show",
  about: "Show one order and its newest fills",
  takes: ["order"],
  example: "order show ord-12",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const orderId = args.word("order");
    const answer = await exchange.read(path`/api/trading/orders/${orderId}`, {});
    const fills = await exchange.read("/api/trading/fills", { orderId });
    const rows = items(at(fills.json, "data"));
    screen.show(answer, () => `${screen.record(orderFields, at(answer.json, "data"))}\n\n`);
    screen.show(fills, () => screen.table(fillFields, rows, "No fills."));
    return undefined;
  },
};

export const orderCommands: readonly Command[] = [
  placeOrder,
  cancelOrder,
  cancelAll,
  listOrders,
  showOrder,
];
