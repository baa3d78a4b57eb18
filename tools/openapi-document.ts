// The OpenAPI 3.1 document, drawn from the table of routes: the schemas in it are those that check.
// Invariant: a function of the routes, the version and the recorded examples; nothing is restated.
import type { TObject } from "typebox";
import { invariant } from "#base/invariant.ts";
import { type ErrorCode, errorTable } from "#http/route/errors.ts";
import type { Route } from "#http/route/route.ts";
import type { ErrorRule } from "#http/route/settlement-errors.ts";
import { isOperatorAccess } from "#http/server/auth.ts";
import { codesOf, takesBody } from "./openapi-codes.ts";
import { operations, tags } from "./openapi-operations.ts";
import { ErrorAnswer, ProblemAnswer } from "./openapi-refusals.ts";
import { meaningOf } from "./openapi-words.ts";

/** One request and its answer, as they went over the wire. */
export interface Example {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Text of the body that was sent; undefined when there was none. */
  readonly sent: string | undefined;
  readonly answer: unknown;
  /** Other answers that a reader should see, each by what it is called. */
  readonly others?: Readonly<Record<string, unknown>>;
}

type Json = Record<string, unknown>;

export const placeOf = ({ method, url }: Pick<Route, "method" | "url">): string =>
  `${method} ${url}`;

/** `examples`: by `placeOf`; a route without one is documented without. */
export function openapiDocument(
  routes: readonly Route[],
  version: string,
  examples: ReadonlyMap<string, Example>,
): Json {
  const parts = new Components();
  const paths: Record<string, Json> = {};
  for (const route of routes.filter(({ surface }) => surface !== "page")) {
    const path = route.url.replaceAll(/:([A-Za-z]+)/g, "{$1}");
    const operations = paths[path] ?? {};
    operations[route.method.toLowerCase()] = operation(route, examples.get(placeOf(route)), parts);
    paths[path] = operations;
  }
  for (const answer of [ErrorAnswer, ProblemAnswer]) parts.schema(answer, "");
  return {
    openapi: "3.1.0",
    info: {
      title: "Firstprint",
      version,
      summary: "Index-settled downside protection on published housing indices",
      description: introduction,
    },
    servers: [{ url: "/" }],
    tags,
    paths,
    components: { ...parts.collected(), securitySchemes, headers },
  };
}

const introduction = [
  "Contracts settle on the first published print of their index.",
  "Balances and money are simulated; prices are reference prices of a model, not firm quotes.",
  "This is risk transfer through index-settled derivatives. It is not insurance.",
  "",
  "The trading surface answers `{data}` and takes `Authorization: Bearer`. The public surface",
  "answers `{success, data}`; `x-api-key` raises its rate. The operator's surface answers like",
  "the public one. Every refusal is an `ErrorAnswer`, or a `Problem` for",
  "`Accept: application/problem+json`. A caller that relays a number must keep its `attribution`.",
].join("\n");

const securitySchemes = {
  bearer: { type: "http", scheme: "bearer", description: "A trading key" },
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "A public key" },
  adminSecret: {
    type: "apiKey",
    in: "header",
    name: "x-admin-secret",
    description: "The operator's secret",
  },
};

const headers = {
  "x-request-id": { description: "Names the request", schema: { type: "string" } },
  "Firstprint-Sequence": {
    description: "The answer shows every entry up to this one, at least",
    schema: { type: "integer" },
  },
  RateLimit: {
    description: 'The units left: `"key";r=<units>;t=<seconds until all are back>`',
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description: 'The limit in force: `"key";q=<units a window>;w=<window in seconds>`',
    schema: { type: "string" },
  },
  ETag: {
    description:
      "Changes with the answer: send it as `If-None-Match` to be told 304 while it holds",
    schema: { type: "string" },
  },
  "Retry-After": { description: "Seconds to wait", schema: { type: "integer" } },
  "Idempotency-Kept-Seconds": {
    description:
      "For how long the answer under the key is kept, where the account has so many that it is less " +
      "than a day",
    schema: { type: "string" },
  },
  "Idempotency-Replayed": {
    description: "`true` when this is the answer of an earlier request with the same key",
    schema: { type: "string" },
  },
};

const headerRefs = (...names: readonly (keyof typeof headers)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function operation(route: Route, example: Example | undefined, parts: Components): Json {
  const { access, cost, summary } = route;
  const { operationId, tag } = namesOf(route);
  const parameters = [
    ...parametersOf("path", route.schemas.params, operationId, example?.params),
    ...parametersOf("query", route.schemas.query, operationId, example?.query),
    ...(takesBody(route) && route.body === "json" ? [idempotencyKey] : []),
    ...(takesBody(route) && route.surface === "trading" ? [expiresAfter] : []),
    ...(route.surface === "events" ? [lastEventId] : []),
    ...(route.isForAnyNode && route.cost !== 0 ? [minSequence] : []),
  ];
  const requestBody = bodyOf(route, example, parts);
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${accessText(access)} ${costText(cost)}`,
    security: securityOf(access),
    "x-rate-cost": cost,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...goodAnswers(route, example, parts), ...refusals(route, parts) },
  };
}

/** Its name and tag; a route that lacks its row has its place for a name, and the tests say so. */
const namesOf = (route: Route) =>
  operations.get(placeOf(route)) ?? { operationId: placeOf(route), tag: "Operation" };

function accessText(access: Route["access"]): string {
  switch (access) {
    case "public":
      return "Needs no credential.";
    case "operator":
      return "Needs the admin secret, or an operator's key that may give the command itself.";
    case "root":
      return "Needs the admin secret.";
    default:
      return isOperatorAccess(access)
        ? `Needs the admin secret, or an operator's key with the permission \`${access}\`.`
        : `Needs a key with the permission \`${access}\`.`;
  }
}

