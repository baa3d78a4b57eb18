// The trees that tools/tidy.long.test.ts shows to tidy: a clean one, and for each rule the ways to
// break it.
// Invariant: a case changes the clean tree in one point, so that only its own rule may speak.
import { bans } from "./tidy-purity-cases.ts";

export type Files = Readonly<Record<string, string>>;

type Case = {
  readonly rule: string;
  readonly what: string;
  readonly files: Files;
  /** The `path:line` of every finding expected, all of `rule`. */
  readonly finds: readonly string[];
};

export const header = "// A module of one case.\n// Invariant: it holds.\n";

const wiring = (...imports: string[]): string =>
  header + imports.map((path) => `import ${JSON.stringify(path)};\n`).join("");

const cleanImports = ["#base/digest.ts", "#core/clean.ts", "#pricing/clean.ts", "#http/clean.ts"];

/** Everything here looks like something forbidden and is not. */
const lookAlikes = `import { type Amount as Sum, one as first } from "#base/amount.ts";

// TODOS of Math.random(), new Date(), await fetch(): "as any", enum, 0.5, x ** 2, test.only(
/* process.env.PORT, Intl, biome-ignored, a // comment in a comment */
const text = "Math.random() new Date() // TODO: @ts-ignore process.env 0.5 await";
const pattern = /Date\\.now\\(\\)|"|\\/\\/ TODO|as any|[/*]/;
const template = \`// XXX \${text} async await // FIXME \${pattern.source} setTimeout(1) /* XXX\`;
const keys = { process: 1, console: 2, crypto: 3, fetch: 4, performance: 5, any: 6, Date: 7 };
const more = { Temporal: 1, WeakRef: 2, eval: 3, Math: 4, navigator: keys.Date, Atomics: 6 };
const { process: renamed } = keys;
type Named = { readonly Promise: Sum; readonly globalThis: number; Intl(): void };
const named = (named: Named): readonly [Date: number, Sum] => [named.globalThis, named.Promise];
const dates = [new Date(0), new Date(dates.length), Date.UTC(2024, 0), "Date.parse()", '** 0.5'];
const isDate = (value: unknown): value is Date => value instanceof Date;
const year = (date: Date): number => date.getUTCFullYear();
const whole = Math.max(1, Math.min(2, Math.floor(1_000), Math.trunc(1e6), 0x1f)) * 2;
const kinds = ["impliedService", "simple"] as const;
const ratio = whole / first / 2;
export const simpleImplied = [template, renamed, named, dates, isDate, year, kinds, ratio, more];
`;

export const cleanTree: Files = {
  "package.json": JSON.stringify({
    scripts: { start: "node src/main.ts", verify: "node src/verify.ts", all: "ls 'src/**/*.ts'" },
  }),
  "README.md": "See ./tmp/a, src/work/b, http://host/root/c and ~/tmp/d. TODO: nothing.\n",
  "bin/firstprint": '#!/bin/sh\nexec node src/cli/main.ts "$@"\n',
  "src/main.ts": wiring(...cleanImports),
  "src/verify.ts": `${wiring("./main.ts")}process.exitCode = process.env.QUIET === "1" ? 0 : 1;\n`,
  "src/cli/main.ts": `${wiring("#base/amount.ts")}export const colour = process.env.NO_COLOR;\n`,
  "src/base/digest.ts":
    `${header}import { createHash, hash } from "node:crypto";\n` +
    "export const sha = [createHash, hash];\n",
  "src/base/amount.ts": `${header}export type Amount = number;\nexport const one = 1 as Amount;\n`,
  "src/core/clean.ts": header + lookAlikes,
  "src/pricing/clean.ts":
    `${header}const half = Math.exp(0.5) ** 2 + Math.log(2) + 2 ** half;\n` +
    "void [half, 10n ** BigInt(half)];\n",
  "src/http/clean.ts":
    `${header}import Fastify from "fastify";\n\nconst later = async () => {\n` +
    "  await Promise.resolve(Date.now() + Math.random());\n};\nprocess.once('SIGTERM', later);\n" +
    "console.log(Fastify, process.pid.toLocaleString());\n",
  "src/storage/sql/000001.sql": "select 1;\n",
  "test/core/clean.test.ts":
    'import { test } from "node:test";\nimport { sha } from "#base/digest.ts";\n' +
    'import { simpleImplied } from "#core/clean.ts";\nimport { colour } from "#cli/main.ts";\n\n' +
    'test("a", { skip: colour ? "no colour" : false }, (t) => {\n  t.skip("why");\n});\n' +
    'test("b", { skip: "why" }, () => {\n  [simpleImplied, sha].only("x");\n});\n',
};

