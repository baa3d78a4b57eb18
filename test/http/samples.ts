// A sound request for every route, from the committed reference: what the tour sent, kept there.
// Invariant: a route without a sample is an error here; nobody writes a second list of requests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Route } from "#http/route/route.ts";
import { at, type Json } from "#test/support/exchange.ts";
import { placeOf } from "../../tools/openapi-document.ts";

export interface Sample {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON, or the text of a file. */
  readonly body: Json;
  readonly contentType: string | undefined;
}

export const committed: Json = JSON.parse(
  readFileSync(new URL("../../docs/reference/openapi.json", import.meta.url), "utf8"),
);

export function sampleOf(route: Route): Sample {
  if (route.surface === "page") return none;
  const path = route.url.replaceAll(/:([A-Za-z]+)/g, "{$1}");
  const operation = at(committed, "paths", path, route.method.toLowerCase());
  const answers = at(operation, "responses", "200", "content");
  const types = ["application/json", "text/event-stream"];
  assert.ok(
    types.some((type) => ["example", "examples"].some((one) => at(answers, type, one))),
    `${placeOf(route)} has no sample: give it a step in test/http/tour.ts, then ` +
      "node tools/openapi.ts --write",
  );
  const parameters = at(operation, "parameters") ?? [];
  assert.ok(Array.isArray(parameters));
  const given = (place: string): Record<string, string> =>
    Object.fromEntries(
      parameters
        .filter((one) => at(one, "in") === place && at(one, "example") !== undefined)
        .map((one) => [String(at(one, "name")), String(at(one, "example"))]),
    );
  const contents = at(operation, "requestBody", "content");
  const contentType = ["application/json", "text/csv"].find(
    (type) => at(contents, type, "example") !== undefined,
  );
  const body = contentType === undefined ? undefined : at(contents, contentType, "example");
  return { params: given("path"), query: given("query"), body, contentType };
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