const costText = (cost: number): string =>
  cost === 0 ? "Costs nothing of the rate." : `Costs ${cost} of the rate.`;

function securityOf(access: Route["access"]): readonly Json[] {
  switch (access) {
    case "public":
      return [{}, { apiKey: [] }, { bearer: [] }];
    case "operator":
      return [{ adminSecret: [] }, { bearer: [] }];
    case "root":
      return [{ adminSecret: [] }];
    default:
      return isOperatorAccess(access)
        ? [{ adminSecret: [] }, { bearer: [access] }]
        : [{ bearer: [access] }];
  }
}

function parametersOf(
  place: "path" | "query",
  schema: TObject,
  operationId: string,
  examples: Readonly<Record<string, string>> = {},
): readonly Json[] {
  const required: readonly string[] = schema.required ?? [];
  return Object.entries(schema.properties).map(([name, member]) => {
    const { description = meaningOf(name, [operationId]), ...rest } = plain(member);
    const example = examples[name];
    return {
      name,
      in: place,
      required: place === "path" || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(example === undefined ? {} : { example: readAs(rest, example) }),
    };
  });
}

const readAs = ({ type }: Json, text: string): unknown =>
  type === "integer" || type === "number" ? Number(text) : text;

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the request safe to repeat for 24 hours. A key has 1 to 255 printable ASCII characters; " +
    'bare or as a quoted string (`k`, `"k"`) it is the same key',
  schema: { type: "string", minLength: 1, maxLength: 512 },
};

const expiresAfter = {
  name: "Expires-After",
  in: "header",
  required: false,
  description: "Unix milliseconds: later than this the request is refused and not carried out",
  schema: { type: "string", pattern: "^[0-9]{12,15}$" },
};

const lastEventId = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "Resumes after this id; 0 = from the first entry; absent = from now on",
  schema: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,14})$" },
};

const minSequence = {
  name: "Firstprint-Min-Sequence",
  in: "header",
  required: false,
  description:
    "The answer must show this entry: it waits a second for it, and then is 503 NODE_BEHIND",
  schema: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,14})$" },
};

function bodyOf(route: Route, example: Example | undefined, parts: Components): Json | undefined {
  const { body, schemas } = route;
  const sent = example?.sent;
  if (body !== "json") {
    const schema = { type: "string", format: "binary" };
    const shown = (type: string): Json =>
      type === "text/csv" && sent !== undefined ? { schema, example: sent } : { schema };
    return {
      required: true,
      description: `At most ${body.limitBytes} bytes`,
      content: Object.fromEntries(body.types.map((type) => [type, shown(type)])),
    };
  }
  if (Object.keys(schemas.body.properties).length === 0) return undefined;
  const content = {
    schema: parts.schema(schemas.body, namesOf(route).operationId),
    ...(sent === undefined ? {} : { example: JSON.parse(sent) }),
  };
  return {
    required: (schemas.body.required ?? []).length > 0,
    content: { "application/json": content },
  };
}

function goodAnswers(route: Route, example: Example | undefined, parts: Components): Json {
  const shown = shownAnswers(example);
  const { otherTypes = [] } = route;
  const content = {
    [answerType(route)]: { schema: enveloped(route, parts), ...shown },
    ...Object.fromEntries(otherTypes.map((type) => [type, { schema: { type: "string" } }])),
  };
  const replayed = takesBody(route)
    ? headerRefs("Idempotency-Replayed", "Idempotency-Kept-Seconds")
    : {};
  const usual = headerRefs(
    ...(["x-request-id", "Firstprint-Sequence", "RateLimit", "RateLimit-Policy"] as const),
  );
  const tagged = isKept(route) ? headerRefs("ETag") : {};
  const answer = { headers: { ...usual, ...tagged, ...replayed }, content };
  const statuses = [200, ...route.otherStatuses];
  const good = statuses.map((status) => [
    status,
    { description: descriptionOf(status), ...answer },
  ]);
  return {
    ...Object.fromEntries(good),
    ...(isKept(route)
      ? { 304: { description: notChanged, headers: { ...usual, ...tagged } } }
      : {}),
  };
}

const notChanged = "Not changed: the answer that `If-None-Match` names still holds";

/** Everybody is shown the same, so anybody may keep it. */
const isKept = ({ surface, access, method }: Route): boolean =>
  surface === "public" && access === "public" && method === "GET";

