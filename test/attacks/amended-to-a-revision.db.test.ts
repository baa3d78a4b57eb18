// Two operators agree to settle on the provider's second thoughts, which suit one of them.
// Invariant: what a later release carries for a printed month is a revision, and settles nothing.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { textAt } from "#test/support/exchange.ts";
import type { PublicWorld } from "../http/public-world.ts";
import { openWithIntake } from "../http/sampled-world.ts";

const START = Date.UTC(2022, 10, 0);

/** Texas and California from October 2022 on, in the provider's wide form; `last`: Texas' last. */
function stateFile(months: number, last: string): string {
  const ends = Array.from({ length: months }, (_, step) => {
    const start = new Date(START);
    return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1 + step, 0))
      .toISOString()
      .slice(0, 10);
  });
  const values = (at: number) =>
    ends.map((_, step) => String((1_960_003 + 3_151 * step) / (7 + 4 * at)));
  const texas = values(0);
  const at = ends.indexOf("2024-11-30");
  if (at >= 0) texas[at] = last;
  return [
    ["RegionID,SizeRank,RegionName,RegionType,StateName", ...ends].join(","),
    ["9,0,California,state,", ...values(1)].join(","),
    ["54,1,Texas,state,", ...texas].join(","),
    "",
  ].join("\n");
}

async function publish(
  world: PublicWorld,
  day: string,
  text: string,
  declared = "",
): Promise<string> {
  await world.admin("POST", "clock", { setTo: `${day}T12:00:00Z` });
  const query = `provider=zillow&index=zhvi&level=state&publishedAt=${day}T00:00:00Z${declared}`;
  const taken = await world.admin("POST", `releases?${query}`, text, "text/csv");
  assert.equal(taken.status, 200, JSON.stringify(taken.body));
  assert.equal(textAt(taken.body, "data", "status"), "accepted");
  return textAt(taken.body, "data", "id");
}

async function disputed(t: TestContext) {
  const world = await openWithIntake(t);
  await publish(world, "2024-11-20", stateFile(25, ""));
  const market = {
    frontendId: "mkt-001",
    index: "zhvi",
    geoNodeId: "state:tx",
    measurementMonth: "2024-11",
    comparator: "gte",
    threshold: "291000",
  };
  assert.equal((await world.admin("POST", "markets", market)).status, 200);
  await publish(world, "2024-12-18", stateFile(26, "290000.123456789"));
  const opener = await world.world.funded(await world.world.account("opener", "operator"), "100");
  const claim = { reason: "a file was missed" };
  const opened = await world.world.post("/api/markets/mkt-001/disputes", opener.secret, claim);
  assert.equal(opened.statusCode, 200, opened.body);
  return world;
}

test("no value of a later release settles, not its digits and not its cents", async (t) => {
  const world = await disputed(t);
  const decide = "markets/mkt-001/dispute-decision";
  const amend = (value: string) => world.admin("POST", decide, { decision: "amend", value });
  // Another method, and said so: of one method validation would hold the place.
  const revised = stateFile(26, "292000.987654321");
  const later = await publish(world, "2024-12-20", revised, "&methodology=zhvi/2024");
  for (const value of ["292000.987654321", "292000.99"]) {
    const refused = await amend(value);
    assert.equal(refused.status, 422, JSON.stringify(refused.body));
    assert.equal(textAt(refused.body, "error", "code"), "DISPUTE_AMEND_REVISION");
    assert.equal(textAt(refused.body, "error", "details", "release"), later);
    assert.match(textAt(refused.body, "error", "message"), new RegExp(later));
    t.diagnostic(`after: ${refused.status} ${textAt(refused.body, "error", "code")}`);
  }
  for (const zero of ["0", "-1"]) {
    const refused = await amend(zero);
    assert.equal(refused.status, 400);
    assert.equal(textAt(refused.body, "error", "field"), "value");
  }
  // The value published before the file we took first is in none of the files there are.
  assert.equal((await amend("289000.5")).status, 200);
  const agreed = await world.second(decide, { decision: "amend", value: "289000.5" });
  assert.equal(agreed.status, 200, JSON.stringify(agreed.body));
  assert.equal(textAt(agreed.body, "data", "outcome"), "NO");
});