/** A file of a room that main.ts imports; its header is written, so the body is at line 3. */
const inRoom = (
  rule: string,
  room: string,
  body: string,
  lines: readonly number[] = [3],
): Case => ({
  rule,
  what: `${room}: ${body.slice(0, 60).replaceAll("\n", " ")}`,
  files: {
    "src/main.ts": wiring(...cleanImports, `#${room}/case.ts`),
    [`src/${room}/case.ts`]: `${header}${body}\n`,
  },
  finds: lines.map((line) => `src/${room}/case.ts:${line}`),
});

const inFiles = (rule: string, what: string, files: Files, ...finds: string[]): Case => ({
  rule,
  what,
  files,
  finds,
});

/** One banned construct a line, all in one file of each room; every line must be found. */
const each = (rule: string, rooms: readonly string[], bodies: readonly string[]): Case[] =>
  rooms.map((room) =>
    inRoom(
      rule,
      room,
      bodies.join("\n"),
      bodies.map((_, index) => index + 3),
    ),
  );

const roomCases: readonly Case[] = [
  inFiles(
    "room",
    "a file outside all rooms",
    { "src/loose.ts": header, "src/main.ts": wiring(...cleanImports, "./loose.ts") },
    "src/loose.ts:1",
  ),
  inFiles(
    "room",
    "a room the house does not have",
    {
      "src/attic/case.ts": wiring("#core/clean.ts"),
      "src/main.ts": wiring(...cleanImports, "#attic/case.ts"),
    },
    "src/attic/case.ts:1",
  ),
  inFiles("room", "JavaScript in src", { "src/core/old.js": "eval('1');\n" }, "src/core/old.js:1"),
];

const importCases: readonly Case[] = [
  inRoom("import-table", "core", 'import "#pricing/clean.ts";'),
  inRoom("import-table", "core", 'import type { half } from "#pricing/clean.ts";'),
  inRoom("import-table", "core", 'void (0 satisfies import("#pricing/clean.ts").Half | 0);'),
  inRoom("import-table", "engine", 'void import("#pricing/clean.ts");'),
  inRoom("import-table", "engine", 'export * from "#pricing/clean.ts";\nvoid 0;'),
  inRoom("import-table", "engine", 'import "../main.ts";'),
  inFiles(
    "import-idle",
    "a house in which most permissions are of no use",
    { "tools/tidy-imports.ts": header },
    "tools/tidy-imports.ts:1",
  ),
  inRoom("import-path", "http", 'import "../core/clean.ts";'),
  inRoom("import-path", "http", 'new URL("../core/clean.ts", import.meta.url);'),
  inRoom("import-path", "core", 'import type { simpleImplied } from "#core/clean.ts";'),
  inRoom("import-path", "cli", 'import "#all/base/amount.ts";'),
  inFiles(
    "import-path",
    "main.ts reaching into a room by a relative path",
    { "src/main.ts": wiring(...cleanImports, "./core/clean.ts") },
    "src/main.ts:7",
  ),
  inFiles(
    "import-path",
    "a test reaching into src by a relative path",
    { "test/a.test.ts": 'import "../src/core/clean.ts";\n' },
    "test/a.test.ts:1",
  ),
  ...[
    "#test/a.ts",
    "../../test/a.ts",
    "../../tools/a.ts",
    "../../bench/a.ts",
    "../../sdk/a.ts",
  ].map((path) => inRoom("import-outside", "core", `import ${JSON.stringify(path)};`)),
  inFiles(
    "import-outside",
    "clients importing from src",
    {
      "sdk/a.ts": 'import "#core/clean.ts";\n',
      "console/a.tsx": 'import type {} from "../src/core/clean.ts";\n',
    },
    "console/a.tsx:1",
    "sdk/a.ts:1",
  ),
  inFiles(
    "import-package",
    "what a browser does not have, and a package that is not the SDK's",
    { "sdk/src/case.ts": `${header}import "node:http";\nimport "pg";\n` },
    "sdk/src/case.ts:3",
    "sdk/src/case.ts:4",
  ),
  inRoom("import-outside", "http", 'import "#sdk/index.ts";'),
  inRoom("import-literal", "http", 'const name = "pg";\nvoid import(name);', [4]),
  inRoom("import-literal", "http", 'import { createRequire } from "node:module";'),
  inRoom("import-literal", "http", 'process.getBuiltinModule("fs");'),
  inRoom("import-package", "http", 'import "pg";'),
  inRoom("import-package", "http", 'import type { Pool } from "pg";'),
  inRoom("import-package", "engine", 'import "pg/lib/client.js";'),
  inRoom("import-package", "engine", 'import "fastify";'),
  inRoom("import-package", "views", 'import "typebox";'),
  inRoom("import-package", "engine", 'import "pino";'),
  inRoom("import-package", "journal", 'import "csv-parse";'),
  inRoom("import-package", "ingest", 'import "@scope/unknown/deep";'),
];

