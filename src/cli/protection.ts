// firstprint protection …: an account's own brake on how fast its resting orders may be filled.
// Invariant: what is shown is what the exchange answered; nothing is computed here.
import { at } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { field, plain, time } from "./table.ts";

const url = "/api/trading/protection";

const fields = [
  field("withinSeconds", "window", (seconds) => (seconds === 0 ? "off" : `${plain(seconds)} s`)),
  field("maxContracts", "most contracts"),
  field("maxFills", "most fills"),
  field("filledContracts", "contracts filled"),
  field("fills"),
  field("tripped"),
  field("trippedAt", "tripped at", (seconds) => (seconds === null ? "-" : time(seconds))),
];

const show: CliCommand = {
  words: "protection show",
  about: "Show the account's protection and what its window has seen",
  example: "protection show",
  needs: "key",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read(url);
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const set: CliCommand = {
  words: "protection set",
  about: "Take all resting orders back when more than so much of them fills within so long",
  options: {
    within: { value: "seconds", required: true, about: "length of the window; 0 = off" },
    contracts: { value: "amount", about: "the most contracts that may be filled" },
    fills: { value: "number", about: "the most fills there may be" },
  },
  example: "protection set --within 10 --contracts 2500 --fills 20",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const [maxContracts, maxFills] = [args.option("contracts"), args.whole("fills")];
    const answer = await exchange.post(url, {
      withinSeconds: args.whole("within"),
      ...(maxContracts === undefined ? {} : { maxContracts }),
      ...(maxFills === undefined ? {} : { maxFills }),
    });
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const reset: CliCommand = {
  words: "protection reset",
  about: "Trade again after the protection has tripped",
  example: "protection reset",
  needs: "key",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.post(`${url}/reset`, {});
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

export const makerProtectionCommands: readonly CliCommand[] = [show, set, reset];
