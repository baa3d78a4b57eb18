// Tells every scenario again and compares it, line by line, with what is written beside it.
// Invariant: FIRSTPRINT_WRITE_STORIES=1 writes what happened; without it a difference fails.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Scenario } from "./exchange.ts";
import { tell } from "./language.ts";

const folder = new URL("./", import.meta.url);
const writes = process.env.FIRSTPRINT_WRITE_STORIES === "1";

/** `>` begins an act; what follows it, indented, is what came of it; everything else is prose. */
function toldAgain(text: string): string {
  const scenario = new Scenario();
  const lines = text.split("\n").filter((line) => !line.startsWith("    "));
  const told = lines.flatMap((line) => {
    if (!line.startsWith("> ")) return [line];
    return [line, ...tell(scenario, line.slice(2)).map((drawn) => `    ${drawn}`.trimEnd())];
  });
  return told.join("\n");
}

const scenarios = readdirSync(folder).filter((name) => name.endsWith(".txt"));

test("there are scenarios to tell", () => {
  assert.ok(scenarios.length >= 20, `${scenarios.length} scenarios`);
});

for (const name of scenarios) {
  test(name, () => {
    const file = new URL(name, folder);
    const written = readFileSync(file, "utf8");
    const told = toldAgain(written);
    if (writes) writeFileSync(file, told);
    else assert.equal(told, written);
  });
}
