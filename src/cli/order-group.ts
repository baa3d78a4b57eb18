// firstprint group …: groups of an account's orders, each with a brake of its own.
// Invariant: what is shown is what the exchange answered; nothing is computed here.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { field, plain, time } from "./table.ts";

const fields = [
  field("group"),
  field("withinMillis", "window", (millis) => (millis === 0 ? "off" : `${plain(millis)} ms`)),
  field("maxContracts", "most contracts"),
  field("maxFills", "most fills"),
  field("filledContracts", "contracts filled"),
  field("fills"),
  field("tripped"),
  field("trippedAt", "tripped at", (seconds) => (seconds === null ? "-" : time(seconds))),
  field("openOrders", "open orders"),
];

const list: CliCommand = {
  words: "group list",
  about: "List the groups of orders in use, with their protection",
  example: "group list",
  needs: "key",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/trading/groups");
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(fields, rows, "No groups."));
    return undefined;
  },
};

const set: CliCommand = {
  words: "group set",
  about: "Take a group's resting orders back when more than so much of them fills within so long",
  takes: ["group"],
  options: {
    "within-ms": { value: "number", required: true, about: "length of the window; 0 = off" },
    contracts: { value: "amount", about: "the most contracts that may be filled" },
    fills: { value: "number", about: "the most fills there may be" },
  },
  example: "group set texas --within-ms 250 --contracts 2500 --fills 20",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const [maxContracts, maxFills] = [args.option("contracts"), args.whole("fills")];
    const answer = await exchange.post("/api/trading/groups/{group}", {
      group: args.word("group"),
      withinMillis: args.whole("within-ms"),
      ...(maxContracts === undefined ? {} : { maxContracts }),
      ...(maxFills === undefined ? {} : { maxFills }),
    });
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const reset: CliCommand = {
  words: "group reset",
  about: "Send orders of a group again after its protection has tripped",
  takes: ["group"],
  example: "group reset texas",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const group = args.word("group");
    const answer = await exchange.post("/api/trading/groups/{group}/reset", { group });
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

export const groupCommands: readonly CliCommand[] = [list, set, reset];
