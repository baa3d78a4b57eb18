// Requests of a hostile client: a sound one of an operation, with one thing about it wrong.
// Invariant: the same draws give the same request, to the byte.
import type { Route } from "#http/route/route.ts";
import { at, type Json } from "#test/support/exchange.ts";
import { checkOf } from "./contract.ts";
import { coerced, isJsonType, isOddNumber, lenientTexts } from "./hostile-coercion.ts";
import {
  contentEncodings,
  contentTypes,
  type Draw,
  edgeToken,
  type Header,
  hostileEncoding,
  hostileTexts,
  hostileToken,
  oddHeaders,
  pick,
  prototypeNames,
  wrongCredentials,
} from "./hostile-values.ts";
import type { Sample } from "./samples.ts";

export interface Hostile {
  readonly method: string;
  /** Path and query as they go out. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
  /** The fault in it, for the reader of a failure. */
  readonly what: string;
  /** The one member of body or query that is not as it was; a refusal as invalid names it. */
  readonly field: string | undefined;
  /** It is none of what the reference says is taken: anything below a 400 is a mistake. */
  readonly mustRefuse?: boolean;
}

/** A sound request, in the parts that can be made wrong one by one. */
interface Parts {
  readonly route: Route;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly Header[];
  readonly sample: Sample;
  readonly body: string | undefined;
  /** Cursors of this list and of others. */
  readonly cursors: readonly string[];
}

type Change = Partial<Omit<Hostile, "what">> & { readonly what: string };
type Mutation = (parts: Parts, draw: Draw) => Change | undefined;

export function hostileRequest(parts: Parts, draw: Draw): Hostile {
  for (;;) {
    const change = pick(draw, mutations)(parts, draw);
    if (change !== undefined) return { ...soundRequest(parts), ...change };
  }
}

