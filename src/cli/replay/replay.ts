// firstprint replay …: the form of the command; core and models are loaded when it runs.
// Invariant: no other command needs a package, so the command line works without an install.
import type { CliCommand } from "../command.ts";

const replayCommand: CliCommand = {
  words: "replay",
  about: "Run a provider's history through the exchange's own margin, default and payment",
  takes: ["file"],
  options: {
    from: { value: "month", required: true, about: "the first cohort's, such as 2005-01" },
    to: { value: "month", required: true, about: "the last cohort's" },
    every: { value: "count", about: "months from one cohort to the next; 1" },
    months: { value: "list", about: "how long contracts run; 12,24,36" },
    layer: { value: "bps", about: "200-1000, 500-1500 (the default) or 800-2000" },
    tier: { value: "tier", about: "the sellers': basic, enhanced or institutional (the default)" },
    fund: { value: "percent", about: "the guarantee fund at the start, of coverage; 3" },
    states: { value: "list", about: "contracts of these only, such as CA,FL,NV,AZ" },
    index: { value: "index", about: "zhvi (the default) or zori" },
    level: { value: "level", about: "state, county … zip; what the file says when left out" },
    constants: { value: "file", about: "constants by year, as JSON; today's when left out" },
    reverse: { about: "find the smallest fall of all places that leaves a claim unpaid" },
    "early-reader": {
      about: "how much a reader of each file takes from orders that rest, ahead of the exchange",
    },
    output: { value: "file", about: "write every figure there, as JSON" },
  },
  example:
    "replay State_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz --from 2005-01 --to 2010-07",
  needs: "nothing",
  run: async (call) => (await import("./run.ts")).runReplay(call),
};

export const replayCommands: readonly CliCommand[] = [replayCommand];
