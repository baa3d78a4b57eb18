// Every bug of test/seeded-bugs.md can be put in: code that moves takes its rows along.
// Invariant: nothing is put in and no test of a row is run; `npm run seeded-bugs` does that.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { checkout } from "./checkout-copy.ts";
import { faultsOf, readSeededBugs } from "./seeded-bugs/rows.ts";
import { strengthOf } from "./seeded-bugs/strength.ts";

const bugs = readSeededBugs(readFileSync(join(checkout, "test/seeded-bugs.md"), "utf8"));

test("each row's text stands once in all code, is replaced by code, and has a test", () => {
  assert.ok(bugs.length > 0, "the table is read");
  assert.deepEqual(faultsOf(bugs, checkout), []);
});

test("no two rows have one name, by which they are asked for", () => {
  const names = bugs.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

test("a row that lost its text, found two, breaks the code or has no test is told", (t) => {
  const root = mkdtempSync(join(tmpdir(), "firstprint-rows-"));
  t.after(() => rmSync(root, { recursive: true }));
  const files = {
    "src/core/one.ts": "const one = 1;\nconst shared = (one + 1);\nexport { one };\n",
    "sdk/src/two.ts": "\nconst shared = (one + 1);\n",
    "test/one.test.ts": "const one = 1;\n",
    "console/dist/built.ts": "const one = 1;\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const row = (name: string, source: string, replacement: string, named = "test/one.test.ts") =>
    `| ${name} | \`${source}\` | \`${replacement}\` | \`${named}\` |`;
  const rows = [
    row("sound", "const one = 1;", "const one = 2;"),
    row("sound-with-a-bar-and-lines", "1;\\nconst shared", "1 \\| 2;\\nconst shared"),
    row("sound-without-a-word", "e };", "e, };"),
    row("moved-away", "const gone = 1;", ""),
    row("part-of-a-word", "nst one = ", "nst one = 2 + "),
    row("twice", "const shared = (one + 1);", ""),
    row("twice-without-a-word", " + 1", " + 2"),
    row("no-code", "export { one };", "export { one"),
    row("untested", "const one", "const one", "test/other.test.ts"),
  ];

  const faults = faultsOf(readSeededBugs(rows.join("\n")), root);

  assert.deepEqual(faults.toSorted(), [
    "moved-away: lost its text: it stands nowhere",
    "no-code: the replacement is no code",
    "twice-without-a-word: found its text 2 times: sdk/src/two.ts:2, src/core/one.ts:2",
    "twice: found its text 2 times: sdk/src/two.ts:2, src/core/one.ts:2",
    "untested: there is no test/other.test.ts",
  ]);
});

test("a bug that nobody tried is missed, and the last word on each counts", () => {
  const trial = (name: string, outcome: "caught" | "hung" | "missed") => ({
    name,
    outcome,
    test: "test/one.test.ts",
  });
  const trials = [
    trial("a", "missed"),
    trial("b", "hung"),
    trial("c", "missed"),
    trial("a", "caught"),
  ];
  assert.deepEqual(strengthOf(["a", "b", "c", "d"], trials), {
    lines: ["missed: c, by test/one.test.ts", "missed: d, not tried", "2 of 4 caught, 50.00 %"],
    isFull: false,
  });
  assert.equal(strengthOf(["a", "b"], trials).isFull, true);
});