export const partsOf = (
  route: Route,
  sample: Sample,
  credential: readonly Header[],
  cursors: readonly string[] = [],
): Parts => {
  const { contentType, body, params, query } = sample;
  const path = route.url.replaceAll(/:([A-Za-z]+)/g, (_all, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return {
    route,
    path,
    query: Object.entries(query).map(([name, value]) => [name, encodeURIComponent(value)]),
    headers: [...credential, ...(contentType === undefined ? [] : [typed(contentType)])],
    sample,
    body: text,
    cursors,
  };
};

const typed = (contentType: string): Header => ["content-type", contentType];

export const soundRequest = (parts: Parts): Hostile => ({
  method: parts.route.method,
  target: targetOf(parts.path, parts.query),
  headers: parts.headers,
  body: parts.body === undefined ? undefined : Buffer.from(parts.body),
  what: "as the reference shows it",
  field: undefined,
});

const targetOf = (path: string, query: Parts["query"]): string =>
  query.length === 0 ? path : `${path}?${query.map((pair) => pair.join("=")).join("&")}`;

/** Stands for a raw token until the text around it is written. */
const MARK = "\u0001here\u0001";

const written = (value: Json, token: string): string =>
  JSON.stringify(value).replace(JSON.stringify(MARK), () => token);

const isRecord = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members an operation's body may have, whether the sample has them or not. */
function memberNames(schema: Json, value: Json): readonly string[] {
  const branches = [at(schema, "anyOf"), at(schema, "allOf")].flatMap((one) =>
    Array.isArray(one) ? one : [],
  );
  const declared = [schema, ...branches].flatMap((one) => Object.keys(at(one, "properties") ?? {}));
  return [...new Set([...declared, ...(isRecord(value) ? Object.keys(value) : [])])];
}

/** `value` with something else at a place drawn from its schema, and the place's first name. */
function altered(
  value: Json,
  schema: Json,
  draw: Draw,
  replaced: (schema: Json) => Json,
): { readonly value: Json; readonly name: string } | undefined {
  if (Array.isArray(value) && value.length > 0) {
    const index = draw(value.length);
    const inner = altered(value[index], at(schema, "items"), draw, replaced);
    const other = inner === undefined ? replaced(at(schema, "items")) : inner.value;
    return { value: value.with(index, other), name: "" };
  }
  const names = memberNames(schema, value);
  if (names.length === 0 || !isRecord(value)) return undefined;
  const name = pick(draw, names);
  const member = at(schema, "properties", name);
  const inner = draw(3) === 0 ? undefined : altered(value[name], member, draw, replaced);
  const other = inner === undefined ? replaced(member) : inner.value;
  return { value: { ...value, [name]: other }, name };
}

const json = (body: string, what: string, field?: string): Change => ({
  body: Buffer.from(body),
  what,
  field,
});

const bodyMember: Mutation = (parts, draw) => {
  if (!isRecord(parts.sample.body)) return undefined;
  const changed = altered(parts.sample.body, parts.route.schemas.body, draw, () => MARK);
  if (changed === undefined) return undefined;
  const token = hostileToken(draw);
  const what = `${changed.name} is ${token.slice(0, 80)}`;
  return json(written(changed.value, token), what, changed.name);
};

/** Two to five members at the edges of what they may be: past the shapes, and against the rules. */
const bodyEdges: Mutation = (parts, draw) => {
  const schema = parts.route.schemas.body;
  let value: Json = parts.sample.body;
  if (!isRecord(value)) return undefined;
  const what: string[] = [];
  for (let more = 2 + draw(4); more > 0; more -= 1) {
    const changed = altered(value, schema, draw, (one) => JSON.parse(edgeToken(one, draw)));
    if (changed === undefined) return undefined;
    value = changed.value;
    what.push(changed.name);
  }
  return json(JSON.stringify(value), `${what.join(", ")}: ${JSON.stringify(value).slice(0, 600)}`);
};

/** The same meaning in another type, which only a lenient reader would take. */
const bodyCoerced: Mutation = (parts, draw) => {
  const { body } = parts.sample;
  if (!isRecord(body)) return undefined;
  const changed = coerced(body, MARK, draw);
  if (changed === undefined) return undefined;
  const { name, token, value } = changed;
  const sent = written(value, token);
  const mustRefuse = isOddNumber(token) || !isTaken(parts, JSON.parse(sent));
  return { ...json(sent, `${name} is ${token.slice(0, 80)}`, name), mustRefuse };
};

const checks = new Map<Route, ReturnType<typeof checkOf>>();

function isTaken(parts: Parts, body: Json): boolean {
  const known = checks.get(parts.route) ?? checkOf(parts.route.schemas.body);
  checks.set(parts.route, known);
  return known(body).length === 0;
}

const bodyMemberMissing: Mutation = ({ sample }, draw) => {
  if (!isRecord(sample.body)) return undefined;
  const names = Object.keys(sample.body);
  if (names.length === 0) return undefined;
  const { [pick(draw, names)]: _gone, ...rest } = sample.body;
  return json(JSON.stringify(rest), "a member is missing");
};

const bodyMemberTwice: Mutation = (parts, draw) => {
  if (!isRecord(parts.sample.body) || parts.body === undefined) return undefined;
  const names = Object.keys(parts.sample.body);
  if (names.length === 0) return undefined;
  const name = pick(draw, names);
  const token = hostileToken(draw);
  const again = `${JSON.stringify(name)}:${token}`;
  const rest = parts.body.slice(1);
  const body = draw(2) === 0 ? `{${again},${rest}` : `${parts.body.slice(0, -1)},${again}}`;
  return json(body, `${name} twice, once as ${token.slice(0, 80)}`);
};

const bodyStranger: Mutation = (parts, draw) => {
  if (!isRecord(parts.sample.body) || parts.body === undefined) return undefined;
  const name = draw(2) === 0 ? pick(draw, prototypeNames) : pick(draw, hostileTexts);
  const member = `${JSON.stringify(name)}:${hostileToken(draw)}`;
  const rest = parts.body.slice(1);
  const comma = rest === "}" ? "" : ",";
  return json(`{${member}${comma}${rest}`, `a member ${JSON.stringify(name).slice(0, 80)}`);
};

const OVER_LIMIT = 131_073;

/** A whole body that is none: broken, bare, deep, or in another encoding. */
const bodyBroken: Mutation = ({ body, route }, draw) => {
  if (body === undefined || route.body !== "json") return undefined;
  const bytes = Buffer.from(body);
  const deep = pick(draw, [1_000, 20_000, 400_000]);
  const broken: readonly (readonly [string, () => Uint8Array])[] = [
    ["cut off", () => bytes.subarray(0, draw(bytes.length))],
    ["a bit flipped", () => flippedBit(bytes, draw)],
    ["a token alone", () => Buffer.from(hostileToken(draw))],
    ["twice over", () => Buffer.concat([bytes, bytes])],
    ["a comma too many", () => Buffer.from(`${body.slice(0, -1)},}`)],
    ["with a byte order mark", () => Buffer.from(`\ufeff${body}`)],
    ["in UTF-16", () => Buffer.from(body, "utf16le")],
    ["no UTF-8", () => Buffer.from(body.replace(/"([^"]*)$/, '"\u00ff$1'), "latin1")],
    ["a list of it", () => Buffer.from(`[${body}]`)],
    ["text of it", () => Buffer.from(JSON.stringify(body))],
    ["deeper than a stack", () => Buffer.from("[".repeat(deep))],
    ["deep and whole", () => Buffer.from(`${'{"a":'.repeat(deep / 10)}1${"}".repeat(deep / 10)}`)],
    ["as a form", () => Buffer.from("a=1&b=2")],
    ["with a comment", () => Buffer.from(`/* */${body}`)],
    ["single quotes", () => Buffer.from(body.replaceAll('"', "'"))],
    ["empty", () => Buffer.alloc(0)],
    ["blank", () => Buffer.from(" \n\t ")],
  ];
  const [what, make] = pick(draw, broken);
  return { body: make(), what: `a body ${what}` };
};

