// The SDK's types are those of the committed document, and a change of it does not go unseen.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readDocument, typesOf, typesPath } from "../../tools/sdk-types.ts";

const committed = readFileSync(typesPath, "utf8");

/** The document with the value at a path replaced, or taken out. */
function changed(path: readonly string[], value: unknown): unknown {
  const document = structuredClone(readDocument());
  let holder: unknown = document;
  for (const name of path.slice(0, -1)) {
    assert.ok(typeof holder === "object" && holder !== null, path.join("."));
    holder = Reflect.get(holder, name);
  }
  assert.ok(typeof holder === "object" && holder !== null, path.join("."));
  const last = path.at(-1) ?? "";
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else Reflect.set(holder, last, value);
  return document;
}

test("sdk/src/openapi.ts is what docs/reference/openapi.json gives", () => {
  const advice = "run `npm run sdk-types -- --write` and commit what it writes";
  assert.ok(committed === typesOf(readDocument()), advice);
});

const order = ["components", "schemas", "Order", "properties"];
const place = ["paths", "/api/trading/orders", "post"];

for (const [what, path, value] of [
  ["a field that is gone", [...order, "price"], undefined],
  ["a field of another type", [...order, "price"], { type: "string" }],
  ["a new field", [...order, "venue"], { type: "string" }],
  ["an operation that is gone", place, undefined],
  ["a parameter less", [...place, "parameters"], []],
  ["another answer", [...place, "responses", "200", "content"], { "text/csv": {} }],
] as const) {
  test(`the gate sees ${what}`, () => {
    assert.notEqual(typesOf(changed(path, value)), committed);
  });
}

test("the gate sees a field that has become optional", () => {
  const document = changed(["components", "schemas", "Order", "required"], ["id"]);
  assert.notEqual(typesOf(document), committed);
});

test("the gate sees a code of refusal that is new", () => {
  const path = ["components", "schemas", "ErrorAnswer", "properties", "code", "enum", "0"];
  assert.match(typesOf(changed(path, "A_NEW_CODE")), /^ {2}"A_NEW_CODE",$/m);
});

test("a keyword that no type is known for is not passed over", () => {
  const schema = { type: "object", properties: {}, dependentRequired: {} };
  assert.throws(() => typesOf(changed([...order, "price"], schema)), /"dependentRequired"/);
  assert.throws(() => typesOf(changed([...order, "price"], { type: "money" })), /"money"/);
});
