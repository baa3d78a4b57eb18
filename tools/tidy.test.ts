// Shows that every rule of tidy fires where it must, alone, and nowhere else.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findingsIn, ruleIds } from "./tidy.ts";
import { cases, cleanTree, type Files, header } from "./tidy-cases.ts";
import { TreeReader, textFile } from "./tidy-tree.ts";

const reader = new TreeReader();
after(() => reader.close());

const findings = (files: Files) =>
  findingsIn(reader.parse(Object.entries(files).map(([path, text]) => textFile(path, text))));

const places = (found: ReturnType<typeof findings>) =>
  found.map(({ path, line, rule }) => `${path}:${line} ${rule}`);

function write(files: Files, root: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

test("a clean tree full of look-alikes has no finding", () => {
  assert.deepEqual(findings(cleanTree), []);
});

for (const { rule, what, files, finds } of cases) {
  const says = finds.length === 0 ? "is silent on" : "fires alone on";
  test(`${rule} ${says} ${what}`, () => {
    const found = findings({ ...cleanTree, ...files });
    assert.deepEqual(
      places(found),
      finds.map((place) => `${place} ${rule}`),
    );
    for (const { message } of found) assert.match(message, /\w+ \w+/);
  });
}

/** Where two rules have a word to say of the same line. */
const taken = [
  ["core", "const { pow } = Math;", ["core-arithmetic", "pure-random"]],
  ["core", "const { exp: e } = Math;", ["core-arithmetic", "pure-random"]],
  ["core", "const M = Math;", ["core-arithmetic", "pure-random"]],
  [
    "core",
    "const f = (name) => Math[name](0.5);",
    ["core-arithmetic", "core-fraction", "pure-random"],
  ],
  ["views", "const { exp } = Math;", ["pure-random", "shown-arithmetic"]],
  ["core", "const [D] = [Date]; new D();", ["pure-clock"]],
  ["core", "(({ Date: D }) => new D())(globalThis);", ["pure-environment"]],
  ["pricing", "const { exp } = Math;", ["pure-random"]],
] as const;

for (const [room, source, rules] of taken) {
  test(`taken apart or renamed it is found all the same: ${room}: ${source}`, () => {
    const main = `${cleanTree["src/main.ts"]}import "#${room}/case.ts";\n`;
    const files = { "src/main.ts": main, [`src/${room}/case.ts`]: `${header}${source}\n` };
    const found = findings({ ...cleanTree, ...files });
    assert.deepEqual(found.map(({ rule }) => rule).sort(), rules);
    assert.ok(found.every(({ path, line }) => path === `src/${room}/case.ts` && line === 3));
  });
}

test("from Node only the two functions of SHA-256 are excused, in one file", () => {
  const more = 'import { hash, randomUUID } from "node:crypto";\nexport const sha = hash;\n';
  const all = 'import * as sums from "node:crypto";\nexport const sha = sums;\n';
  for (const text of [more, all])
    assert.deepEqual(places(findings({ ...cleanTree, "src/base/digest.ts": header + text })), [
      "src/base/digest.ts:3 pure-node",
    ]);
  const elsewhere = { "src/base/amount.ts": `${header}import { hash } from "node:crypto";\n` };
  assert.deepEqual(places(findings({ ...cleanTree, ...elsewhere })), [
    "src/base/amount.ts:3 pure-node",
  ]);
});

test("the rules and the cases that prove them are the same set", () => {
  const proven = new Set(cases.filter(({ finds }) => finds.length > 0).map(({ rule }) => rule));
  assert.deepEqual([...proven].sort(), [...ruleIds].sort());
});

/** The table of the house, written a second time: a slip in either shows. */
const house = new Map([
  ["base", ""],
  ["contract", "base"],
  ["prints", "base"],
  ["geo", "base"],
  ["core", "base contract"],
  ["pricing", "base contract"],
  ["views", "base contract core prints geo"],
  ["quoting", "base contract core prints geo pricing views"],
  ["storage", "base"],
  ["journal", "base core storage"],
  ["engine", "base core journal"],
  ["ingest", "base contract core prints geo engine storage"],
  ["identity", "base core engine storage"],
  ["sample", "base contract core prints geo pricing views engine ingest"],
  ["http", "base contract core prints geo views quoting engine"],
  ["witness", "base journal storage"],
  ["cli", "base pricing"],
  [
    "node",
    "base core engine http identity ingest journal pricing prints quoting sample storage views " +
      "witness",
  ],
]);

test("each room imports exactly the rooms the house lets it import", () => {
  const pairs = [...house.keys()].flatMap((from) => [...house.keys()].map((to) => [from, to]));
  const across = pairs.filter(([from, to]) => from !== to);
  const files: Record<string, string> = { ...cleanTree };
  for (const [from, to] of across) {
    files[`src/${to}/end.ts`] = header;
    files[`src/${from}/to-${to}.ts`] = `${header}import "#${to}/end.ts";\n`;
  }
  const names = Object.keys(files).filter((path) => /\/(end|to-\w+)\.ts$/.test(path));
  files["src/main.ts"] += names.map((path) => `import "${path.replace("src/", "#")}";\n`).join("");

  const refused = findings(files).map(({ path, rule }) => `${rule} ${path}`);

  const forbidden = across.filter(
    ([from = "", to = ""]) => !house.get(from)?.split(" ").includes(to),
  );
  const expected = forbidden.map(([from, to]) => `import-table src/${from}/to-${to}.ts`);
  assert.deepEqual(refused, expected.sort());
  assert.equal(across.length - forbidden.length, 73);
});

test("a package is named whole, with its scope and without its files", () => {
  const imports = 'import "@scope/name/deep.js";\nimport "name/deep.js";\n';
  const found = findings({ ...cleanTree, "src/http/clean.ts": header + imports });
  const named = found.map(({ message }) => /^package "([^"]+)"/.exec(message)?.[1]);
  assert.deepEqual(named, ["@scope/name", "name"]);
});

