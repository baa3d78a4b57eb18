// POST /api/admin/funding-limit: what one operator funds alone in a day.
// Invariant: it is lowered at once, and raised only by a second person's word.
import { Type } from "typebox";
import { micros } from "#base/money.ts";
import { rulesShown } from "#core/rules.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

export const setFundingLimit = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/funding-limit",
    access: "admin:exchange",
    summary: "Sets what one operator funds alone in a day; it takes two people to raise it",
    refusals: ["PROPOSAL_SAME_OPERATOR", "PROPOSAL_LIMIT"],
    otherStatuses: [202],
    params: nothing,
    body: closed({
      limit: Type.Integer({
        minimum: 0,
        maximum: 1e12,
        description: "whole USD from 0 to 1000000000000",
      }),
    }),
    data: Type.Object({ fundingLimit: Type.Number(), ...Waiting }),
    toCommand: ({ body }) => {
      const limitMicros = micros(BigInt(body.limit) * 1_000_000n);
      return { command: { type: "SetFundingLimit", limitMicros } };
    },
    render: ({ events }) => {
      const { proposal, status } = waitingIn(events);
      const rules = events.findLast((event) => event.type === "RulesChanged")?.rules;
      const { fundingLimit: limit } = rulesShown(rules ?? ports.exchange.rules);
      return { data: { fundingLimit: limit, ...proposal }, ...status };
    },
  });
