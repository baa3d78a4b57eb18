// firstprint halt and resume: trading on the whole exchange, at once.
// Invariant: a reason always goes with it.
import type { CliCommand } from "./command.ts";

const haltCommand = (words: "halt" | "resume", about: string, done: string): CliCommand => ({
  words,
  about,
  options: { reason: { value: "text", required: true, about: "why, for the audit trail" } },
  example: `${words} --reason "planned maintenance"`,
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post(`/api/admin/${words}`, args.given("reason"));
    screen.show(answer, () => done);
    return undefined;
  },
});

export const haltCommands: readonly CliCommand[] = [
  haltCommand(
    "halt",
    "Stop trading everywhere; orders can still be cancelled",
    "Trading is halted; orders can still be cancelled.",
  ),
  haltCommand("resume", "Let trading go on after a halt", "Trading goes on."),
];
