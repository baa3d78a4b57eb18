// The hostile values a client puts in place of a value: as JSON, as text, as a percent-encoding.
// Invariant: every token is written as it goes over the wire; nothing is tidied on its way out.
import { at, type Json } from "#test/support/exchange.ts";

/** Numbers below a limit, the same for the same seed. */
export type Draw = (limit: number) => number;

export function pick<T>(draw: Draw, list: readonly T[]): T {
  const one = list[draw(list.length)];
  if (one === undefined) throw new Error("there is nothing to pick from");
  return one;
}

const LONG = 10_000;

/** Names that reach a prototype, where somebody merges or looks up without care. */
export const prototypeNames = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
  "then",
  "toJSON",
] as const;

/** Text that something on the way might read as more than text. */
export const hostileTexts: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\r\nx-injected: 1",
  "\t\v\f\b\u001b[31m",
  "\u0085\u2028\u2029\ufeff",
  "\u202eevil\u202c",
  "e\u0301\u0301\u0301",
  "🏠".repeat(50),
  "ﬀ①Ⅷ",
  "x".repeat(LONG),
  "é".repeat(LONG),
  "9".repeat(400),
  `-${"9".repeat(30)}`,
  "NaN",
  "Infinity",
  "-Infinity",
  "null",
  "undefined",
  "true",
  "[object Object]",
  "1e3",
  "-0",
  "-1",
  "0",
  "00",
  "01",
  "+1",
  "1.",
  ".5",
  "1,5",
  "0x10",
  "0b1",
  "1_000",
  "0.30000000000000004",
  "1e400",
  "9007199254740993",
  "18446744073709551616",
  "9223372036854775808",
  "170141183460469231731687303715884105728",
  "１２",
  "' OR '1'='1",
  "'; DROP TABLE entries; --",
  "$(id)",
  "{{7*7}}",
  "%00",
  "%s%n",
  "../../../../etc/passwd",
  "..\\..\\",
  "<script>1</script>",
  "*",
  ",",
  ",,,",
  "a,b,a",
  "=HYPERLINK(1)",
  "2024-13",
  "0000-00",
  "9999-12",
  "10000-01",
  "2024-02-30T25:61:61Z",
  "2024-11-16T00:00:00",
  "-000001-01-01T00:00:00Z",
  "275760-09-13T00:00:00.001Z",
  "+275760-09-13T00:00:00Z",
  "0x0000000000000000000000000000000000000000",
  ...prototypeNames,
];

/** Values of a right form, at the edges of what the form allows. */
const edgeTexts: readonly string[] = [
  "0.01",
  "0.001",
  "0.0001",
  "0.9999",
  "0.00005",
  "0.000001",
  "0.0000001",
  "1",
  "1.00",
  "10",
  "99.99",
  "1000000",
  "999999999.99",
  "1000000000000",
  "9223372036854.775807",
  "9223372036854.775808",
  "99999999999999999999999999.99",
  "-0.01",
  "-1000000000000",
  "2024-10",
  "2025-04",
  "1900-01",
  "9999-12",
  "1970-01-01T00:00:00Z",
  "2025-11-21T00:00:00Z",
  "2025-11-21T00:00:00.000001Z",
  "2025-11-21T00:00:00+05:30",
  "9999-12-31T23:59:59Z",
  "US",
  "ZZ",
  "2000-02-29",
  "1900-02-29",
];