const purityCases = bans.flatMap(({ rule, rooms, lines }) => each(rule, rooms, lines));

const lines = (count: number, line = "  step();"): string => `${line}\n`.repeat(count);

const sizeCases: readonly Case[] = [
  inRoom("function-lines", "http", `function long() {\n${lines(69)}}`),
  inRoom("function-lines", "http", `function just() {\n${lines(68)}}`, []),
  inRoom("function-lines", "http", `const long = () => {\n${lines(69)}};`),
  inRoom("function-lines", "http", `class A {\n  long() {\n${lines(69)}  }\n}`, [4]),
  inRoom("function-lines", "http", `class A {\n  constructor() {\n${lines(69)}  }\n}`, [4]),
  inFiles(
    "function-lines",
    "a long test in a long group",
    { "test/a.test.ts": `describe("a", () => {\n  test("b", () => {\n${lines(119)}  });\n});\n` },
    "test/a.test.ts:2",
  ),
  inRoom("file-lines", "http", lines(499, "step();").trimEnd(), [501]),
  inFiles(
    "file-lines",
    "SQL and tests too",
    { "src/storage/sql/000002.sql": lines(501), "test/a.test.ts": lines(501), "bin/b": lines(500) },
    "src/storage/sql/000002.sql:501",
    "test/a.test.ts:501",
  ),
  inRoom("line-columns", "http", `// ${"x".repeat(97)}\n// ${"x".repeat(98)}`, [4]),
  inFiles(
    "line-columns",
    "counted in characters, in every language",
    {
      "bin/other": `# ${"…".repeat(99)}\n# ${"😀".repeat(98)}\n`,
      "tools/a.ts": `// ${"x".repeat(98)}\n`,
      "docs/prose.md": `${"x".repeat(300)}\n`,
    },
    "bin/other:1",
    "tools/a.ts:1",
  ),
];

const exported = (rule: string, body: string, name: string, line = 3): Case => ({
  ...inRoom(rule, "core", body, [line]),
  files: {
    "src/main.ts": `${wiring(...cleanImports)}import { ${name} } from "#core/case.ts";\n`,
    "src/core/case.ts": `${header}${body}\n`,
  },
});