test("a tree without TypeScript is not clean", () => {
  assert.deepEqual(places(findings({ "README.md": "nothing\n" })), ["src:1 unreadable"]);
});

const workshop = () => mkdtempSync(join(tmpdir(), "tidy-"));

test("the program prints a line a finding and a total, and its exit code says the same", (t) => {
  const root = workshop();
  t.after(() => rmSync(root, { recursive: true }));
  write({ ...cleanTree, "src/http/clean.ts": `${header}f(x as Y);\n` }, root);
  const program = fileURLToPath(new URL("tidy.ts", import.meta.url));

  const bad = spawnSync(process.execPath, [program, root], { encoding: "utf8" });

  const [finding = "", total, ...rest] = bad.stdout.split("\n");
  assert.match(finding, /^src\/http\/clean\.ts:3 as check with a type guard instead; only src/);
  const files = Object.keys(cleanTree).length;
  assert.equal(total, `tidy: ${files} files, ${ruleIds.length} rules, 1 findings`);
  assert.deepEqual([bad.status, rest], [1, [""]]);
});

test("in a checkout only text that is or may be committed counts", (t) => {
  const root = workshop();
  t.after(() => rmSync(root, { recursive: true }));
  const loose = `${header}f(x as Y);\n`;
  write({ ...cleanTree, ".gitignore": "drafts/\n", "console/src/a.ts": loose }, root);
  try {
    execFileSync("git", ["init", "--quiet"], { cwd: root, stdio: "pipe" });
  } catch {
    return t.skip("needs git");
  }
  execFileSync("git", ["add", "console", "test"], { cwd: root });
  write({ "console/src/drafts/b.ts": loose, "console/src/c.ts": loose }, root);
  write({ "test/a.bin": `\0${["", "tmp", "a"].join("/")}` }, root);
  rmSync(join(root, "test/core/clean.test.ts"));

  assert.deepEqual(places(findingsIn(reader.read(root))), [
    "console/src/a.ts:3 as",
    "console/src/c.ts:3 as",
  ]);
});
