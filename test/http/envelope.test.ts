// How answers and refusals look, byte for byte, on each surface.
import assert from "node:assert/strict";
import { test } from "node:test";
import { streamFrame, writeData, writeProblem } from "#http/route/envelope.ts";
import { invalidField, type Problem } from "#http/route/errors.ts";

const id = "0b6f7a52-0000-4000-8000-000000000000";

test("each surface wraps its data its own way", () => {
  const siblings = { unknownIds: ["zip:1"] };
  assert.equal(writeData("trading", { a: 1 }), '{"data":{"a":1}}');
  assert.equal(
    writeData("public", [1], siblings),
    '{"success":true,"data":[1],"unknownIds":["zip:1"]}',
  );
  assert.equal(writeData("admin", null), '{"success":true,"data":null}');
  assert.equal(writeData("bare", { mode: "open" }), '{"mode":"open"}');
});

test("a streamed array is framed as a whole answer would be", () => {
  for (const surface of ["trading", "public", "admin", "bare"] as const) {
    const [open, close] = streamFrame(surface);
    assert.equal(`${open}1,2${close}`, writeData(surface, [1, 2]));
  }
});

test("a refusal says its code and message twice, and what became of the request", () => {
  const { refused } = invalidField("price", "must be a decimal", { index: 3 });
  const written = writeProblem(refused, id, false);
  assert.equal(written.status, 400);
  assert.equal(written.contentType, "application/json; charset=utf-8");
  assert.deepEqual(JSON.parse(written.body), {
    success: false,
    error: {
      code: "INVALID_REQUEST",
      message: "price must be a decimal",
      field: "price",
      details: { index: 3 },
      errors: [{ field: "price", message: "must be a decimal" }],
      retryable: false,
      outcome: "not_applied",
      requestId: id,
    },
    code: "INVALID_REQUEST",
    message: "price must be a decimal",
  });
});

test("field, details and errors are absent where there is nothing to say", () => {
  const { error } = JSON.parse(writeProblem({ code: "MARKET_NOT_FOUND" }, id, false).body);
  assert.deepEqual(Object.keys(error), ["code", "message", "retryable", "outcome", "requestId"]);
});

test("an unknown outcome says so, may be retried, and names a wait", () => {
  const written = writeProblem({ code: "OUTCOME_UNKNOWN" }, id, false);
  const { error } = JSON.parse(written.body);
  assert.equal(written.status, 503);
  assert.equal(error.outcome, "unknown");
  assert.equal(error.retryable, true);
  assert.equal(written.headers["retry-after"], "2");
});

test("application/problem+json is RFC 9457 with the same particulars", () => {
  const problem: Problem = {
    code: "INSUFFICIENT_BALANCE",
    details: { required: "12.5", available: "3" },
  };
  const written = writeProblem(problem, id, true);
  assert.equal(written.status, 422);
  assert.equal(written.contentType, "application/problem+json; charset=utf-8");
  assert.deepEqual(JSON.parse(written.body), {
    type: "urn:firstprint:error:INSUFFICIENT_BALANCE",
    title: "Insufficient balance",
    status: 422,
    detail: "Insufficient balance",
    code: "INSUFFICIENT_BALANCE",
    details: { required: "12.5", available: "3" },
    retryable: false,
    outcome: "not_applied",
    requestId: id,
  });
});

test("401 names the scheme, 405 the methods, 429 the wait", () => {
  const headers = (problem: Problem) => writeProblem(problem, id, false).headers;
  assert.deepEqual(headers({ code: "UNAUTHENTICATED" }), { "www-authenticate": "Bearer" });
  assert.deepEqual(headers({ code: "METHOD_NOT_ALLOWED", allow: "GET, HEAD" }), {
    allow: "GET, HEAD",
  });
  assert.deepEqual(headers({ code: "RATE_LIMITED", retryAfterSeconds: 7 }), { "retry-after": "7" });
});
