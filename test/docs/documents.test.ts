// The pages' statements about the project, held against the project: numbers of decisions, names of
// settings, options of commands. A page that names what does not exist fails with the name.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { commandNamed, commands } from "#cli/command-list.ts";
import { globalOptions } from "#cli/form.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const found = (pattern: string): readonly string[] => globSync(pattern, { cwd: root });
const pages = ["README.md", "CHANGELOG.md", ...found("docs/**/*.md"), ...found("test/*.md")];

test("every decision record begins with its own number", () => {
  for (const path of found("docs/decisions/*.md")) {
    const [, number = ""] = /\/(\d{4})-/.exec(path) ?? [];
    assert.match(read(path), new RegExp(`^# (${Number(number)}\\.|${number}:) [A-Za-z]`), path);
  }
});

test("every setting that a page names is read somewhere", () => {
  const sources = [...found("{src,test,tools,bench}/**/*.ts"), "bin/firstprint"].map(read).join();
  const unknown = pages.flatMap((path) =>
    [...read(path).matchAll(/FIRSTPRINT_\w*/g)]
      .filter(([name]) => !new RegExp(`\\b${name}\\b`).test(sources))
      .map(([name]) => `${path}: ${name}`),
  );
  assert.deepEqual(unknown, []);
});

const everyOption = new Set(
  [globalOptions, ...commands.map(({ options = {} }) => options)].flatMap(Object.keys),
);

test("every option that a page gives to a command is one of its own", () => {
  const wrong: string[] = [];
  let given = 0;
  for (const path of pages) {
    for (const [, line = ""] of read(path).matchAll(
      /(?:^|[\s`$])(?:bin\/)?firstprint ([a-z][^`\n#|]*)/g,
    )) {
      const command = commandNamed(line.split(/\s+/));
      if (command === undefined) continue;
      const known = { ...globalOptions, ...command.options };
      for (const [, name = ""] of line.matchAll(/(?<=^|\s)--([a-z][a-z-]*)/g)) {
        given += 1;
        if (!(name in known)) wrong.push(`${path}: firstprint ${command.words} --${name}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(given > 20, `${given} options were looked at`);
});

test("the page on pricing names options of the backtest only", () => {
  const page = read("docs/concepts/pricing.md");
  const unknown = [...page.matchAll(/`--([a-z-]+)`/g)].filter(
    ([, name = ""]) => !everyOption.has(name),
  );
  assert.deepEqual(unknown, []);
});

test("the list of the pages names each of them", () => {
  const list = read("docs/README.md");
  const others = found("docs/**/*.md").filter((path) => !/README|decisions/.test(path));
  const unlisted = others.filter((path) => !list.includes(`](${path.slice("docs/".length)})`));
  assert.deepEqual(unlisted, []);
});

test("the front page says what each room of the house holds", () => {
  const page = read("README.md");
  const rooms = found("src/*/").map((path) => path.replace(/\/$/, ""));
  assert.ok(rooms.length > 20, `${rooms.length} rooms`);
  const unnamed = rooms.filter((room) => !page.includes(`\`${room}\``));
  assert.deepEqual(unnamed, []);
});

test("every file of the project that a page names is there", () => {
  const gone = pages.flatMap((path) =>
    [...read(path).matchAll(/`((?:src|test|tools|bench)\/[\w./-]+\.(?:ts|md|txt|json))`/g)]
      .filter(([, name = ""]) => !existsSync(new URL(name, root)))
      .map(([, name]) => `${path}: ${name}`),
  );
  assert.deepEqual(gone, []);
});

test("the walks name files that are there, and as many as they say", () => {
  const page = read("docs/architecture.md");
  const [, walks = ""] = /\n## Six walks\n([\s\S]*?)\n## /.exec(page) ?? [];
  const counted: Record<string, string> = {};
  for (const walk of walks.split(/\n(?=\*\*)/).slice(1)) {
    const [name = ""] = /(?<=^\*\*)[^*]+/.exec(walk) ?? [];
    const onTheWay = new Set<string>();
    let folder = "";
    for (const { 1: named = "", index } of walk.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)) {
      if (named.includes("/")) folder = named.slice(0, named.lastIndexOf("/") + 1);
      const path = `src/${named.includes("/") ? "" : folder}${named}`;
      assert.ok(existsSync(new URL(path, root)), `${name}: ${path}`);
      const before = walk.slice(0, index);
      // In brackets stand files that only answer a question on the way.
      if (before.split("(").length === before.split(")").length) onTheWay.add(path);
    }
    const [, said] = /\b(\d+) files\b/.exec(walk) ?? [];
    counted[name] = said === undefined ? "by another" : `${onTheWay.size} of ${said}`;
  }
  assert.deepEqual(counted, {
    "An order": "24 of 24",
    "A cancel": "by another",
    "A print": "23 of 23",
    "A key": "6 of 6",
    "A quote": "12 of 12",
    "An audit entry": "11 of 11",
  });
});

test("the page leads from a payout, a refusal and a final print to the function", () => {
  const page = read("README.md");
  for (const [row, path, exported] of [
    ["a payout is computed", "src/contract/payoff.ts", "function settle("],
    ["a payout is computed", "src/core/settlement/pay.ts", "function finalizeMarket("],
    ["an order is refused", "src/core/order/checks.ts", "function refuseBalance("],
    ["an order is refused", "src/core/order/place.ts", "function placeOrder("],
    ["a print becomes final", "src/prints/first-prints.ts", "function decideNode("],
    ["a print becomes final", "src/core/settlement/release.ts", "function acceptRelease("],
  ] as const) {
    const line = page.split("\n").find((text) => text.startsWith(`| ${row} |`)) ?? "";
    assert.ok(line.includes(`\`${path}\``), `${row}: ${path}`);
    assert.ok(line.includes(`\`${exported.slice(9, -1)}\``), `${row}: ${exported}`);
    assert.ok(read(path).includes(`export ${exported}`), `${path}: ${exported}`);
  }
});

test("the tests that need the providers' files are those the list of them names", () => {
  const page = read("CONTRIBUTING.md");
  const listed = [...page.matchAll(/^\| `(test\/[^`]+)` \|/gm)].map(([, path]) => path);
  const skipping = found("test/**/*.test.ts").filter((path) =>
    /\bgenuineOnly\b|\bt\.skip\([^)]*\.\.\/shared\//.test(read(path)),
  );
  assert.deepEqual(listed.toSorted(), skipping.toSorted());
});

test("each requirement of ASVS that is held names the test or command that shows it", () => {
  const lines = read("docs/operating/asvs.md").split("\n");
  const rows = lines
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  assert.ok(rows.length > 90, `${rows.length} rows are read`);
  const unshown = rows.filter(
    ([, , held = "", shown = ""]) =>
      !/^(outside|not held|no e-mail)/.test(held) && !/`(test|tools)\/|`npm /.test(shown),
  );
  assert.deepEqual(unshown, []);
});
