// firstprint financing …: the pool that premiums are lent from, as the operator.
// Invariant: shows what the exchange says; nothing is computed here.
import { at } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { field } from "./table.ts";

const poolFields = [
  field("pool"),
  field("lent"),
  field("available"),
  field("overdue"),
  field("writtenOff", "written off"),
];

const show: CliCommand = {
  words: "financing show",
  about: "Show the pool that premiums are lent from, and what it has lent",
  example: "financing show",
  needs: "operator",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/admin/financing", {});
    screen.show(answer, () => screen.record(poolFields, at(answer.json, "data")));
    return undefined;
  },
};

const fund: CliCommand = {
  words: "financing fund",
  about: "Put USD into that pool, or take out what is not lent with a negative amount",
  takes: ["amount"],
  options: { memo: { value: "text", about: "a remark kept with the posting" } },
  example: "financing fund 250000.00",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const body = { amount: args.word("amount"), ...args.given("memo") };
    const answer = await exchange.post("/api/admin/financing", body);
    screen.show(answer, () => screen.record([field("pool")], at(answer.json, "data")));
    return undefined;
  },
};

const credit: CliCommand = {
  words: "financing credit",
  about: "Set the most an account's owner may owe for premiums; `tier` = the line of its tier",
  takes: ["account", "line"],
  example: "financing credit acc-1 50000",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const line = args.word("line");
    const answer = await exchange.post("/api/admin/accounts/{id}/credit", {
      id: args.word("account"),
      line: line === "tier" ? null : line,
    });
    const fields = [field("id"), field("owner"), field("creditLine", "credit line")];
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

export const financingCommands: readonly CliCommand[] = [show, fund, credit];
