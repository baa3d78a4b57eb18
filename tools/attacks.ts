// Carries out every attack of test/attacks.md against a fresh exchange, and prints what it brought
// before its rule was there and what it brings now. `npm run attacks [-- part of a test's name]`
// Invariant: "after" is what the attack's own test measured, never typed; an attack that succeeds
// again, or tells nothing, exits 1.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "node:test";
import { fileURLToPath } from "node:url";
import { tableRows } from "./table-rows.ts";

const AFTER = "after: ";

interface Attack {
  readonly name: string;
  readonly before: string;
  readonly test: string;
}

export function attacksOf(text: string): readonly Attack[] {
  return tableRows(text).map(([name = "", before = "", test = ""]) => ({ name, before, test }));
}

/** All that an attack's tests measured, each once, and whether all of its file passed. */
function carryOut(file: string): Promise<{ readonly after: string; readonly holds: boolean }> {
  const told = new Set<string>();
  let holds = true;
  return new Promise((done, fail) => {
    run({ files: [file], concurrency: 1 })
      .on("test:fail", () => {
        holds = false;
      })
      .on("test:diagnostic", ({ message }) => {
        if (message.startsWith(AFTER)) told.add(message.slice(AFTER.length));
      })
      .on("error", fail)
      .on("end", () => done({ after: [...told].join("; "), holds }))
      .resume();
  });
}

async function main(part: string): Promise<number> {
  const checkout = fileURLToPath(new URL("../", import.meta.url));
  const attacks = attacksOf(readFileSync(join(checkout, "test/attacks.md"), "utf8"));
  let failed = 0;
  process.stdout.write("| attack | before | after | test |\n|---|---|---|---|\n");
  for (const { name, before, test } of attacks.filter(({ test: file }) => file.includes(part))) {
    const { after, holds } = await carryOut(join(checkout, test));
    const said = !holds ? "IT SUCCEEDS, or its test broke" : after || "NOTHING TOLD";
    if (!holds || after === "") failed += 1;
    process.stdout.write(`| ${name} | ${before} | ${said} | ${basename(test)} |\n`);
  }
  if (failed > 0) process.stderr.write(`${failed} of the attacks do not end as they must\n`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv[2] ?? "");
