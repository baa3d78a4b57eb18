// The files to mutate, the share of mutants that tests must notice, and the tests to run.
// Invariant: of each room's mutants at least the share named here is noticed, or the run fails.
import { globSync, readFileSync } from "node:fs";

export type Room = { readonly name: string; readonly percent: number; readonly files: string[] };

const under = (...patterns: readonly string[]): string[] => globSync(patterns).sort();

const money = under(
  "src/base/{decimal,least,money,price,quantity,rounding}.ts",
  "src/core/account/position.ts",
  "src/core/margin/fee.ts",
  "src/core/step.ts",
);
const book = under("src/core/book/*.ts");
const settlement = under("src/contract/payoff.ts", "src/core/settlement/*.ts");
const chain = under("src/base/print-value.ts", "src/prints/{first-prints,print-run,print-word}.ts");

/** By their paths in the checkout, which is the working folder. */
export const rooms: readonly Room[] = [
  { name: "money", percent: 95, files: money },
  { name: "book", percent: 95, files: book },
  { name: "settlement", percent: 95, files: settlement },
  { name: "chained print", percent: 95, files: chain },
  { name: "core", percent: 85, files: under("src/core/**/*.ts") },
];

export const mutated: readonly string[] = [...new Set(rooms.flatMap(({ files }) => files))];

/** An attack on the core alone: it needs no server, no database and no other process. */
const isOnCore = (path: string): boolean =>
  !/"#(?!(base|contract|core|prints|test\/core)\/)/.test(readFileSync(path, "utf8"));

/** Pure tests of the mutated rooms; of the random runs, the one that FIRSTPRINT_SEED names. */
export const tests: readonly string[] = [
  ...under(
    "test/{base,contract,core,prints,scenarios}/!(*.long).test.ts",
    "test/core/{random,refusals}.long.test.ts",
    "test/ingest/packed-prints.long.test.ts",
  ),
  ...under("test/attacks/!(*.db|*.e2e).test.ts").filter(isOnCore),
];