/** Of every kind an id can be of: each is well-formed somewhere, and here a stranger's. */
const foreignIds: readonly string[] = [
  "ord-1",
  "ord-0",
  "ord--1",
  "ord-99999999999999999999",
  "ORD-1",
  "key-1",
  "acc-1",
  "rel-1",
  "pub-1",
  "acp-1",
  "mkt-001",
  "srs.zhvi.state-tx.b2024-10.e2025-10.L0200-1000",
  "srs.zhvi.state-tx.b2024-10.e2025-10.L1000-0200",
  "srs.zhvi.state-tx.b9999-99.e0000-00.L0200-1000",
  "srs.vacancy.state-tx.b2024-10.e2025-10.L0200-1000",
  "lvl.zhvi.state-tx.m2025-04.gte.300000",
  "lvl.zhvi.state-tx.m2025-04.gte.-0",
  "srs.",
  "lvl......",
  "state:tx",
  "state:zz",
  "STATE:TX",
  "zip:00000",
  "us",
  "zhvi",
  "standard",
];

const depth = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

const asJson: readonly string[] = [...hostileTexts, ...foreignIds, ...edgeTexts].map((text) =>
  JSON.stringify(text),
);

/** The coercion family: what a lenient reader would take for something else. */
const jsonTokens: readonly string[] = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "-0.0",
  "1",
  "-1",
  "1.0",
  "1.5",
  "1e3",
  "1E-3",
  "1e400",
  "-1e400",
  "1e-400",
  "0.30000000000000004",
  "0.1",
  `0.${"1".repeat(70)}`,
  "9".repeat(400),
  "9007199254740993",
  "-9007199254740993",
  "4294967296",
  "2147483648",
  "253402300800",
  "8640000000001",
  "[]",
  "{}",
  "[null]",
  "[[]]",
  '[""]',
  "[1,2,3]",
  '{"a":1}',
  '{"toString":1}',
  '{"valueOf":"1"}',
  '{"length":1}',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"a":1}}}',
  depth(100),
  `[${"0,".repeat(2_000)}0]`,
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"a\\ud83d"',
  '"\\u0000"',
  '"\\u0007\\u001f\\u007f"',
];

/** One JSON value as text. */
export const hostileToken = (draw: Draw): string =>
  draw(2) === 0 ? pick(draw, jsonTokens) : pick(draw, asJson);

/** One value that the schema takes, or nearly: its names, its bounds and what is next to them. */
export function edgeToken(schema: Json, draw: Draw): string {
  const branches = at(schema, "anyOf");
  if (Array.isArray(branches)) return edgeToken(pick(draw, branches), draw);
  const named = at(schema, "enum");
  if (Array.isArray(named)) return JSON.stringify(pick(draw, named));
  const constant = at(schema, "const");
  if (constant !== undefined) return JSON.stringify(constant);
  const bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
    .map((name) => at(schema, name))
    .filter((bound) => typeof bound === "number");
  switch (at(schema, "type")) {
    case "boolean":
      return pick(draw, ["true", "false"]);
    case "integer":
    case "number":
      return pick(draw, [
        ...bounds.flatMap((bound) => [bound - 1, bound, bound + 1]).map(String),
        ...["0", "1", "2", "7", "0.5", "0.01", "0.9999", "1893456000", "4102444800"],
      ]);
    default: {
      const most = at(schema, "maxLength");
      const long = typeof most === "number" ? ["a".repeat(most), "a".repeat(most + 1)] : [];
      return JSON.stringify(pick(draw, [...edgeTexts, ...foreignIds, ...long]));
    }
  }
}

const rawEncodings: readonly string[] = [
  "%",
  "%2",
  "%zz",
  "%00",
  "%0a%0d",
  "%c0%80",
  "%c3",
  "%ed%a0%80",
  "%f4%90%80%80",
  "%ff%fe",
  "%25%32%35",
  "%252e%252e",
  "%2e%2e",
  "%2f",
  "%5c",
  "%3f",
  "%23",
  "+",
  "%2B",
  "a%20b",
  ";",
  "=",
  "==",
  "[]",
  "[0]",
  "a[b]=c",
  "\u00e9",
  "%u0041",
];

