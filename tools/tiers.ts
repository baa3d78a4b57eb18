// The environment of each tier of tests: the smaller one has fewer seeds, cuts and requests.
// Invariant: tests read these sizes from the environment alone, so that a seeded bug is judged by
// exactly what the tier would have run.

interface Tier {
  readonly env: Readonly<Record<string, string>>;
}

export const tiers = {
  test: {
    env: {
      FIRSTPRINT_ARCHIVE_KILLS: "2",
      FIRSTPRINT_ARCHIVE_READS: "30",
      FIRSTPRINT_CORPUS_COMMANDS: "700",
      FIRSTPRINT_CUTS: "50",
      FIRSTPRINT_DAMAGED_ONE_IN: "12",
      FIRSTPRINT_EXAMPLE_READINGS: "1",
      FIRSTPRINT_FAILOVERS: "2",
      FIRSTPRINT_FOLLOWED_ONE_IN: "2",
      FIRSTPRINT_GOLDEN_CELLS: "1",
      FIRSTPRINT_HISTORY_ROUNDS: "1",
      FIRSTPRINT_HISTORY_SECONDS: "6",
      FIRSTPRINT_HOSTILE: "40",
      FIRSTPRINT_KILLS: "2",
      FIRSTPRINT_MISUSED_ONE_IN: "6",
      FIRSTPRINT_MODEL: "160",
      FIRSTPRINT_MUTATIONS: "2500",
      FIRSTPRINT_PREVIEW_RUNS: "40",
      FIRSTPRINT_RANDOM_RUNS: "60",
      FIRSTPRINT_REAL_PORTS_SECONDS: "12",
      FIRSTPRINT_RECORDS: "kept",
      FIRSTPRINT_RFQ_HISTORIES: "90",
      FIRSTPRINT_SEEDS: "40",
      FIRSTPRINT_SEED_COMMANDS: "120",
      FIRSTPRINT_SERVER_KILLS: "2",
      FIRSTPRINT_SNAPSHOT_PLACES: "400",
      FIRSTPRINT_TAKEOVERS: "30",
      FIRSTPRINT_TREE_SIZES: "160",
      FIRSTPRINT_WALK_ONE_IN: "32",
      FIRSTPRINT_WIRE_EVERY: "2",
    },
  },
  /** Every test as it is written. */
  all: { env: {} },
} satisfies Readonly<Record<string, Tier>>;

export const isTierName = (name: string): name is keyof typeof tiers => Object.hasOwn(tiers, name);