const styleCases: readonly Case[] = [
  ...["test/helpers/a.ts", "tools/order-utils.ts", "bench/RunManager.ts", "bin/service"].map(
    (path) => inFiles("name", path, { [path]: "" }, `${path}:1`),
  ),
  exported("name", "export class OrderManager {}", "OrderManager"),
  exported("name", "export const BOOK_IMPL = 1;", "BOOK_IMPL"),
  exported("name", "export function bookHelper() {}", "bookHelper"),
  exported("name", "export type BookService = 1;", "type BookService"),
  ...[
    "",
    "// A module of one case.\n",
    "// Invariant: it holds.\n",
    "/* Either.\n// Invariant: it holds. */\n",
    "// Either.\n\n// Invariant: it holds.\n",
    "// Either.\n// Invariant:\n",
  ].map((start) =>
    inFiles("header", JSON.stringify(start), { "src/core/clean.ts": start + lookAlikes }, clean(1)),
  ),
  inRoom("as", "core", "const a = 1 as number;"),
  inRoom("as", "core", "const a = 1 as unknown as string;"),
  inRoom("as", "core", "const a = <string>f();"),
  inFiles("as", "in tests", { "test/a.test.ts": "f(x as Y);\n" }, "test/a.test.ts:1"),
  inRoom("suppression", "core", "// @ts-ignore: for now\nconst a = 1;"),
  inRoom("suppression", "core", "/* @ts-expect-error */ const a = 1;"),
  inRoom("suppression", "core", "// @ts-nocheck"),
  inRoom("suppression", "core", "// biome-ignore lint/a/b: short\nconst a = 1;"),
  inRoom("suppression", "core", "// biome-ignore lint/a/b: <explanation of it>\nconst a = 1;"),
  inRoom("suppression", "core", "// biome-ignore-all lint/a/b\nconst a = 1;"),
  inRoom("suppression", "core", "// biome-ignore lint/a/b: it is right", []),
  inRoom("todo", "core", "// TODO: later"),
  inRoom("todo", "core", "/*/ TODO */"),
  inRoom("todo", "core", ["const a = `$", "{1 /* FIXME */}`; // fine"].join("")),
  inRoom("todo", "core", "/* what\n * XXX */", [4]),
  inFiles("todo", "in SQL", { "src/journal/sql/a.sql": "\n-- TODO\n" }, "src/journal/sql/a.sql:2"),
  ...[
    'test.skip("a", f);',
    'test.todo("a");',
    'test("a", (t) => t.skip());',
    'test("a", (t) => t.skip(""));',
    'test("a", { skip: true }, f);',
    'test("a", { skip: !here }, f);',
    'describe("a", { todo: true }, f);',
  ].map((text) => inFiles("test-skip", text, { "tools/a.test.ts": text }, "tools/a.test.ts:1")),
];

function clean(line: number): string {
  return `src/core/clean.ts:${line}`;
}

const deadCases: readonly Case[] = [
  inFiles("dead-file", "imported by nobody", { "src/core/a.ts": header }, "src/core/a.ts:1"),
  inFiles(
    "dead-file",
    "imported only by each other and a test",
    {
      "src/core/a.ts": wiring("./other.ts"),
      "src/core/other.ts": wiring("./a.ts"),
      "test/a.test.ts": 'import "#core/a.ts";\n',
    },
    "src/core/a.ts:1",
    "src/core/other.ts:1",
  ),
  inRoom("dead-export", "core", "export const unused = 1;\nvoid unused;"),
  inRoom("dead-export", "core", "export type Unused = 1;"),
  inRoom("dead-export", "core", 'export const own = 1;\nimport { own as it } from "./case.ts";'),
  inRoom("dead-export", "core", "const unused = 1;\nexport { unused };", [4]),
  inRoom("dead-export", "core", "export default 1;"),
  inRoom("dead-export", "core", "export const { a, b: [c] } = f();", [3, 3]),
  inFiles(
    "dead-export",
    "a name of another file used elsewhere",
    {
      "bench/a.ts": "export const one = 1;\nexport function two() {}\n",
      "bench/other.ts": usesTwo(),
    },
    "bench/a.ts:1",
  ),
];

function usesTwo(): string {
  return 'import { two as one } from "./a.ts";\nimport { one as other } from "#base/amount.ts";\n';
}

/** Joined so that this file does not hold what it forbids. */
const placesHere = ["work", "tmp", "root"].map((folder) => ["", folder, "file"].join("/"));