const bodyOversized: Mutation = ({ body, route }) => {
  if (body === undefined || route.body !== "json") return undefined;
  const what = "a body over the limit";
  return { body: Buffer.from(body.padEnd(OVER_LIMIT)), what };
};

function flippedBit(bytes: Uint8Array, draw: Draw): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const index = draw(copy.length);
  copy[index] = (copy[index] ?? 0) ^ (1 << draw(8));
  return copy;
}

/** A provider's file with one cell, line or byte wrong. */
const fileBroken: Mutation = ({ body, route }, draw) => {
  if (body === undefined || route.body === "json") return undefined;
  const cells = body.split(/(?<=[,\n])/);
  const cell = draw(cells.length);
  const hostile = pick(draw, hostileTexts);
  const broken: readonly (readonly [string, () => Uint8Array])[] = [
    ["cut off", () => Buffer.from(body.slice(0, draw(body.length)))],
    ["a bit flipped", () => flippedBit(Buffer.from(body), draw)],
    [`cell ${cell} hostile`, () => Buffer.from(cells.with(cell, `${hostile},`).join(""))],
    ["a cell gone", () => Buffer.from(cells.toSpliced(cell, 1).join(""))],
    ["a cell twice", () => Buffer.from(cells.toSpliced(cell, 0, cells[cell] ?? "").join(""))],
    ["an open quote", () => Buffer.from(cells.with(cell, '"').join(""))],
    ["NUL all over", () => Buffer.from(body, "utf16le")],
    ["JSON", () => Buffer.from("{}")],
    ["empty", () => Buffer.alloc(0)],
    ["a line of 100,000 commas", () => Buffer.from(`${body}\n${",".repeat(100_000)}`)],
  ];
  const [what, make] = pick(draw, broken);
  return { body: make(), what: `a file: ${what}` };
};

