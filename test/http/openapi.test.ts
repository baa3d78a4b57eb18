// The reference: what an exchange serves, whole, true to its own schemas, attributed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { adminPermissions, permissions } from "#core/records.ts";
import { errorTable } from "#http/route/errors.ts";
import type { Route } from "#http/route/route.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { drawDocument } from "../../tools/openapi.ts";
import { placeOf } from "../../tools/openapi-document.ts";
import { operations as named } from "../../tools/openapi-operations.ts";
import { checkOf, resolve } from "./contract.ts";
import { PublicWorld } from "./public-world.ts";

type Json = unknown;

const drawn: Json = drawDocument();

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every operation: `GET /api/time` and what is said of it. */
function operations(): readonly (readonly [string, Json])[] {
  const paths = at(drawn, "paths");
  assert.ok(isObject(paths));
  return Object.entries(paths).flatMap(([path, methods]) => {
    assert.ok(isObject(methods));
    return Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    );
  });
}

function withoutExamples(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "example" && name !== "examples")
      .map(([name, member]) => [name, withoutExamples(member)]),
  );
}

const documented = async (t: Parameters<typeof PublicWorld.open>[0]): Promise<readonly Route[]> =>
  (await PublicWorld.open(t)).world.routes.filter(({ surface }) => surface !== "page");

test("an exchange serves what is drawn of its routes, but for examples of its own", async (t) => {
  const { world } = await PublicWorld.open(t);
  const served: Json = (await world.get("/api/docs/openapi.json")).json();
  assert.deepEqual(
    withoutExamples(served),
    withoutExamples(drawn),
    "sdk/openapi.json is older than the routes: npm run openapi",
  );
  const documented = world.routes.filter(({ surface }) => surface !== "page");
  const places = documented.map((route) => placeOf(route).replaceAll(/:([A-Za-z]+)/g, "{$1}"));
  assert.deepEqual(
    operations()
      .map(([place]) => place)
      .toSorted(),
    places.toSorted(),
  );
});

test("every operation says what it does, who may, what it costs and how it refuses", () => {
  const ids = new Set<string>();
  const codes: readonly string[] = Object.keys(errorTable);
  for (const [place, operation] of operations()) {
    assert.ok(textAt(operation, "summary").length > 5, place);
    assert.match(textAt(operation, "description"), /^Needs .+\. Costs .+ of the rate\.$/, place);
    assert.ok(listAt(operation, "security").length > 0, place);
    ids.add(textAt(operation, "operationId"));
    const responses = at(operation, "responses");
    assert.ok(isObject(responses));
    for (const status of ["200", "400", "401", "429", "500"]) {
      assert.ok(status in responses, `${place} ${status}`);
    }
    for (const [status, response] of Object.entries(responses)) {
      const said = at(resolve(response, drawn), "x-error-codes");
      if (status === "200" || said === undefined) continue;
      assert.ok(Array.isArray(said) && said.every((code) => codes.includes(code)), place);
    }
  }
  assert.equal(ids.size, operations().length, "each has an id of its own");
});

test("every operation has a name and a tag chosen by hand", async (t) => {
  const routes = await documented(t);
  assert.deepEqual(
    routes.map(placeOf).filter((place) => !named.has(place)),
    [],
    "give it a row in tools/openapi-operations.ts",
  );
  assert.equal(named.size, routes.length, "no row is idle");
  for (const [place, operation] of operations()) {
    assert.match(textAt(operation, "operationId"), /^[a-z]+[A-Za-z]+$/, place);
  }
  const tags = listAt(drawn, "tags").map((tag) => textAt(tag, "name"));
  assert.ok(tags.length >= 8 && tags.length <= 12);
});

/** Where a parameter or a property is that no word explains. */
function undescribed(value: Json, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => undescribed(item, `${path}/${at}`));
  if (!isObject(value)) return [];
  const isParameter = typeof value.in === "string" && typeof value.name === "string";
  const here = isParameter && !isSaid(value) ? [`${path} ${String(value.name)}`] : [];
  const { properties } = value;
  const bare = isObject(properties)
    ? Object.entries(properties).flatMap(([name, schema]) =>
        isSaid(schema) ? [] : [`${path}.${name}`],
      )
    : [];
  const inner = Object.entries(value)
    .filter(([name]) => name !== "example" && name !== "examples")
    .flatMap(([name, member]) => undescribed(member, `${path}/${name}`));
  return [...here, ...bare, ...inner];
}

const isSaid = (schema: Json): boolean =>
  isObject(schema) && typeof schema.description === "string" && schema.description.length > 3;

test("every parameter and every property says what it is", () => {
  assert.deepEqual(undescribed(drawn, ""), [], "give it a word in tools/openapi-words.ts");
  const bare = { properties: { x: { type: "string" } } };
  assert.deepEqual(undescribed({ a: bare }, ""), ["/a.x"], "the walk finds one");
});

test("no schema bears a name that languages use, and a code is one of the table", () => {
  const schemas = at(drawn, "components", "schemas");
  assert.ok(isObject(schemas));
  const taken = new Set(["Error", "Object", "String", "Number", "Date", "Map", "Set", "Response"]);
  assert.deepEqual(
    Object.keys(schemas).filter((name) => taken.has(name)),
    [],
  );
  const codes = listAt(schemas, "ErrorAnswer", "properties", "code", "enum");
  assert.deepEqual(codes, Object.keys(errorTable).sort());
});

