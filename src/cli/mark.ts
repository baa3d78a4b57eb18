// firstprint mark …: markets that are settled in cash, and a seller's sealed mark of one.
// Invariant: shows what the exchange says; nothing is computed here.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { field, time } from "./table.ts";

const roundFields = [
  field("frontendId", "market"),
  field("marketId", "series"),
  field("closesAt", "closes", time),
  field("mark.price", "own mark"),
];
const markFields = [field("marketId", "market"), field("price")];

const list: CliCommand = {
  words: "mark list",
  about: "List the markets that are settled in cash, and until when sellers mark them",
  example: "mark list",
  needs: "key",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/trading/marks", {});
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(roundFields, rows, "No market takes marks."));
    return undefined;
  },
};

const give: CliCommand = {
  words: "mark give",
  about: "Say, sealed, what YES of a market is worth, from 0 to 1; the median is paid",
  takes: ["market", "price"],
  example: "mark give mkt-104 0.25",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post("/api/trading/marks/{marketId}", {
      marketId: args.word("market"),
      price: args.word("price"),
    });
    screen.show(answer, () => screen.record(markFields, at(answer.json, "data")));
    return undefined;
  },
};

export const markCommands: readonly CliCommand[] = [list, give];
