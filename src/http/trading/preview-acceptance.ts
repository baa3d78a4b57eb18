// POST /api/trading/acceptances/preview: what accepting a quote would buy and cost now; nothing is
// done.
// Invariant: it is the core's own acceptance on a layer over durable records, so a refusal here is
// the refusal that accepting would give.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { formatMicros, micros } from "#base/money.ts";
import { previewCommand } from "#views/preview.ts";
import { problemOf } from "../route/errors.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import {
  AcceptanceBody,
  acceptanceRefusals,
  explainLimit,
  readAcceptance,
} from "./acceptance-input.ts";
import { AcceptanceRecord, acceptanceRecord } from "./acceptance-record.ts";
import { changedIn } from "./acceptances.ts";
import { placedOrders } from "./order-record.ts";
import type { TradingPorts } from "./ports.ts";
import { partOf, shownFill } from "./preview-order.ts";

const AcceptancePreview = Type.Object(
  {
    acceptance: Type.Omit(AcceptanceRecord, ["id", "orderId"]),
    fills: Type.Array(Type.Object({ price: Type.Number(), amount: Type.String() })),
    fee: Type.String(),
    payableNow: Type.String({ description: "USD: what is not lent of the premium, and the fee" }),
    payableInAll: Type.String({ description: "USD: premium, interest and fee" }),
    required: Type.String({
      description: "USD of own cash held back at the highest price it could fill at",
    }),
    available: Type.String(),
    availableAfter: Type.String(),
  },
  { title: "AcceptancePreview" },
);

export const previewAcceptance = (ports: TradingPorts): Route =>
  trading.perform({
    method: "POST",
    isRead: true,
    url: "/api/trading/acceptances/preview",
    access: "create:orders",
    summary: "Shows what accepting a quote would buy and cost now; nothing is done",
    refusals: acceptanceRefusals,
    params: nothing,
    body: AcceptanceBody,
    data: AcceptancePreview,
    perform: async ({ caller, body }) => {
      const read = readAcceptance(body, ports);
      if ("refused" in read) return read;
      const { actor, account } = caller;
      invariant(actor.type === "key", "a trading route is reached with a key");
      const now = ports.engine.status().engineTimeMillis;
      const previewed = previewCommand(ports.view, actor, read.command, now);
      if ("rejection" in previewed) {
        const { rejection } = previewed;
        return { refused: problemOf(rejection, explainLimit(rejection, body)) };
      }
      const { events, requiredMicros, availableMicros, availableAfterMicros } = previewed;
      const [order] = placedOrders(events, account.id, 1);
      invariant(order !== undefined, "an acceptance is one order");
      const acceptance = changedIn(events);
      const { premiumMicros, principalMicros, payments } = acceptance;
      const { fills, feeMicros } = partOf(order, events);
      const interest = payments.reduce((sum, { interestMicros }) => sum + interestMicros, 0n);
      const { id: _unknownYet, orderId: _neither, ...shown } = acceptanceRecord(acceptance);
      return {
        data: {
          acceptance: shown,
          fills: fills.map((fill) => shownFill(order, fill)),
          fee: formatMicros(feeMicros),
          payableNow: formatMicros(micros(premiumMicros - principalMicros + feeMicros)),
          payableInAll: formatMicros(micros(premiumMicros + interest + feeMicros)),
          required: formatMicros(requiredMicros),
          available: formatMicros(availableMicros),
          availableAfter: formatMicros(availableAfterMicros),
        },
      };
    },
  });
