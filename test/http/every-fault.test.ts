// A request with several mistakes is told all of them: nobody corrects one to meet the next.
// Invariant tested: error.errors names each missing or wrong field, once; field is the first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";

const faultsIn = (body: unknown): readonly string[] =>
  listAt(body, "error", "errors").map((one) => `${textAt(one, "field")} ${textAt(one, "message")}`);

test("a query's faults are named together, unknown and doubled parameters too", async (t) => {
  const world = await PublicWorld.open(t);
  for (const [query, message, fields] of [
    [
      "",
      "node is required; expiry must be a month written YYYY-MM; notional is required",
      ["node", "expiry", "notional"],
    ],
    ["node=state:tx&expiry=2027-10&notional=5&kind=layered", "", ["attachBps", "exhaustBps"]],
    ["foo=1&bar=2&node=state:tx&node=us", "", ["foo", "bar", "node", "expiry", "notional"]],
    ["node=state:tx&expiry=2027-10&notional=1.234", "", ["notional", "strikeBps"]],
    ["node=state:tx&expiry=soon&notional=0", "", ["notional", "expiry"]],
  ] as const) {
    const { status, body } = await world.get(`/api/quotes?${query}`);
    assert.equal(status, 400, query);
    const told = faultsIn(body);
    for (const field of fields) {
      const named = told.filter((fault) => fault.startsWith(`${field} `));
      assert.equal(named.length, 1, `${query}: ${field} once in ${told.join("; ")}`);
    }
    assert.equal(textAt(body, "error", "field"), told[0]?.split(" ")[0]);
    if (message !== "") assert.equal(textAt(body, "error", "message"), message);
  }
});

test("a body's faults are named together, those that depend on a choice too", async (t) => {
  const { world } = await PublicWorld.open(t);
  const { secret } = await world.account("a");
  const accept = async (body: object) =>
    (await world.post("/api/trading/acceptances", secret, body)).json();
  assert.deepEqual(
    faultsIn(await accept({ structure: "installments" })).map((fault) => fault.split(" ")[0]),
    ["marketId", "amount", "limitPrice"],
  );
  const named = { marketId: "mkt-001", amount: "10", limitPrice: 0.4 };
  assert.deepEqual(faultsIn(await accept({ ...named, structure: "installments" })), [
    "downPaymentBps is required for structure installments",
    "months is required for structure installments",
    "aprBps is required for structure installments",
  ]);
  assert.deepEqual(faultsIn(await accept({ ...named, structure: "at_funding", months: 3 })), [
    "months contradicts structure at_funding",
    "aprBps is required for structure at_funding",
    "fundingAt is required for structure at_funding",
  ]);
  const many = await accept(Object.fromEntries(Array.from("abcdefghij", (name) => [name, 1])));
  assert.equal(faultsIn(many).length, 14, "beyond the eight that the checker stops at by itself");
  assert.match(textAt(many, "error", "message"), /; and 10 more, in error\.errors$/);
});