test("the credential and the permission are those the route asks for", async (t) => {
  for (const route of await documented(t)) {
    const path = route.url.replaceAll(/:([A-Za-z]+)/g, "{$1}");
    const operation = at(drawn, "paths", path, route.method.toLowerCase());
    const security = at(operation, "security");
    const { access } = route;
    const permission = permissions.find((one) => one === access);
    const isOperators = adminPermissions.some((one) => one === access);
    const expected = isOperators
      ? [{ adminSecret: [] }, { bearer: [access] }]
      : permission !== undefined
        ? [{ bearer: [permission] }]
        : access === "public"
          ? [{}, { apiKey: [] }, { bearer: [] }]
          : access === "operator"
            ? [{ adminSecret: [] }, { bearer: [] }]
            : [{ adminSecret: [] }];
    assert.deepEqual(security, expected, placeOf(route));
  }
});

test("every reference leads somewhere, and no component is idle", () => {
  const used = new Set<string>();
  const walk = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (!isObject(value)) return;
    if (typeof value.$ref === "string") {
      used.add(value.$ref);
      const steps = value.$ref.slice(2).split("/");
      assert.notEqual(at(drawn, ...steps), undefined, value.$ref);
    }
    Object.values(value).forEach(walk);
  };
  walk(drawn);
  for (const kind of ["schemas", "responses", "headers"]) {
    const components = at(drawn, "components", kind);
    assert.ok(isObject(components));
    for (const name of Object.keys(components)) {
      assert.ok(used.has(`#/components/${kind}/${name}`), `${kind} ${name} is used`);
    }
  }
});

test("every operation has an example from a run, and it keeps the schema beside it", () => {
  for (const [place, operation] of operations()) {
    for (const answer of answersOf(operation)) assert.deepEqual(faultsOf(answer), [], place);
    const contents = at(operation, "requestBody", "content");
    if (!isObject(contents)) continue;
    const json = contents["application/json"];
    if (json !== undefined) assert.deepEqual(faultsOf(json), [], `${place}: what is sent`);
    else assert.ok(textAt(contents, "text/csv", "example").length > 0, place);
  }
});

/** Of a stream it is that of a message. */
function answerOf(operation: Json): Json {
  const content = at(operation, "responses", "200", "content");
  return at(content, "application/json") ?? at(content, "text/event-stream");
}

/** One answer, or each of several, beside the schema. */
function answersOf(operation: Json): readonly Json[] {
  const content = answerOf(operation);
  const several = at(content, "examples");
  if (!isObject(several)) return [content];
  const schema = at(content, "schema");
  return Object.values(several).map((one) => ({ schema, example: at(one, "value") }));
}

test("a release that was held back is shown beside one that was taken", () => {
  const operation = operations().find(([place]) => place === "POST /api/admin/releases")?.[1];
  const held = at(answerOf(operation), "examples", "held", "value", "data");
  assert.equal(at(held, "status"), "quarantined");
  assert.ok(listAt(held, "reasons").length > 0);
});

function faultsOf(content: Json): readonly string[] {
  assert.ok(isObject(content) && "example" in content, JSON.stringify(content));
  const schema = resolve(content.schema, drawn);
  assert.ok(isObject(schema));
  return checkOf(schema)(content.example);
}

/** The names of an index value wherever one is shown. */
const valueNames: ReadonlySet<string> = new Set([
  "value",
  "settledValue",
  "comparisonValue",
  "series",
  "observation",
  "fairValue",
]);

/** Objects with an index value that neither they nor what holds them attributes. */
function unattributed(schema: Json, isCovered: boolean, path: string): readonly string[] {
  if (Array.isArray(schema)) {
    return schema.flatMap((item, place) => unattributed(item, isCovered, `${path}/${place}`));
  }
  if (!isObject(schema)) return [];
  const { properties } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const covered = isCovered || requires(schema, "attribution");
  const bare = !covered && names.some((name) => valueNames.has(name)) ? [path] : [];
  const inner = Object.entries(schema).flatMap(([name, member]) =>
    unattributed(member, covered, `${path}/${name}`),
  );
  return [...bare, ...inner];
}

const requires = ({ required, properties }: Record<string, Json>, name: string): boolean =>
  Array.isArray(required) && required.includes(name) && isObject(properties) && name in properties;

test("no answer carries an index value without its attribution", () => {
  let attributed = 0;
  for (const [place, operation] of operations()) {
    const content = answerOf(operation);
    const schema = resolve(at(content, "schema"), drawn);
    assert.deepEqual(unattributed(schema, false, place), []);
    const text = JSON.stringify(at(content, "example") ?? at(content, "examples"));
    if (!JSON.stringify(schema).includes('"attribution"')) continue;
    attributed += 1;
    assert.match(text, /"attribution":"Data from [^"]+"/, place);
  }
  assert.ok(attributed >= 9, "values are shown, and with them their attribution");
});

test("the walk finds a value that nobody attributes", () => {
  const value = { type: "object", required: ["value"], properties: { value: { type: "number" } } };
  const held = { type: "object", properties: { data: { type: "array", items: value } } };
  assert.deepEqual(unattributed(held, false, "x"), ["x/properties/data/items"]);
  const optional = { ...value, properties: { ...value.properties, attribution: {} } };
  assert.equal(unattributed(optional, false, "x").length, 1, "an optional one is none");
});
