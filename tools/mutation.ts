// `npm run mutation -- [path…]`: tries every mutant of the rooms in tools/mutation/rooms.ts, or of
// these files alone, and prints what tests did not notice.
// Invariant: it exits 0 only when every room that was run whole reaches its share.
import { readFileSync } from "node:fs";
import { mutated, rooms, tests } from "./mutation/rooms.ts";
import { tryMutants } from "./mutation/run.ts";
import { idleEquivalents, percentOf, readEquivalents, scoreOf, table } from "./mutation/score.ts";

async function main(paths: readonly string[]): Promise<number> {
  for (const path of paths) {
    if (!mutated.includes(path))
      throw new Error(`${path} is in no room of tools/mutation/rooms.ts`);
  }
  const sources = paths.length === 0 ? mutated : paths;
  process.env.FIRSTPRINT_SEED = "1";
  const results = await tryMutants(sources, tests);
  const texts = new Map(sources.map((path) => [path, readFileSync(path, "utf8")]));
  const equivalents = readEquivalents("test/equivalent-mutants.md");
  const scores = [...texts].map(([path, text]) => scoreOf(path, text, results, equivalents));

  for (const { file, at, source, replacement, covered } of scores.flatMap((s) => s.unnoticed)) {
    console.log(
      `${file}:${at} ${covered ? "survived" : "not reached"}: ${source} → ${replacement}`,
    );
  }
  const idle = idleEquivalents(texts, results, equivalents);
  for (const { file, line, source } of idle)
    console.log(`${file}: noticed, not equivalent: ${source} in ${line}`);
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
