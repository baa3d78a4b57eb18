// firstprint guarantee …: what the guarantee fund has, holds and owes; a deposit, as the operator.
// Invariant: shows what the exchange says; nothing is computed here.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { amountText } from "./figures.ts";
import { field } from "./table.ts";

const fundFields = [
  field("balance"),
  field("owedAtMark", "owed at the mark"),
  field("owedAtMost", "owed at most"),
];
const positionFields = [
  field("marketId", "market"),
  field("contracts"),
  field("atMark", "at the mark"),
  field("atMost", "at most"),
];

const show: CliCommand = {
  words: "guarantee show",
  about: "Show what the guarantee fund has, holds and owes",
  example: "guarantee show",
  needs: "operator",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/admin/guarantee", {});
    const fund = at(answer.json, "data");
    const positions = items(at(fund, "positions"));
    screen.show(answer, () =>
      [
        screen.record(fundFields, fund),
        "",
        screen.table(positionFields, positions, "It holds no positions."),
      ].join("\n"),
    );
    return undefined;
  },
};

const fund: CliCommand = {
  words: "guarantee fund",
  about: "Put USD into the guarantee fund",
  takes: ["amount"],
  options: {
    layer: { value: "layer", about: "exchange: into the exchange's own layer of it" },
    memo: { value: "text", about: "a remark kept with the posting" },
  },
  example: "guarantee fund 250000.00",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const body = { amount: amountText(args.word("amount")), ...args.given("layer", "memo") };
    const answer = await exchange.post("/api/admin/guarantee", body);
    screen.show(answer, () => screen.record([field("balance")], at(answer.json, "data")));
    return undefined;
  },
};

export const guaranteeCommands: readonly CliCommand[] = [show, fund];
