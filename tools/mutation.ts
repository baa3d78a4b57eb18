// `npm run mutation -- [path…]`: tries every mutant of the rooms in tools/mutation/rooms.ts, or of
// these files alone, and prints what tests did not notice.
// Invariant: it exits 0 only when every room that was run whole reaches its share.
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { mutated, rooms, tests } from "./mutation/rooms.ts";
import { idleEquivalents, percentOf, readEquivalents, scoreOf, table } from "./mutation/score.ts";

/** What can be said in options of StrykerJS; the rest is in the house's plugin. */
const optionsFor = (sources: readonly string[], houseTests: readonly string[]) => ({
  plugins: [join(import.meta.dirname, "mutation/runner.ts")],
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
  tempDirName: join(tmpdir(), "firstprint-mutation"),
  ignorePatterns: ["docs", "bench"],
  allowConsoleColors: false,
});

async function main(paths: readonly string[]): Promise<number> {
  for (const path of paths) {
    if (!mutated.includes(path))
      throw new Error(`${path} is in no room of tools/mutation/rooms.ts`);
  }
  const sources = paths.length === 0 ? mutated : paths;
  process.env.FIRSTPRINT_SEED = "1";
  const found = await new Stryker(optionsFor(sources, tests)).runMutationTest();
  const results = found.map((one) => ({ ...one, fileName: relative("", one.fileName) }));
  const texts = new Map(sources.map((path) => [path, readFileSync(path, "utf8")]));
  const equivalents = readEquivalents("test/equivalent-mutants.md");
  const scores = [...texts].map(([path, text]) => scoreOf(path, text, results, equivalents));

  for (const { file, at, source, replacement, covered } of scores.flatMap((s) => s.unnoticed)) {
    console.log(
      `${file}:${at} ${covered ? "survived" : "not reached"}: ${source} → ${replacement}`,
    );
  }
  const idle = idleEquivalents(texts, results, equivalents);
  for (const { file, source } of idle) console.log(`${file}: noticed, not equivalent: ${source}`);
  console.log(`\n${table(rooms, scores)}`);
  const short = rooms.filter(({ name, files, percent }) => {
    const own = scores.filter(({ file }) => files.includes(file));
    const falls = own.length === files.length && percentOf(own) < percent;
    if (falls) console.log(`${name}: ${percentOf(own)} %, at least ${percent} %`);
    return falls;
  });
  return short.length === 0 && idle.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