/** Text as a part of a path or a query, encoded well, oddly or wrongly. */
export function hostileEncoding(draw: Draw): string {
  if (draw(3) === 0) return pick(draw, rawEncodings);
  const text = pick(draw, pick(draw, [hostileTexts, foreignIds, edgeTexts]));
  const encoded = encodeURIComponent(text);
  if (draw(8) !== 0) return encoded;
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

export type Header = readonly [string, string];

export const contentEncodings = [
  "",
  "",
  "",
  "gzip",
  "identity",
  "br",
  "gzip, gzip",
  "chunked",
  "\u00ff",
];

export const contentTypes: readonly string[] = [
  "",
  "application/json;charset=UTF-8",
  "application/json; charset=",
  "application/json; charset='utf-8'",
  "application/json; charset=utf8",
  "application/json; charset=utf-16le",
  "application/json; charset=utf-7; charset=utf-8",
  "application/json; CHARSET=ISO-8859-1",
  "application/json+x",
  "application/ld+json",
  "application/ json",
  "application/json, application/json",
  "application/json\tx",
  "APPLICATION/JSON",
  "application/json",
  "Application/JSON; Charset=UTF-8",
  "application/json; charset=utf-8; charset=utf-16",
  'application/json; charset="utf-8"',
  "application/json; charset=latin1",
  "application/json;",
  "application/json,text/plain",
  "application/json; boundary=x",
  "application/jsonx",
  "application/vnd.api+json",
  "application/problem+json",
  "text/json",
  "text/plain",
  "text/csv",
  "text/csv; charset=utf-16",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "multipart/form-data; boundary=x",
  "application/octet-stream",
  "application/gzip",
  "application/xml",
  "*/*",
  "json",
  "/",
  "\u00ff/\u00ff",
  "x".repeat(5_000),
];

/** Headers that nobody asked for. */
export const oddHeaders: readonly Header[] = [
  ["idempotency-key", ""],
  ["idempotency-key", " "],
  ["idempotency-key", "same"],
  ["idempotency-key", "same"],
  ["idempotency-key", "same"],
  ["idempotency-key", "x".repeat(255)],
  ["idempotency-key", "x".repeat(256)],
  ["idempotency-key", "\u00e9"],
  ["idempotency-key", "a\tb"],
  ["idempotency-key", "__proto__"],
  ["idempotency-key", '"same"'],
  ["idempotency-key", '"'],
  ["last-event-id", ""],
  ["last-event-id", "0"],
  ["last-event-id", "-1"],
  ["last-event-id", "01"],
  ["last-event-id", "1e3"],
  ["last-event-id", "999999999999999"],
  ["last-event-id", "9".repeat(400)],
  ["last-event-id", "\u00ff"],
  ["last-event-id", "a, b"],
  ["accept", "application/problem+json"],
  ["accept", "application/problem+json;q=0"],
  ["accept", "text/html;q=\u00ff,,,;;"],
  ["accept", ",".repeat(5_000)],
  ["x-http-method-override", "DELETE"],
  ["x-forwarded-for", "' OR 1=1"],
  ["x-forwarded-host", "elsewhere"],
  ["if-none-match", "*"],
  ["if-none-match", '"'.repeat(1_000)],
  ["if-modified-since", "yesterday"],
  ["range", "bytes=0-,-1"],
  ["cookie", "a=b; ".repeat(500)],
  ["upgrade", "h2c"],
  ["te", "trailers, deflate"],
  ["host", "elsewhere"],
  ["x-request-id", "x".repeat(1_000)],
  ["traceparent", "00-zz"],
];

export const wrongCredentials: readonly Header[] = [
  ["authorization", ""],
  ["authorization", "Bearer"],
  ["authorization", "Bearer \u00ff"],
  ["authorization", `Bearer ${"x".repeat(5_000)}`],
  ["authorization", "Basic YTpi"],
  ["authorization", "Bearer undefined"],
  ["x-api-key", ""],
  ["x-api-key", "__proto__"],
  ["x-admin-secret", ""],
  ["x-admin-secret", "\u00ff".repeat(100)],
];
