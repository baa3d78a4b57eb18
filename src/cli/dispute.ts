// firstprint dispute …: an objection to a resolution, and the two operators' decision on it.
// Invariant: what a dispute costs is said where it is opened.
import { at } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { field, time } from "./table.ts";

const fields = [
  field("marketId", "market"),
  field("status"),
  field("outcome"),
  field("payoutFraction", "payout fraction"),
  field("settledValue", "settled value"),
  field("disputed"),
  field("disputeWindowEndsAt", "dispute window ends", time),
  field("attribution"),
];

const openDispute: CliCommand = {
  words: "dispute open",
  about: "Dispute a resolution; a bond is taken, and comes back if the resolution is amended",
  takes: ["market"],
  options: {
    reason: { value: "text", required: true, about: "what is wrong" },
    evidence: { value: "text", about: "where it can be seen" },
  },
  example: 'dispute open mkt-001 --reason "the file says 301000"',
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post("/api/markets/{id}/disputes", {
      id: args.word("market"),
      ...args.given("reason", "evidence"),
    });
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const decideDispute: CliCommand = {
  words: "dispute decide",
  about: "Propose a decision on a dispute, or agree: the second person's word decides",
  takes: ["market", "uphold|amend"],
  options: {
    value: { value: "decimal", about: "of an amendment: what the provider first published" },
    evidence: { value: "text", about: "where it can be seen" },
  },
  example: "dispute decide mkt-001 amend --value 301000",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const decision = { decision: args.word("uphold|amend"), ...args.given("value", "evidence") };
    const answer = await exchange.post("/api/admin/markets/{id}/dispute-decision", {
      id: args.word("market"),
      ...decision,
    });
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

export const disputeCommands: readonly CliCommand[] = [openDispute, decideDispute];
