// The summary of a change of the interface, on a made-up pair of documents: each difference that a
// program meets has its line, and words make none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { differencesOf } from "./interface-diff.ts";
import { drawDocument } from "./openapi.ts";

const parameter = (name: string, required: boolean, schema: object) => ({
  ...{ name, in: "query", required, schema },
});

const json = (schema: object) => ({ content: { "application/json": { schema } } });

/** One operation with a parameter, a body, an answer and a refusal. */
const operation = {
  operationId: "placeOrder",
  summary: "Places an order",
  security: [{ bearer: ["create:orders"] }],
  "x-rate-cost": 1,
  parameters: [parameter("limit", false, { type: "integer", maximum: 100 })],
  requestBody: {
    required: true,
    ...json({ type: "object", required: ["side"], properties: { side: { enum: ["BUY"] } } }),
  },
  responses: {
    200: json({ $ref: "#/components/schemas/Order" }),
    400: { $ref: "#/components/responses/INVALID" },
  },
};

const components = {
  schemas: {
    Order: {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string" }, legs: { type: "array", items: { type: "number" } } },
    },
  },
  responses: { INVALID: { "x-error-codes": ["INVALID_REQUEST"] } },
};

const made = (post: object, more: object = components) => ({
  paths: { "/api/orders": { post } },
  components: more,
});

const before = made(operation);

test("a document differs in nothing from itself, nor from the same in other words", () => {
  assert.deepEqual(differencesOf(before, structuredClone(before)), []);
  assert.deepEqual(differencesOf(before, made({ ...operation, summary: "Sends an order" })), []);
  const drawn = drawDocument();
  assert.deepEqual(differencesOf(drawn, structuredClone(drawn)), []);
});

test("operations that came and went are named, and so are records", () => {
  const moved = { paths: { "/api/books": { get: operation } }, components: { schemas: {} } };
  assert.deepEqual(differencesOf(before, moved), [
    "+ GET /api/books",
    "- POST /api/orders",
    "- record Order",
  ]);
});

test("a changed operation tells each parameter, field, status, refusal, right and cost", () => {
  const after = made({
    ...operation,
    security: [{}],
    "x-rate-cost": 2,
    parameters: [
      parameter("limit", true, { type: "integer", maximum: 50 }),
      parameter("from", false, { type: "string" }),
    ],
    requestBody: json({
      type: "object",
      properties: { side: { enum: ["BUY", "SELL"] }, note: { type: "string" } },
    }),
    responses: {
      200: json({ type: "string" }),
      409: { "x-error-codes": ["CONFLICT", "FULL"] },
    },
  });
  assert.deepEqual(differencesOf(before, after), [
    "~ POST /api/orders",
    "    ~ 200: string, was Order",
    '    ~ access: [{}], was [{"bearer":["create:orders"]}]',
    "    ~ body: optional object, was object",
    "    + body.note: optional string",
    "    ~ body.side: optional one of these, was one of these",
    "    + body.side = SELL",
    "    ~ cost: 2, was 1",
    "    + parameter from in query: optional string",
    "    ~ parameter limit in query: integer, maximum 50, was optional integer, maximum 100",
    "    - refusal 400 INVALID_REQUEST",
    "    + refusal 409 CONFLICT",
    "    + refusal 409 FULL",
    "    - status 400",
    "    + status 409",
  ]);
});

test("a change of a record that operations share is told once, under its name", () => {
  const Order = {
    type: "object",
    properties: {
      id: { anyOf: [{ type: "null" }, { type: "object", properties: { text: {} } }] },
      legs: { type: "array", items: { type: "string" } },
    },
  };
  assert.deepEqual(differencesOf(before, made(operation, { ...components, schemas: { Order } })), [
    "~ record Order",
    "    ~ Order.id: optional null | object, was string",
    "    + Order.id.text: optional anything",
    "    ~ Order.legs[]: string, was number",
  ]);
});
