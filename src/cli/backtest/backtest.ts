// firstprint backtest …: what it takes; the model and its packages are loaded when it runs.
// Invariant: no other command needs a package, so the command line works without an install.
import type { CliCommand } from "../command.ts";

const backtestCommand: CliCommand = {
  words: "backtest",
  about: "Score the reference model out of sample on a provider's file, beside three baselines",
  takes: ["file"],
  options: {
    index: { value: "index", about: "zhvi (the default) or zori" },
    level: { value: "level", about: "nation, state … zip; what the file says when left out" },
    from: { value: "year", about: "the year of the first origin" },
    constants: { value: "file", about: "constants by year, as JSON; production's when left out" },
    outcomes: {
      value: "file",
      about: "a later file: only the newest month is an origin, as it stood",
    },
    output: { value: "file", about: "write every figure there, as JSON" },
  },
  example: "backtest Metro_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz --from 2010",
  needs: "nothing",
  run: async (call) => (await import("./run.ts")).runBacktest(call),
};

export const backtestCommands: readonly CliCommand[] = [backtestCommand];