function shownAnswers(example: Example | undefined): Json {
  if (example === undefined) return {};
  const { answer, others } = example;
  if (others === undefined) return { example: answer };
  const named = Object.entries({ usual: answer, ...others });
  return { examples: Object.fromEntries(named.map(([name, value]) => [name, { value }])) };
}

/** Of a stream the schema is that of the `data` of each message. */
export const answerType = ({ surface }: Route): string =>
  surface === "events" ? "text/event-stream" : "application/json";

const descriptionOf = (status: number): string => (status === 200 ? "Done" : "The same, not ready");

function enveloped(route: Route, parts: Components): Json {
  const { surface, schemas, summary } = route;
  const { operationId } = namesOf(route);
  const data = parts.schema(schemas.data, operationId);
  if (surface === "bare" || surface === "events") return data;
  const siblings = Object.entries(schemas.siblings.properties).map(
    ([name, member]): [string, Json] => [
      name,
      described(parts.schema(member, operationId), name, operationId),
    ],
  );
  const success = surface === "trading" ? {} : { success: { type: "boolean", const: true } };
  const properties = {
    ...Object.fromEntries(
      Object.entries(success).map(([name, one]) => [name, described(one, name, operationId)]),
    ),
    data: { description: summary, ...data },
    ...Object.fromEntries(siblings),
  };
  const optional = siblings.filter(([name]) => !schemas.siblings.required?.includes(name));
  const names = new Set(optional.map(([name]) => name));
  const required = Object.keys(properties).filter((name) => !names.has(name));
  return { type: "object", required, properties };
}

function refusals(route: Route, parts: Components): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(route)) {
    const { status } = errorTable[code];
    if (route.otherStatuses.includes(status)) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(statuses.map(([status, codes]) => [status, parts.refusal(codes)]));
}

/** The components several operations share, by name, in the order of first use. */
class Components {
  readonly #schemas = new Map<string, Json>();
  readonly #responses = new Map<string, Json>();

  /** A schema with a title becomes a component of that name; `scope`: the operation it is of. */
  schema(schema: object, scope: string): Json {
    const found = this.#named(plain(schema), scope);
    return isJson(found) ? found : {};
  }

  #named(value: unknown, outer: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#named(item, outer));
    if (!isJson(value)) return value;
    const { title, ...rest } = value;
    const scope = typeof title === "string" ? title : outer;
    const inner: Json = {};
    for (const [name, member] of Object.entries(rest)) {
      const found = this.#named(member, scope);
      inner[name] = name === "properties" && isJson(found) ? describedAll(found, scope) : found;
    }
    if (typeof title !== "string") return title === undefined ? inner : { ...inner, title };
    const known = this.#schemas.get(title);
    const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(inner);
    invariant(isSame, `the title ${title} names one schema`);
    this.#schemas.set(title, inner);
    return { $ref: `#/components/schemas/${title}` };
  }

  refusal(codes: readonly ErrorCode[]): Json {
    const name = codes.join("-");
    const reference = { $ref: `#/components/responses/${name}` };
    if (this.#responses.has(name)) return reference;
    const error = this.schema(ErrorAnswer, "");
    const problem = this.schema(ProblemAnswer, "");
    const waits = codes.some((code) => waitsFor(code));
    this.#responses.set(name, {
      description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join("\n\n"),
      headers: headerRefs("x-request-id", ...(waits ? (["Retry-After"] as const) : [])),
      content: {
        "application/json": { schema: error },
        "application/problem+json": { schema: problem },
      },
      "x-error-codes": codes,
    });
    return reference;
  }

  collected(): Json {
    return {
      schemas: Object.fromEntries(this.#schemas),
      responses: Object.fromEntries(this.#responses),
    };
  }
}

/** With its meaning, where the schema does not say it itself. */
function described(schema: Json, name: string, scope: string): Json {
  const description = schema.description ?? meaningOf(name, [scope]);
  return description === undefined ? schema : { ...schema, description };
}

const describedAll = (properties: Json, scope: string): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isJson(schema) ? described(schema, name, scope) : schema,
    ]),
  );

function waitsFor(code: ErrorCode): boolean {
  const rule: ErrorRule = errorTable[code];
  return code === "RATE_LIMITED" || rule.retryAfterSeconds !== undefined;
}

/** Every refusal shows the same two schemas, hundreds of times a document. */
const plainSchemas = new WeakMap<object, Json>();

/** The schema as JSON: what it checks by, without what only the types know. Nobody changes it. */
function plain(schema: object): Json {
  const known = plainSchemas.get(schema);
  if (known !== undefined) return known;
  const copy: unknown = JSON.parse(JSON.stringify(schema), typedChoice);
  const made = isJson(copy) ? copy : {};
  plainSchemas.set(schema, made);
  return made;
}

/** Readers want to be told the type that a choice's own values have. */
function typedChoice(_name: string, value: unknown): unknown {
  if (!isJson(value) || !Array.isArray(value.enum) || value.type !== undefined) return value;
  const kinds = new Set(value.enum.map((choice: unknown) => typeof choice));
  if (kinds.size > 1) return value;
  return { type: kinds.has("number") ? "integer" : "string", ...value };
}

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
