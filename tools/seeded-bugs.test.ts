// Every bug of test/seeded-bugs.md can be put in: code that moves takes its rows along.
// Invariant: nothing is put in and no test of a row is run; `node tools/seeded-bugs.ts` does that.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { tableRows } from "./table-rows.ts";

const checkout = fileURLToPath(new URL("../", import.meta.url));
const rows = tableRows(readFileSync(join(checkout, "test/seeded-bugs.md"), "utf8"));

/** How often the source text stands in the file; undefined where there is no such file. */
function timesIn(file: string, source: string): number | undefined {
  const path = join(checkout, file);
  return existsSync(path) ? readFileSync(path, "utf8").split(source).length - 1 : undefined;
}

function problemOf(row: readonly string[]): string | undefined {
  const [, file, source, replacement, testFile] = row;
  if (!file || !source || replacement === undefined || !testFile) return "a cell is missing";
  const times = timesIn(file, source);
  if (times === undefined) return `there is no ${file}`;
  if (times !== 1) return `the source text stands ${times} times in ${file}`;
  return existsSync(join(checkout, testFile)) ? undefined : `there is no ${testFile}`;
}

test("each row's source text stands once in its file, and its test is there", () => {
  assert.ok(rows.length > 0, "the table is read");
  const problems = rows.flatMap((row) => {
    const problem = problemOf(row);
    return problem === undefined ? [] : `${row[0]}: ${problem}`;
  });
  assert.deepEqual(problems, []);
});

test("no two rows have one name, by which they are asked for", () => {
  const names = rows.map(([name]) => name);
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});
