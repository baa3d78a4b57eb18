// firstprint clock …: where the clock of a sandbox exchange stands.
// Invariant: the new time is the one the exchange answers with.
import { at } from "./answer.ts";
import type { Call, CliCommand } from "./command.ts";
import type { Members } from "./exchange.ts";
import { durationSeconds, instantOf } from "./instant.ts";

const setClock: CliCommand = {
  words: "clock set",
  about: "Set a sandbox's clock; what is due on the way happens in its order",
  takes: ["time"],
  example: "clock set 2024-11-20",
  needs: "operator",
  run: (call) => move(call, { setTo: instantOf(call.args.word("time"), "the time") }),
};

const advanceClock: CliCommand = {
  words: "clock advance",
  about: "Move a sandbox's clock forward",
  takes: ["duration"],
  example: "clock advance 3d",
  needs: "operator",
  run: (call) => move(call, { advanceSeconds: durationSeconds(call.args.word("duration")) }),
};

async function move({ exchange, screen }: Call, body: Members): Promise<undefined> {
  const answer = await exchange.post("/api/admin/clock", body);
  screen.show(answer, () => `The exchange's time is ${at(answer.json, "data.engineTime")}.`);
}

export const clockCommands: readonly CliCommand[] = [setClock, advanceClock];
