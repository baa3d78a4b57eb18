// Cases for the pure rooms: banned constructs, one a line, by rule and room.
// Invariant: in a file of these lines alone, each line is found once, by its rule and no other.

type Ban = {
  readonly rule: string;
  readonly rooms: readonly string[];
  readonly lines: readonly string[];
};

const pureRooms = ["base", "contract", "prints", "geo", "core", "pricing", "views", "quoting"];

const ban = (rule: string, rooms: readonly string[], lines: readonly string[]): Ban => ({
  rule,
  rooms,
  lines,
});

export const bans: readonly Ban[] = [
  ban("pure-node", pureRooms, [
    'import { readFileSync } from "node:fs";',
    'import "fs";',
    'import type { Socket } from "node:net";',
    'void import("node:os");',
  ]),
  ban("pure-clock", pureRooms, [
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
  ban("pure-random", pureRooms, [
    "Math.random();",
    "crypto.randomUUID();",
    "const { randomUUID } = crypto;",
  ]),
  ban(
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
  ban("pure-environment", pureRooms, [
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
  ban("pure-memory", pureRooms, [
    "new WeakRef({});",
    "new FinalizationRegistry(() => 1);",
    "Atomics.wait(words, 0, 0);",
    "new SharedArrayBuffer(8);",
  ]),
  ban("pure-async", pureRooms, [
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
  ban("pure-locale", pureRooms, [
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
  ban(
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
  ban(
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
  ban(
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
  ban(
    "core-fraction",
    ["contract", "core"],
    ["const a = 0.5;", "const b = 1e-3;", "const c = .5;", "const d = 1.0;", "-1_000.25;"],
  ),
  ban(
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
