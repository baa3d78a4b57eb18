// firstprint mandate …: the account's standing instructions, and what they have traded.
// Invariant: shows what the exchange says; nothing is computed here.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { field, time } from "./table.ts";

export const mandatesUrl = "/api/trading/mandates";

const fields = [
  field("id"),
  field("index"),
  field("places"),
  field("side"),
  field("spreadBps", "spread"),
  field("spreadBpsPerYear", "a year"),
  field("maxTotalUsd", "at most"),
  field("collateral"),
  field("expiry", "until", (seconds) => (seconds === 0 ? "-" : time(seconds))),
];

const list: CliCommand = {
  words: "mandate list",
  about: "List the account's mandates: scopes in which it trades at the mark and a spread",
  example: "mandate list",
  needs: "key",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read(mandatesUrl);
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(fields, rows, "No mandates."));
    return undefined;
  },
};

const used = field("usedUsd", "traded", (usd) => `${usd} USD`);

const usage: CliCommand = {
  words: "mandate usage",
  about: "Show the coverage a mandate has traded in markets that are not final",
  takes: ["mandate"],
  example: "mandate usage mnd-1",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/trading/mandates/{mandateId}/usage", {
      mandateId: args.word("mandate"),
    });
    const data = at(answer.json, "data");
    screen.show(answer, () =>
      [
        screen.record([used], data),
        "",
        screen.table([field("place", "state"), used], items(at(data, "states")), "No state."),
        "",
        screen.table([field("marketId", "market"), used], items(at(data, "markets")), "No market."),
      ].join("\n"),
    );
    return undefined;
  },
};

const cancel: CliCommand = {
  words: "mandate cancel",
  about: "Cancel a mandate; its positions stay",
  takes: ["mandate"],
  example: "mandate cancel mnd-1",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.delete("/api/trading/mandates/{mandateId}", {
      mandateId: args.word("mandate"),
    });
    screen.show(answer, () => "Cancelled.");
    return undefined;
  },
};

export const mandateCommands: readonly CliCommand[] = [list, usage, cancel];
