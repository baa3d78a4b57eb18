// firstprint up and status: the server itself.
// Invariant: `up` becomes the server, with the same process id and environment.
import { at } from "./answer.ts";
import type { Command } from "./command.ts";
import { become } from "./program.ts";
import { field } from "./table.ts";

/** As `npm start` gives them: half of the machine's memory, and no debugger by a signal. */
const serverFlags = ["--max-old-space-size-percentage=50", "--disable-sigusr1"];

const up: Command = {
  words: "up",
  about: "Start an exchange in the foreground; its settings are read from the environment",
  example: "up",
  needs: "nothing",
  run: async () => become("src/main.ts", [], serverFlags),
};

const statusFields = [
  field("mode"),
  field("sequence"),
  field("durableSequence", "durable"),
  field("engineTime", "exchange's time"),
  field("clock"),
  field("version"),
];

const status: Command = {
  words: "status",
  about: "Show whether the exchange is open; fails when it is not",
  example: "status",
  needs: "nothing",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/status");
    screen.show(answer, () => screen.record(statusFields, answer.json));
    return at(answer.json, "mode") === "open" ? 0 : 1;
  },
};

export const serverCommands: readonly Command[] = [up, status];
