// GET and POST /api/admin/guarantee: what the fund has, holds and owes; an operator's deposit.
// Invariant: the fund takes deposits and gives none back; what it owes is told at mark and at most.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { formatMicros, MOST_MICROS, parseMicros } from "#base/money.ts";
import { formatLots } from "#base/quantity.ts";
import { owedAtMost } from "#core/margin/health.ts";
import { microsUp } from "#core/margin/requirement.ts";
import { GUARANTEE } from "#core/step.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

const Balance = Type.String({ description: "USD, decimal string" });

export const showGuarantee = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.read({
    url: "/api/admin/guarantee",
    access: "admin:read",
    summary: "Shows what the guarantee fund has, holds and owes",
    params: nothing,
    query: nothing,
    data: Type.Object(
      {
        balance: Balance,
        positions: Type.Array(
          Type.Object({
            marketId: Type.String(),
            contracts: Type.String({ description: "contracts it owes, taken over" }),
            atMark: Type.String({ description: "USD they are worth now" }),
            atMost: Type.String({ description: "USD they can still cost" }),
          }),
        ),
        owedAtMark: Type.String(),
        owedAtMost: Type.String(),
      },
      { title: "GuaranteeFund" },
    ),
    read: () => {
      const { exchange } = ports;
      const totals = exchange.exposures.shortTotals(GUARANTEE);
      const positions = exchange.exposures.shorts(GUARANTEE).map((short) => ({
        marketId: short.marketId,
        contracts: formatLots(short.shortLots),
        atMark: usd(short.shortLots * short.rate.liability),
        atMost: formatMicros(owedAtMost(short)),
      }));
      return {
        data: {
          balance: formatMicros(exchange.balance("guarantee")),
          positions,
          owedAtMark: usd(totals.liabilityParts),
          owedAtMost: formatMicros(owedAtMost(totals)),
        },
      };
    },
  });

const usd = (parts: bigint): string => formatMicros(microsUp(parts));

export const fundGuarantee = (): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/guarantee",
    access: "admin:funding",
    summary:
      "Puts cash into the guarantee fund, or into the exchange's own layer of it; above a limit " +
      "it takes two people",
    refusals: ["PROPOSAL_SAME_OPERATOR", "PROPOSAL_LIMIT"],
    otherStatuses: [202],
    params: nothing,
    body: closed({
      amount: Type.String({ maxLength: 40, description: "a decimal string" }),
      layer: Type.Optional(
        Type.Enum(["exchange"], { description: "into the exchange's own layer of the fund" }),
      ),
      memo: Type.Optional(
        Type.String({ maxLength: 200, description: "text of at most 200 characters" }),
      ),
    }),
    data: Type.Object({ balance: Balance, ...Waiting }),
    toCommand: ({ body }) => {
      const amountMicros = parseMicros(body.amount);
      if (amountMicros === undefined || amountMicros <= 0n || amountMicros > MOST_MICROS) {
        return invalidField(
          "amount",
          'must be a decimal string such as "250000.00" with at most 6 decimals, ' +
            "above zero, at most 1000000000000",
        );
      }
      const { layer, memo = null } = body;
      const into = layer === undefined ? {} : { layer };
      return { command: { type: "FundGuarantee", ...into, amountMicros, memo } };
    },
    render: ({ events }) => {
      const funded = events.find((event) => event.type === "GuaranteeFunded");
      invariant(funded !== undefined, "a deposit says what it left");
      const { proposal, status } = waitingIn(events);
      return { data: { balance: formatMicros(funded.balanceMicros), ...proposal }, ...status };
    },
  });
