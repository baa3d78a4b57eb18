// firstprint margin …, risk …: what margin would ask, by scenario; the scenarios, and the fund.
// Invariant: shows what the exchange says; nothing is computed here.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { amountText } from "./figures.ts";
import { sideOf } from "./order.ts";
import { field } from "./table.ts";

const previewFields = [
  field("cash"),
  field("liabilities"),
  field("maintenanceMargin", "maintenance margin"),
  field("initialMargin", "initial margin"),
  field("locked"),
  field("available"),
  field("marginHealth", "margin health"),
  field("bindingScenario", "binding scenario"),
];
const needFields = [
  field("id", "scenario"),
  field("maintenance"),
  field("initial"),
  field("locked"),
  field("title", "what happens"),
];

const preview: CliCommand = {
  words: "margin preview",
  about: "Show the margin of one more position, or with --resting order; nothing is done",
  takes: ["market", "buy|sell", "amount", "price"],
  options: {
    no: { about: "the NO outcome; YES when left out" },
    resting: { about: "as an order in the book, not as filled" },
  },
  example: "margin preview mkt-001 sell 10000 0.08",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const line = {
      marketId: args.word("market"),
      outcomeIndex: args.flag("no") ? 1 : 0,
      side: sideOf(args.word("buy|sell")),
      amount: amountText(args.word("amount")),
      price: args.word("price"),
    };
    const body = args.flag("resting") ? { orders: [line] } : { positions: [line] };
    const answer = await exchange.post("/api/trading/margin/preview", body);
    const data = at(answer.json, "data");
    screen.show(answer, () =>
      [
        screen.record(previewFields, data),
        "",
        screen.table(needFields, items(at(data, "scenarios")), "There are no scenarios."),
      ].join("\n"),
    );
    return undefined;
  },
};

const riskFields = [
  field("fund.balance", "guarantee fund"),
  field("fund.setAside", "set aside"),
  field("fund.spare", "spare"),
  field("cover1", "the weakest owner lacks"),
  field("cover2", "the two weakest lack"),
  field("isCovered", "covered"),
];
const scenarioFields = [
  field("id", "scenario"),
  field("direction"),
  field("title", "what happens"),
];

const showRisk: CliCommand = {
  words: "risk show",
  about: "Show the guarantee fund, and the scenarios that margin is measured by",
  example: "risk show",
  needs: "public",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/risk", {});
    const listed = await exchange.read("/api/risk/scenarios", {});
    const scenarios = items(at(listed.json, "data.scenarios"));
    screen.show(answer, () =>
      [
        screen.record(riskFields, at(answer.json, "data")),
        "",
        screen.table(scenarioFields, scenarios, "There are no scenarios."),
      ].join("\n"),
    );
    return undefined;
  },
};

export const marginCommands: readonly CliCommand[] = [preview, showRisk];
