// The operator's surface over real server and engine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInstant } from "#http/admin/instant.ts";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";

async function done(world: PublicWorld, path: string, body: unknown): Promise<unknown> {
  const reply = await world.admin("POST", path, body);
  assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`);
  return at(reply.body, "data");
}

async function refused(
  world: PublicWorld,
  path: string,
  body: unknown,
  status: number,
  code: string,
): Promise<unknown> {
  const reply = await world.admin("POST", path, body);
  assert.equal(reply.status, status, `${path}: ${JSON.stringify(reply.body)}`);
  assert.equal(textAt(reply.body, "error", "code"), code, path);
  return reply.body;
}

test("an account is opened with a key that holds everything and works at once", async (t) => {
  const world = await PublicWorld.open(t);
  const opened = await done(world, "accounts", { name: "Ann", role: "trader" });
  assert.match(textAt(opened, "account", "address"), /^0x[0-9a-f]{40}$/);
  assert.equal(textAt(opened, "account", "createdAt"), "2024-11-20T00:00:00.000Z");
  assert.equal(listAt(opened, "key", "permissions").length, 6);
  assert.equal(numberAt(opened, "key", "rateLimit"), 6_000);
  const secret = textAt(opened, "key", "secret");
  const status = await world.world.get("/api/kyc/status", secret);
  assert.equal(status.statusCode, 200);

  const second = await done(world, "accounts", { name: "Bob", role: "auditor" });
  assert.notEqual(textAt(second, "account", "address"), textAt(opened, "account", "address"));
  await refused(world, "accounts", { name: "", role: "trader" }, 400, "INVALID_REQUEST");
  await refused(world, "accounts", { name: "Eve", role: "root" }, 400, "INVALID_REQUEST");
  await refused(world, "accounts", { name: "Eve" }, 400, "INVALID_REQUEST");

  const list = await world.admin("GET", "accounts");
  assert.deepEqual(
    listAt(list.body, "data").map((account) => textAt(account, "name")),
    ["Ann", "Bob"],
  );
  assert.ok(!JSON.stringify(list.body).includes(secret), "a list never shows a secret");
  assert.equal((await world.admin("GET", "accounts/acc-9")).status, 404);
});

test("an account has an owner, its own unless another account's is named", async (t) => {
  const world = await PublicWorld.open(t);
  const first = await done(world, "accounts", { name: "Ann", role: "trader" });
  assert.equal(textAt(first, "account", "owner"), "acc-1");
  const named = { name: "Ann, second desk", role: "trader", owner: "acc-1" };
  const second = await done(world, "accounts", named);
  assert.equal(textAt(second, "account", "owner"), "acc-1");
  await done(world, "accounts", { name: "Bob", role: "trader" });
  const joined = await done(world, "accounts/acc-3/owner", { owner: "acc-2" });
  assert.equal(textAt(joined, "owner"), "acc-1");
  const shown = await world.admin("GET", "accounts/acc-3");
  assert.equal(textAt(shown.body, "data", "owner"), "acc-1");
  const own = await done(world, "accounts/acc-3/owner", { owner: "acc-3" });
  assert.equal(textAt(own, "owner"), "acc-3");

  const unknown = { name: "Eve", role: "trader", owner: "acc-9" };
  const refusal = await refused(world, "accounts", unknown, 404, "ACCOUNT_NOT_FOUND");
  assert.equal(textAt(refusal, "error", "field"), "owner");
  await refused(world, "accounts/acc-9/owner", { owner: "acc-1" }, 404, "ACCOUNT_NOT_FOUND");
  await refused(world, "accounts/acc-1/owner", { owner: "" }, 400, "INVALID_REQUEST");
});

test("the operator's surface is for operators", async (t) => {
  const world = await PublicWorld.open(t);
  const trader = await world.world.account("trader");
  const operator = await world.world.account("operator", "operator");
  const url = "/api/admin/accounts";
  assert.equal((await world.world.get(url)).statusCode, 401);
  assert.equal((await world.world.get(url, trader.secret)).statusCode, 403);
  assert.equal((await world.world.get(url, operator.secret)).statusCode, 200);
  const wrong = await world.world.get(url, undefined, { "x-admin-secret": "wrong" });
  assert.equal(wrong.statusCode, 401);
});

test("KYC is decided, and what is not said is not invented", async (t) => {
  const world = await PublicWorld.open(t);
  await done(world, "accounts", { name: "Ann", role: "trader" });
  const path = "accounts/acc-1/kyc";
  await refused(world, path, { decision: "approve" }, 422, "KYC_TIER_MISSING");
  const screened = { sanctionsCleared: true, pepScreened: true, adverseMediaCleared: true };
  for (const flag of Object.keys(screened)) {
    for (const said of [undefined, false]) {
      const body = { decision: "approve", tier: "basic", ...screened, [flag]: said };
      const lacking = await refused(world, path, body, 422, "KYC_NOT_CLEARED");
      assert.equal(textAt(lacking, "error", "field"), flag, `${said}`);
      assert.match(textAt(lacking, "error", "message"), new RegExp(`: ${flag}$`));
    }
  }
  const unsaid = { decision: "approve", tier: "basic" };
  const none = await refused(world, path, unsaid, 422, "KYC_NOT_CLEARED");
  assert.match(textAt(none, "error", "message"), /: sanctionsCleared, pepScreened, adverseMedia/);
  const basic = await done(world, path, { ...unsaid, ...screened, countryCode: "US" });
  assert.equal(textAt(basic, "status"), "approved");
  assert.equal(numberAt(basic, "limits", "maxPosition"), 10_000);
  for (const flag of ["sanctionsCleared", "pepScreened", "adverseMediaCleared"]) {
    assert.equal(at(basic, flag), true, flag);
  }
  const hit = await done(world, path, { decision: "reject", sanctionsCleared: false });
  assert.equal(textAt(hit, "status"), "rejected");
  assert.equal(at(hit, "sanctionsCleared"), false);
  assert.equal(at(hit, "limits"), null);
  const again = { decision: "approve", tier: "basic", ...screened };
  for (const accreditation of [
    { basis: "", evidenceId: "ev-17" },
    { basis: "qualified purchaser" },
    { basis: "qualified purchaser", evidenceId: "ev-17", expiresAt: 1e11 },
    { basis: "qualified purchaser", evidenceId: "ev-17", expiresAt: "1" },
    { basis: "qualified purchaser", evidenceId: "ev-17", passport: "x" },
    null,
  ]) {
    await refused(world, path, { ...again, accreditation }, 400, "INVALID_REQUEST");
  }
  const given = { basis: "qualified purchaser", evidenceId: "ev-17" };
  const late = { ...again, accreditation: { ...given, expiresAt: 1 } };
  const past = await refused(world, path, late, 400, "EXPIRY_PAST");
  assert.equal(textAt(past, "error", "field"), "accreditation.expiresAt");
  const both = { decision: "reject", accreditation: given };
  await refused(world, path, both, 400, "INVALID_REQUEST");
  await refused(world, "accounts/acc-7/kyc", again, 404, "ACCOUNT_NOT_FOUND");
  await refused(world, path, { ...again, countryCode: "USA" }, 400, "INVALID_REQUEST");
  await refused(world, path, { ...again, passport: "x" }, 400, "INVALID_REQUEST");
});

test("funding is exact to the micro-dollar, and never more out than is there", async (t) => {
  const world = await PublicWorld.open(t);
  await done(world, "accounts", { name: "Ann", role: "trader" });
  const path = "accounts/acc-1/funding";
  await refused(world, path, { amount: "1" }, 403, "KYC_REQUIRED");
  const screened = { sanctionsCleared: true, pepScreened: true, adverseMediaCleared: true };
  await done(world, "accounts/acc-1/kyc", { decision: "approve", tier: "basic", ...screened });
  await refused(world, path, { amount: "1" }, 403, "ACCREDITATION_REQUIRED");
  const accreditation = { basis: "qualified purchaser", evidenceId: "ev-17" };
  const approval = { decision: "approve", tier: "basic", ...screened, accreditation };
  const approved = await done(world, "accounts/acc-1/kyc", approval);
  assert.equal(textAt(approved, "accreditation", "evidenceId"), "ev-17");
  assert.equal(numberAt(approved, "accreditation", "expiresAt"), numberAt(approved, "expiresAt"));
  assert.deepEqual(await done(world, path, { amount: "1000.000001", memo: "wire 7" }), {
    cash: "1000.000001",
    available: "1000.000001",
  });
  assert.equal(textAt(await done(world, path, { amount: "-0.000001" }), "cash"), "1000");
  const short = await refused(world, path, { amount: "-1000.01" }, 422, "INSUFFICIENT_BALANCE");
  assert.equal(textAt(short, "error", "message"), "Insufficient balance");
  assert.equal(textAt(short, "error", "details", "available"), "1000");
  for (const amount of [
    "0",
    "1e3",
    "+5",
    " 5",
    "5.0000001",
    "",
    "-0",
    "1000000000000.01",
    5,
    null,
  ]) {
    await refused(world, path, { amount }, 400, "INVALID_REQUEST");
  }
  await refused(world, "accounts/acc-2/funding", { amount: "1" }, 404, "ACCOUNT_NOT_FOUND");
  const shown = await world.admin("GET", "accounts/acc-1");
  assert.equal(textAt(shown.body, "data", "cash"), "1000");
});

test("the pool for premiums is funded, drawn from what is not lent, and shown", async (t) => {
  const world = await PublicWorld.open(t);
  assert.deepEqual(await done(world, "financing", { amount: "1000.5", memo: "seed" }), {
    pool: "1000.5",
  });
  assert.deepEqual(await done(world, "financing", { amount: "-0.5" }), { pool: "1000" });
  await refused(world, "financing", { amount: "-1000.01" }, 422, "INSUFFICIENT_BALANCE");
  for (const amount of ["0", "1e3", "", "-0", 5, null]) {
    await refused(world, "financing", { amount }, 400, "INVALID_REQUEST");
  }
  const shown = await world.admin("GET", "financing");
  assert.deepEqual(at(shown.body, "data"), {
    pool: "1000",
    lent: "0",
    available: "1000",
    writtenOff: "0",
    overdue: "0",
  });

  await done(world, "accounts", { name: "Ann", role: "trader" });
  const set = await done(world, "accounts/acc-1/credit", { line: "500.25" });
  assert.equal(textAt(set, "creditLine"), "500.25");
  const back = await done(world, "accounts/acc-1/credit", { line: null });
  assert.equal(at(back, "creditLine"), undefined);
  for (const line of ["-1", "1e3", "", 5]) {
    await refused(world, "accounts/acc-1/credit", { line }, 400, "INVALID_REQUEST");
  }
  await refused(world, "accounts/acc-9/credit", { line: "1" }, 404, "ACCOUNT_NOT_FOUND");
});

test("an account's own limits: lowered by one, raised by two, back to its tier's", async (t) => {
  const world = await PublicWorld.open(t);
  await done(world, "accounts", { name: "Ann", role: "trader" });
  const caps = "accounts/acc-1/caps";
  const set = await done(world, caps, { maxDaily: "1000.5", maxOpenOrders: 20 });
  assert.deepEqual([textAt(set, "maxDaily"), at(set, "maxOpenOrders")], ["1000.5", 20]);
  const shown = await world.admin("GET", "accounts/acc-1");
  assert.equal(at(shown.body, "data", "maxDaily"), "1000.5");
  const back = await done(world, caps, { maxDaily: null });
  assert.deepEqual([at(back, "maxDaily"), at(back, "maxOpenOrders")], [undefined, 20]);
  for (const maxDaily of ["-1", "1e3", "", 5]) {
    await refused(world, caps, { maxDaily }, 400, "INVALID_REQUEST");
  }
  for (const maxOpenOrders of [-1, 5_001, 1.5, "5"]) {
    await refused(world, caps, { maxOpenOrders }, 400, "INVALID_REQUEST");
  }
  await refused(world, caps, {}, 400, "INVALID_REQUEST");
  await refused(world, "accounts/acc-9/caps", { maxDaily: "1" }, 404, "ACCOUNT_NOT_FOUND");
});

test("halts: an account, and everything", async (t) => {
  const world = await PublicWorld.open(t);
  await done(world, "accounts", { name: "Ann", role: "trader" });
  const halted = await done(world, "accounts/acc-1/halt", { reason: "a question" });
  assert.equal(at(halted, "halted"), true);
  assert.equal(at(await done(world, "accounts/acc-1/resume", {}), "halted"), false);
  await refused(world, "accounts/acc-2/halt", {}, 404, "ACCOUNT_NOT_FOUND");

  await refused(world, "halt", {}, 400, "INVALID_REQUEST");
  assert.deepEqual(await done(world, "halt", { reason: "a bad print" }), {
    halted: true,
    reason: "a bad print",
  });
  assert.equal(world.world.view.facts.halted, true);
  await done(world, "resume", { reason: "checked" });
  assert.equal(world.world.view.facts.halted, false);
});

test("the clock goes forward, to a moment or by seconds", async (t) => {
  const world = await PublicWorld.open(t);
  const set = await done(world, "clock", { setTo: "2024-11-21T09:30:00+01:00" });
  assert.equal(textAt(set, "engineTime"), "2024-11-21T08:30:00.000Z");
  const later = await done(world, "clock", { advanceSeconds: 90 });
  assert.equal(textAt(later, "engineTime"), "2024-11-21T08:31:30.000Z");
  await refused(world, "clock", { setTo: "2024-11-21" }, 409, "CLOCK_NOT_FORWARD");
  for (const bad of [{}, { setTo: "soon" }, { setTo: "2025-02-30" }, { advanceSeconds: 0 }]) {
    await refused(world, "clock", bad, 400, "INVALID_REQUEST");
  }
  await refused(world, "clock", { setTo: "2025-01-01", advanceSeconds: 5 }, 400, "INVALID_REQUEST");
});

test("instants have a zone and a day the calendar has", () => {
  assert.equal(parseInstant("2024-02-29"), Date.UTC(2024, 1, 29));
  assert.equal(parseInstant("2024-11-20T01:30:00+02:00"), Date.UTC(2024, 10, 19, 23, 30));
  assert.equal(parseInstant("2024-11-20T01:30Z"), Date.UTC(2024, 10, 20, 1, 30));
  for (const text of [
    "2025-02-29",
    "2025-04-31T00:00:00Z",
    "2024-11-20T01:30:00",
    "2024-11-20 01:30:00Z",
    "20241120",
    "1732060800000",
    "2024-11-20T25:00:00Z",
    "",
  ]) {
    assert.equal(parseInstant(text), undefined, text);
  }
});

test("a market of the operator's: its terms are checked before it is listed", async (t) => {
  const world = await PublicWorld.open(t);
  const good = {
    frontendId: "mkt-007",
    index: "zhvi",
    geoNodeId: "state:tx",
    measurementMonth: "2025-04",
    comparator: "lte",
    threshold: "230000",
  };
  await refused(world, "markets", good, 422, "NO_INDEX_DATA");
  await world.printStates("zhvi");
  for (const [change, status, code] of [
    [{ frontendId: "market-1" }, 400, "INVALID_REQUEST"],
    [{ geoNodeId: "state:zz" }, 404, "NOT_FOUND"],
    [{ measurementMonth: "2024-10" }, 400, "INVALID_REQUEST"],
    [{ measurementMonth: "2031-01" }, 400, "INVALID_REQUEST"],
    [{ measurementMonth: "April" }, 400, "INVALID_REQUEST"],
    [{ comparator: "gt" }, 400, "INVALID_REQUEST"],
    [{ threshold: "0" }, 400, "INVALID_REQUEST"],
    [{ threshold: "2.3e5" }, 400, "INVALID_REQUEST"],
    [{ threshold: 230_000 }, 400, "INVALID_REQUEST"],
    [{ index: "weather" }, 422, "NO_INDEX_DATA"],
  ] as const) {
    await refused(world, "markets", { ...good, ...change }, status, code);
  }
  const made = await done(world, "markets", good);
  assert.equal(textAt(made, "id"), "lvl.zhvi.state-tx.e2025-04.lte-230000");
  assert.equal(textAt(made, "metricType"), "zhvi_level");
  assert.equal(textAt(made, "resolutionTimestamp"), "2025-05-20T00:00:00.000Z");
  await refused(world, "markets", good, 409, "MARKET_EXISTS");
});

test("pause, resume, cancel: each from the states that allow it, with a reason", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  await done(world, "markets", {
    index: "zhvi",
    geoNodeId: "state:tx",
    measurementMonth: "2025-04",
    comparator: "gte",
    threshold: "230000",
  });
  const reason = { reason: "a look" };
  await refused(world, "markets/mkt-001/pause", {}, 400, "INVALID_REQUEST");
  await refused(world, "markets/mkt-002/pause", reason, 404, "MARKET_NOT_FOUND");
  await refused(world, "markets/mkt-001/resume", reason, 409, "MARKET_STATE");
  assert.equal(textAt(await done(world, "markets/mkt-001/pause", reason), "status"), "PAUSED");
  assert.equal(textAt(await done(world, "markets/mkt-001/resume", reason), "status"), "ACTIVE");
  const place = "markets/mkt-001/cancel";
  await refused(world, "markets/mkt-001/cancel-withdrawal", reason, 409, "VOID_NOT_PROPOSED");
  const quiet = (await world.get("/api/markets/mkt-001")).body;
  const proposed = await done(world, place, { reason: "wrong month" });
  assert.equal(textAt(proposed, "status"), "ACTIVE");
  const proposal = {
    by: "root",
    reason: "wrong month",
    proposedAt: "2024-11-20T00:00:00.000Z",
    lapsesAt: "2024-11-30T00:00:00.000Z",
  };
  const waiting = await world.admin("GET", "markets/mkt-001");
  assert.deepEqual([at(proposed, "voidProposal"), at(waiting.body, "data")], [proposal, proposed]);
  assert.deepEqual((await world.get("/api/markets/mkt-001")).body, quiet, "nobody else sees it");
  await refused(world, place, reason, 409, "VOID_SAME_OPERATOR");
  const withdrawn = await done(world, "markets/mkt-001/cancel-withdrawal", reason);
  assert.equal(at(withdrawn, "voidProposal"), null);
  await done(world, place, { reason: "wrong month" });
  const void_ = at((await world.second(place, { reason: "so it is" })).body, "data");
  assert.equal(textAt(void_, "status"), "CANCELLED");
  assert.equal(textAt(void_, "reason"), "wrong month");
  assert.equal(textAt(void_, "shortfall"), "0");
  const shown = await world.get("/api/markets/mkt-001");
  assert.equal(textAt(shown.body, "data", "reason"), "wrong month");
  await refused(world, "markets/mkt-001/cancel", reason, 409, "MARKET_STATE");
  const decision = { decision: "uphold" };
  await refused(world, "markets/mkt-001/dispute-decision", decision, 409, "DISPUTE_NONE");
  const amend = { decision: "amend" };
  await refused(world, "markets/mkt-001/dispute-decision", amend, 400, "INVALID_REQUEST");
  const both = { decision: "uphold", value: "230000" };
  await refused(world, "markets/mkt-001/dispute-decision", both, 400, "INVALID_REQUEST");
});

test("the same request with the same key is answered the same, without the secret", async (t) => {
  const world = await PublicWorld.open(t);
  const send = () =>
    world.world.post(
      "/api/admin/accounts",
      undefined,
      { name: "Ann", role: "trader" },
      { "x-admin-secret": "an-admin-secret-of-enough-characters-01", "idempotency-key": "one" },
    );
  const first = (await send()).json();
  const again = await send();
  assert.equal(again.headers["idempotency-replayed"], "true");
  const second: unknown = again.json();
  assert.equal(at(second, "data", "key", "secret"), undefined);
  assert.deepEqual(at(second, "data", "account"), at(first, "data", "account"));
  assert.equal(world.world.view.accounts.size, 1);
});
