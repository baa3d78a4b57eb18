// The trees that tools/tidy.test.ts shows to tidy: a clean one, and for each rule the ways to
// break it.
// Invariant: a case changes the clean tree in one point, so that only its own rule may speak.

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
  "README.md": "See ./tmp/a, src/work/b, http://host/root/c and ~/tmp/d. TODO: nothing.\n",
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

const pureRooms = ["base", "contract", "prints", "geo", "core", "pricing", "views", "quoting"];

/** Banned constructs, one a line; in a file of these lines alone, each is found once. */
const purityCases: readonly Case[] = [
  ...each("pure-node", pureRooms, [
    'import { readFileSync } from "node:fs";',
    'import "fs";',
    'import type { Socket } from "node:net";',
    'void import("node:os");',
  ]),
  ...each("pure-clock", pureRooms, [
    "Date.now();",
    "new Date();",
    "new Date;",
    "Date();",
    'Date["now"]();',
    "Date?.now();",
    "const { now } = Date;",
    "const D = Date;",
    "[Date].map(String);",
    "performance.now();",
    "const { now: clock } = performance;",
    "Temporal.Now.instant();",
  ]),
  ...each("pure-random", pureRooms, [
    "Math.random();",
    "crypto.randomUUID();",
    "const { randomUUID } = crypto;",
  ]),
  ...each(
    "pure-random",
    ["pricing"],
    [
      "const { random } = Math;",
      'Math["random"]();',
      "Math[`random`]();",
      "const { pow } = Math;",
      "const M = Math;",
      "Math[name](2);",
    ],
  ),
  ...each("pure-environment", pureRooms, [
    "process.argv;",
    "process.env.PORT;",
    "({ process });",
    "console.log(1);",
    "globalThis.x;",
    "global.x;",
    'fetch("http://localhost");',
    "import.meta.url;",
    "globalThis.Date.now();",
    'globalThis["Math"].random();',
    "const { env } = process;",
    "navigator.language;",
    "localStorage.x;",
    'eval("Date.now()");',
    'new Function("return Date.now()");',
    "new Error().stack;",
    "const { stack } = new Error();",
    "Error.captureStackTrace({});",
  ]),
  ...each("pure-memory", pureRooms, [
    "new WeakRef({});",
    "new FinalizationRegistry(() => 1);",
    "Atomics.wait(words, 0, 0);",
    "new SharedArrayBuffer(8);",
  ]),
  ...each("pure-async", pureRooms, [
    "(async () => 1)();",
    "class A { async b() {} }",
    "await 1;",
    "for await (const one of []) one;",
    "Promise.resolve(1);",
    "type Later = Promise<number>;",
    "type Then = PromiseLike<number>;",
    "type Many = AsyncIterable<number>;",
    "type Some = AsyncIterator<number>;",
    "type Made = AsyncGenerator<number>;",
    "setTimeout(() => 1);",
    "setInterval(() => 1);",
    "setImmediate(() => 1);",
    "queueMicrotask(() => 1);",
  ]),
  ...each("pure-locale", pureRooms, [
    "Intl.NumberFormat;",
    '"a".localeCompare("b");',
    "(1).toLocaleString();",
    '"A".toLocaleLowerCase();',
    "new Date(0).getMonth();",
    "new Date(0).setHours(1);",
    "new Date(0).getTimezoneOffset();",
    "new Date(2024, 1);",
    "const { DateTimeFormat } = Intl;",
    '"i".toLocaleUpperCase();',
    '"a"["localeCompare"]("b");',
    '"a"[`localeCompare`]("b");',
    'const { localeCompare: compare } = "a";',
    'const { "toLocaleString": shown } = 1;',
    "[1].toLocaleString();",
    "const f = ({ getHours }) => getHours;",
    "new Date(0).getYear();",
    "new Date(0).toDateString();",
    'new Date("2024-10-21 12:00");',
    "new Date(`2024-10-21 12:00`);",
    'Date.parse("2024-10-21 12:00");',
  ]),
  ...each(
    "core-arithmetic",
    ["base", "contract", "core"],
    [
      "const x = 2 ** 3;",
      "let y = 2; y **= 2;",
      'parseFloat("1");',
      'Number.parseFloat("1");',
      "Math.PI;",
      'Math["pow"](2, 3);',
      "Math?.exp(1);",
      "Math[`log`](2);",
      "new Float64Array(1);",
      "type Floats = Float32Array;",
      "view.getFloat64(0);",
      "Number.EPSILON;",
      "const { parseFloat: read } = Number;",
      ...["pow", "exp", "log", "log10", "log2", "log1p", "expm1", "sqrt", "cbrt", "hypot"]
        .concat(["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "fround"])
        .map((name) => `Math.${name}(2, 3);`),
    ],
  ),
  ...each(
    "shown-arithmetic",
    ["prints", "geo", "views"],
    [
      "Math.exp(1);",
      "Math.sqrt(2);",
      'Math["log"](2);',
      "count ** 0.5;",
      "count ** power;",
      "let y = 3; y **= power;",
    ],
  ),
  ...each(
    "pricing-power",
    ["pricing"],
    [
      "Math.pow(ratio, 2);",
      'Math["pow"](ratio, 2);',
      "ratio ** 0.7;",
      "ratio ** -2;",
      "let y = 3; y **= power;",
    ],
  ),
  ...each(
    "core-fraction",
    ["contract", "core"],
    ["const a = 0.5;", "const b = 1e-3;", "const c = .5;", "const d = 1.0;", "-1_000.25;"],
  ),
  ...each(
    "environment",
    ["http", "journal", "engine", "ingest"],
    [
      "process.env.PORT;",
      'process["env"];',
      "f(process);",
      "const { env } = process;",
      'import "node:process";',
    ],
  ),
];

const typeCases: readonly Case[] = [
  inRoom("as", "core", "const a = 1 as number;"),
  inRoom("as", "core", "const a = 1 as unknown as string;"),
  inRoom("as", "core", "const a = <string>f();"),
  inFiles(
    "as",
    "in the console",
    { "console/src/a.tsx": `${header}f(x as Y);\n` },
    "console/src/a.tsx:3",
  ),
  inFiles("as", "no test", { "test/a.test.ts": "f(x as Y);\n" }),
  inRoom("silence", "core", "// @ts-ignore: for now\nconst a = 1;"),
  inRoom("silence", "core", "/* @ts-expect-error */ const a = 1;"),
  inRoom("silence", "core", "f(); // @ts-expect-error\ng();"),
  inRoom("silence", "core", "// @ts-nocheck"),
];

const headerCases: readonly Case[] = [
  "",
  "// A module of one case.\n",
  "// Invariant: it holds.\n",
  "/* Either.\n// Invariant: it holds. */\n",
  "// Either.\n\n// Invariant: it holds.\n",
  "// Either.\n// Invariant:\n",
].map((start) =>
  inFiles(
    "header",
    JSON.stringify(start),
    { "src/core/clean.ts": start + lookAlikes },
    "src/core/clean.ts:1",
  ),
);

/** Joined so that this file does not hold what it forbids. */
const placesHere = ["work", "tmp", "root"].map((folder) => ["", folder, "file"].join("/"));

const workplaceCases: readonly Case[] = [
  ...placesHere.map((path) =>
    inFiles("workplace", path, { "docs/a.md": `\nSee ${path}.\n` }, "docs/a.md:2"),
  ),
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

const ownCases: readonly Case[] = [inRoom("unreadable", "core", "const = 1;")];

export const cases: readonly Case[] = [
  ...roomCases,
  ...importCases,
  ...purityCases,
  ...typeCases,
  ...headerCases,
  ...workplaceCases,
  ...proseCases,
  ...ownCases,
];
