// StrykerJS with the house's own test runner: plants each mutant in a copy, says what became of it.
// Invariant: the working folder is never changed; results name files by their paths in it.
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { MutantResult } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";

/** The options StrykerJS has; the rest is in the house's plugin. */
const optionsFor = (sources: readonly string[], houseTests: readonly string[]) => ({
  plugins: [join(import.meta.dirname, "runner.ts")],
  testRunner: "house",
  ignorers: ["untold"],
  mutate: [...sources],
  house: { sources, tests: houseTests },
  coverageAnalysis: "perTest" as const,
  concurrency: 2,
  reporters: ["progress-append-only"],
  // Stryker rewrites a tsconfig by an interface that TypeScript 7 no longer has; none is needed.
  tsconfigFile: "none",
  // Loops without end are found by counting; the clock is for what loops outside the sources.
  timeoutMS: 120_000,
  dryRunTimeoutMinutes: 60,
  tempDirName: join(tmpdir(), "firstprint-mutation"),
  ignorePatterns: ["bench"],
  allowConsoleColors: false,
});

/** Of these sources and these test files, both by their paths in the working folder. */
export async function tryMutants(
  sources: readonly string[],
  tests: readonly string[],
): Promise<readonly MutantResult[]> {
  const results = await new Stryker(optionsFor(sources, tests)).runMutationTest();
  return results.map((one) => ({ ...one, fileName: relative("", one.fileName) }));
}