const workplaceCases: readonly Case[] = [
  ...placesHere.map((path) =>
    inFiles("workplace", path, { "docs/a.md": `\nSee ${path}.\n` }, "docs/a.md:2"),
  ),
  inFiles("workplace", "no bytes that are not text", { "test/a.bin": `\0${placesHere[0]}` }),
  inFiles("workplace", "in code", { "tools/a.ts": `f("${placesHere[1]}");\n` }, "tools/a.ts:1"),
  inFiles(
    "workplace",
    "in data, twice",
    { "test/a.txt": `a=${placesHere[0]}\nfile://${placesHere[2]}\nfar${"m-"}hand\n` },
    "test/a.txt:1",
    "test/a.txt:2",
    "test/a.txt:3",
  ),
];

/** In two pieces, so that this file has no such sentence itself. */
const bare = ["Wh", "o lacks cash may close."].join("");

const proseCases: readonly Case[] = [
  ...[
    `/** ${bare} */`,
    `// It is so. ${bare}`,
    `const a = "${bare}";`,
    `const a = "No: ${bare}";`,
  ].map((line) => inRoom("plain-opening", "core", line)),
  inRoom("plain-opening", "core", `/**\n * It is so.\n * ${bare}\n */`, [5]),
  inFiles("plain-opening", "on a page", { "docs/a.md": `\n- ${bare}\n` }, "docs/a.md:2"),
  inFiles("plain-opening", "in a label", { "docs/a.md": `**${bare}** So.\n` }, "docs/a.md:1"),
  inFiles("plain-opening", "in a scenario", { "test/a.txt": `${bare}\n` }, "test/a.txt:1"),
  inFiles("plain-opening", "no question", {
    "docs/a.md": ["Wh", "o lacks cash,\nand may close? Nobody.\n"].join(""),
  }),
  inFiles("plain-opening", "no title of a decision", {
    "docs/decisions/0001-a.md": `# ${bare}\n\n**${bare}** Nothing.\n`,
  }),
];

/** Files of which nobody imports anything: tests are reached by their runner. */
const nameCases: readonly Case[] = [
  ...[
    ["command", "commands"],
    ["entry", "entries"],
    ["held-place", "hold-place"],
    ["note", "noted"],
  ].map(([one = "", other = ""]) =>
    inFiles(
      "alike-files",
      `${one} and ${other}`,
      { [`test/${one}.ts`]: "", [`test/${other}.test.ts`]: "" },
      one < other ? `test/${other}.test.ts:1` : `test/${one}.ts:1`,
    ),
  ),
  inFiles("alike-files", "a test, its subject, and a folder beside", {
    "test/note.ts": "",
    "test/note.long.test.ts": "",
    "test/order/notes.ts": "",
  }),
  inFiles(
    "type-twice",
    "in two rooms, of any kind, exported or not",
    {
      "src/main.ts": wiring(...cleanImports, "#core/a.ts", "#http/b.ts"),
      "src/core/a.ts": `${header}interface Part {}\nconst a: Part[] = [];\nvoid a;\n`,
      "src/http/b.ts": `${header}class Part {}\nvoid Part;\n`,
      "test/a.ts": "interface Part {}\n",
    },
    "src/http/b.ts:3",
  ),
  ...[
    ['read({ url: "/api/markets" });\nread({ url: "/api/markets/:id/book" });', undefined],
    ['read({ url: "/api/markets" });\nread({ url: "/api/releases" });', 4],
    ['const url = "/api/admin/root";\nread({ url });\nread({ url: "/api/admin/rules" });', 5],
  ].map(([body, line]) => ({
    ...inRoom("one-resource", "http", ""),
    what: `${body}`,
    files: {
      "src/main.ts": wiring(...cleanImports, "#http/admin/case.ts"),
      "src/http/admin/case.ts": `${header}${body}\n`,
    },
    finds: line === undefined ? [] : [`src/http/admin/case.ts:${line}`],
  })),
];

const ownCases: readonly Case[] = [
  inRoom("unreadable", "core", "const = 1;"),
  inFiles(
    "exception",
    "an exception for something that is no longer there",
    { "src/base/digest.ts": `${header}export const sha = 1;\n` },
    "src/base/digest.ts:1",
  ),
];

export const cases: readonly Case[] = [
  ...roomCases,
  ...importCases,
  ...purityCases,
  ...sizeCases,
  ...styleCases,
  ...deadCases,
  ...workplaceCases,
  ...nameCases,
  ...proseCases,
  ...ownCases,
];
