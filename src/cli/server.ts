// firstprint up and status: the server itself.
// Invariant: `up` becomes the server, with the same process id and environment.
import { at } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { become } from "./program.ts";
import { field } from "./table.ts";

/** As `npm start` gives them: half of the machine's memory, and no debugger by a signal. */
const serverFlags = ["--max-old-space-size-percentage=50", "--disable-sigusr1"];

const up: CliCommand = {
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

const status: CliCommand = {
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

const witness: CliCommand = {
  words: "witness",
  about: "Start a witness in the foreground: it cosigns transparency logs that only ever grow",
  options: {
    folder: {
      value: "folder",
      about: "where its key and the heads it knows are kept",
      required: true,
    },
    name: { value: "name", about: "its name, such as witness.example/1", required: true },
    log: {
      value: "key",
      about: "the verifier key of the log, as /api/log gives it",
      required: true,
    },
    host: { value: "host", about: "the address to listen at; 127.0.0.1 when left out" },
    port: { value: "port", about: "the port to listen at; 4700 when left out" },
  },
  example:
    "witness --folder ./witness --name witness.example/1 --log firstprint/8a42…/log+a1b2c3d4+AQ…",
  needs: "nothing",
  run: async ({ args }) => {
    const given = Object.entries(args.given("folder", "name", "log", "host", "port"));
    return become(
      "src/witness.ts",
      given.map(([name, value]) => `--${name}=${value}`),
    );
  },
};

export const serverCommands: readonly CliCommand[] = [up, status, witness];