const queryMember: Mutation = ({ route, path, query }, draw) => {
  const names = Object.keys(route.schemas.query.properties);
  if (names.length === 0) return undefined;
  const name = pick(draw, names);
  const value = hostileEncoding(draw);
  const rest = query.filter(([one]) => one !== name);
  const target = targetOf(path, [...rest, [name, value]]);
  // A sign that separates makes other members of it.
  const field = /[&#]/.test(value) ? undefined : name;
  return { target, what: `${name}=${value.slice(0, 80)}`, field };
};

const queryCoerced: Mutation = ({ route, path, query }, draw) => {
  const typed = Object.entries(route.schemas.query.properties).filter(
    ([, schema]) => lenientTexts(schema).length > 0,
  );
  if (typed.length === 0) return undefined;
  const [name, schema] = pick(draw, typed);
  const value = pick(draw, lenientTexts(schema));
  const target = targetOf(path, [...query.filter(([one]) => one !== name), [name, value]]);
  return { target, what: `${name}=${value}`, field: name, mustRefuse: true };
};

/** Every member there can be, or nearly, at its edges. */
const queryEdges: Mutation = ({ route, path, query }, draw) => {
  const members = Object.entries(route.schemas.query.properties).filter(() => draw(3) !== 0);
  if (members.length === 0) return undefined;
  const drawn = members.map(([name, schema]) => {
    const value: Json = JSON.parse(edgeToken(schema, draw));
    return [name, encodeURIComponent(String(value))] as const;
  });
  const names = new Set(drawn.map(([name]) => name));
  const rest = query.filter(([name]) => !names.has(name));
  const target = targetOf(path, [...rest, ...drawn]);
  return { target, what: target.slice(0, 600) };
};

/** A cursor of some list, as it was given or with one character more, less or other. */
const queryCursor: Mutation = ({ route, path, query, cursors }, draw) => {
  if (!Object.hasOwn(route.schemas.query.properties, "cursor")) return undefined;
  if (cursors.length === 0) return undefined;
  const cursor = pick(draw, cursors);
  const cut = draw(cursor.length);
  const value = pick(draw, [
    cursor,
    cursor.slice(0, cut),
    `${cursor.slice(0, cut)}A${cursor.slice(cut + 1)}`,
    `${cursor}=`,
    cursor + cursor,
  ]);
  const target = targetOf(path, [...query, ["cursor", encodeURIComponent(value)]]);
  return { target, what: `cursor=${value.slice(0, 200)}`, field: "cursor" };
};

const queryOdd: Mutation = ({ route, path, query }, draw) => {
  const names = Object.keys(route.schemas.query.properties);
  const known = names.length === 0 ? "limit" : pick(draw, names);
  const value = hostileEncoding(draw);
  const odd = pick<readonly (readonly [string, string])[]>(draw, [
    [
      [known, value],
      [known, value],
    ],
    [[known.toUpperCase(), value]],
    [[`${known}[]`, value]],
    [[`${known}[a]`, value]],
    [[hostileEncoding(draw), value]],
    [[pick(draw, prototypeNames), value]],
    [["", value]],
    [
      ["", ""],
      ["", ""],
      ["&&", "&="],
    ],
    Array.from({ length: 1_000 }, (_, at) => [`p${at}`, "1"] as const),
  ]);
  return { target: targetOf(path, [...query, ...odd]), what: `query ${odd[0]?.join("=")}` };
};

const queryMissing: Mutation = ({ path, query }, draw) => {
  if (query.length === 0) return undefined;
  const gone = draw(query.length);
  return { target: targetOf(path, query.toSpliced(gone, 1)), what: `no ${query[gone]?.[0]}` };
};

const pathMember: Mutation = ({ route, query }, draw) => {
  if (!route.url.includes(":")) return undefined;
  const value = hostileEncoding(draw);
  const path = route.url.replaceAll(/:[A-Za-z]+/g, () => value);
  return { target: targetOf(path, query), what: `a path with ${value.slice(0, 80)}` };
};

const pathOdd: Mutation = ({ path, query }, draw) => {
  const odd = pick(draw, [
    `${path}/`,
    `/${path}`,
    `${path}//`,
    `${path}/.`,
    `/.${path}`,
    `/api/..${path}`,
    `${path}/${hostileEncoding(draw)}`,
    `${path};a=b`,
    `${path}%`,
    `${path}%00`,
    `${path}.json`,
    path.toUpperCase(),
    path.replace("/api", "/api%2f"),
    path.replaceAll("a", "%61"),
    `${path}?`,
    `${path}??`,
    `${path}#a`,
    `http://elsewhere${path}`,
    "*",
  ]);
  return { target: targetOf(odd, query), what: `the path ${odd.slice(0, 80)}` };
};

const wrongMethod: Mutation = (_parts, draw) => {
  const method = pick(draw, [
    ...["GET", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS", "TRACE"],
    ...["PROPFIND", "MKCOL", "LOCK", "PURGE", "QUERY", "M-SEARCH", "LINK"],
  ]);
  return { method, what: `the method ${method}` };
};

const wrongType: Mutation = ({ headers, route, body }, draw) => {
  const others = headers.filter(([name]) => name !== "content-type");
  const types = [
    ...(draw(8) === 0 ? [] : [pick(draw, contentTypes)]),
    ...(draw(12) === 0 ? [pick(draw, ["application/json", "text/plain"])] : []),
  ];
  const encoding = pick(draw, contentEncodings);
  const sent: readonly Header[] = [
    ...others,
    ...types.map(typed),
    ...(encoding === "" ? [] : ([["content-encoding", encoding]] as const)),
  ];
  const mustRefuse = route.body === "json" && body !== undefined && !isJsonType(types, encoding);
  const what = `content-type ${types.join(" and ").slice(0, 80)}, encoding ${encoding}`;
  return { headers: sent, what, mustRefuse };
};

/** One to three headers that nobody asked for; the same one may come twice. */
const headerOdd: Mutation = ({ headers }, draw) => {
  const odd = Array.from({ length: 1 + draw(3) }, () => pick(draw, oddHeaders));
  const what = odd.map(([name, value]) => `${name}: ${value.slice(0, 40)}`).join(", ");
  return { headers: [...headers, ...odd], what };
};

const wrongCredential: Mutation = ({ headers }, draw) => {
  const wrong = pick(draw, wrongCredentials);
  const kept = draw(2) === 0 ? headers : headers.filter(([name]) => name === "content-type");
  return { headers: [...kept, wrong], what: `${wrong[0]}: ${wrong[1].slice(0, 40)}` };
};

const sound: Mutation = (parts) => soundRequest(parts);

/** As often as each stands here, of those the operation has anything for. */
const mutations: readonly Mutation[] = [
  ...new Array<Mutation>(8).fill(bodyMember),
  ...new Array<Mutation>(8).fill(bodyEdges),
  ...new Array<Mutation>(4).fill(bodyCoerced),
  bodyMemberMissing,
  bodyMemberTwice,
  bodyMemberTwice,
  bodyStranger,
  bodyBroken,
  bodyBroken,
  bodyOversized,
  ...new Array<Mutation>(4).fill(fileBroken),
  ...new Array<Mutation>(6).fill(queryMember),
  ...new Array<Mutation>(3).fill(queryCoerced),
  ...new Array<Mutation>(4).fill(queryEdges),
  ...new Array<Mutation>(4).fill(queryCursor),
  queryOdd,
  queryOdd,
  queryMissing,
  pathMember,
  pathMember,
  pathMember,
  pathOdd,
  wrongMethod,
  wrongType,
  wrongType,
  headerOdd,
  headerOdd,
  wrongCredential,
  sound,
  sound,
];
