// A sound request for every route, from the examples of the reference: what the tour sent.
// Invariant: a route without a sample is an error here; nobody writes a second list of requests.
import assert from "node:assert/strict";
import type { Route } from "#http/route/route.ts";
import type { Json } from "#test/support/exchange.ts";
import { readExamples } from "../../tools/openapi.ts";
import { placeOf } from "../../tools/openapi-document.ts";

export interface Sample {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON, or the text of a file. */
  readonly body: Json;
  readonly contentType: string | undefined;
}

const examples = readExamples();

export function sampleOf(route: Route): Sample {
  if (route.surface === "page") return none;
  const example = examples.get(placeOf(route));
  assert.ok(
    example !== undefined,
    `${placeOf(route)} has no sample: give it a step in test/http/tour.ts, then ` +
      "npm run openapi -- --record",
  );
  const { params, query, sent } = example;
  if (sent === undefined) return { params, query, body: undefined, contentType: undefined };
  return route.body === "json"
    ? { params, query, body: JSON.parse(sent), contentType: "application/json" }
    : { params, query, body: sent, contentType: "text/csv" };
}

const none: Sample = { params: {}, query: {}, body: undefined, contentType: undefined };

/** The same request about other things: every text of it passes through `renamed`. */
export function about(sample: Sample, renamed: (text: string) => string): Sample {
  const inRecord = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([name, text]) => [name, renamed(text)]));
  const isFile = sample.contentType === "text/csv";
  return {
    ...sample,
    params: inRecord(sample.params),
    query: inRecord(sample.query),
    body: isFile ? sample.body : inJson(sample.body, renamed),
  };
}

function inJson(value: Json, renamed: (text: string) => string): Json {
  if (typeof value === "string") return renamed(value);
  if (Array.isArray(value)) return value.map((item) => inJson(item, renamed));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, inJson(member, renamed)]),
  );
}

/** As the server's `inject` takes it. */
export function requestOf(route: Route, { params, query, body, contentType }: Sample) {
  const path = route.url
    .replaceAll(/:([A-Za-z]+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ""))
    .replace(/\*$/, params["*"] ?? "*");
  const search = new URLSearchParams(query).toString();
  return {
    method: route.method,
    url: search === "" ? path : `${path}?${search}`,
    headers: contentType === undefined ? {} : { "content-type": contentType },
    ...(body === undefined
      ? {}
      : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
  };
}
