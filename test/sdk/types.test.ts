// The SDK's types follow the document: no change of it leaves them as they were.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawDocument } from "../../tools/openapi.ts";
import { typesOf } from "../../tools/sdk-types.ts";

const document = drawDocument();
const types = typesOf(document);

/** The document with the value at a path replaced, or taken out. */
function changed(path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(document);
  let holder: unknown = copy;
  for (const name of path.slice(0, -1)) {
    assert.ok(typeof holder === "object" && holder !== null, path.join("."));
    holder = Reflect.get(holder, name);
  }
  assert.ok(typeof holder === "object" && holder !== null, path.join("."));
  const last = path.at(-1) ?? "";
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else Reflect.set(holder, last, value);
  return copy;
}

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
  test(`the types show ${what}`, () => {
    assert.notEqual(typesOf(changed(path, value)), types);
  });
}

test("the types show a field that has become optional", () => {
  const path = ["components", "schemas", "Order", "required"];
  assert.notEqual(typesOf(changed(path, ["id"])), types);
});

test("the types show a code of refusal that is new", () => {
  const path = ["components", "schemas", "ErrorAnswer", "properties", "code", "enum", "0"];
  assert.match(typesOf(changed(path, "A_NEW_CODE")), /^ {2}"A_NEW_CODE",$/m);
});

test("a keyword that no type is known for is not passed over", () => {
  const schema = { type: "object", properties: {}, dependentRequired: {} };
  assert.throws(() => typesOf(changed([...order, "price"], schema)), /"dependentRequired"/);
  assert.throws(() => typesOf(changed([...order, "price"], { type: "money" })), /"money"/);
});
