// The access of every credential to every route of the table, against the real server. The
// expectation is drawn from the access a route declares, and from nothing else; a refused request
// changes no record. A new route is in it as soon as it is in the table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import { adminPermissions, type Permission, permissions, type Role } from "#core/records.ts";
import type { Route } from "#http/route/route.ts";
import { newSecret } from "#http/server/key-codec.ts";
import { at, textAt } from "#test/support/exchange.ts";
import { placeOf } from "../../tools/openapi-document.ts";
import { SampledWorld } from "./sampled-world.ts";
import type { Sample } from "./samples.ts";
import { ADMIN_SECRET, type Holder, PEPPER, type World } from "./world.ts";

type AccessCode = "UNAUTHENTICATED" | "PERMISSION_DENIED" | "NOT_OPERATOR" | "KYC_REQUIRED";

const statuses: Readonly<Record<AccessCode, number>> = {
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_OPERATOR: 403,
  KYC_REQUIRED: 403,
};

/** The account behind a credential, as far as access goes. */
type Standing =
  | { readonly type: "nobody" }
  /** An `Authorization` or `x-api-key` that is no live key. */
  | { readonly type: "wrong" }
  /** Counts where the admin secret is asked for, and is nothing anywhere else. */
  | { readonly type: "secret"; readonly isRight: boolean }
  | { readonly type: "publicKey" }
  | { readonly type: "key"; readonly role: Role; readonly permissions: readonly Permission[] };

interface Credential {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly standing: Standing;
}

/** The rule, once more and apart: undefined where the caller is let in. */
function expectedCode(route: Route, standing: Standing): AccessCode | undefined {
  const { access } = route;
  if (standing.type === "wrong") return "UNAUTHENTICATED";
  if (access === "public") return undefined;
  if (standing.type === "secret") {
    const counts = isOperators(access) || access === "root";
    return counts && standing.isRight ? undefined : "UNAUTHENTICATED";
  }
  if (standing.type !== "key" || access === "root") return "UNAUTHENTICATED";
  if (isOperators(access) && standing.role !== "operator") return "NOT_OPERATOR";
  if (access === "operator") return undefined;
  const holds = standing.permissions.includes(access) && readsAsSent(route, standing.permissions);
  return holds ? undefined : "PERMISSION_DENIED";
}

/** A key has its account's events sent only if it may read them. */
const readsAsSent = (route: Route, held: readonly Permission[]): boolean =>
  !/^POST .*\/webhooks(\/:webhookId\/replay)?$/.test(placeOf(route)) ||
  held.includes("read:portfolio");

const isOperators = (access: Route["access"]): boolean =>
  access === "operator" || access.startsWith("admin:");

/** Of an operator's first key. */
const everything = [...permissions, ...adminPermissions];

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

async function credentialsOf(matrix: SampledWorld): Promise<readonly Credential[]> {
  const { world, owner, operator } = matrix;
  const auditor = await world.account("c", "auditor");
  const revoked = await matrix.key(owner, permissions);
  const revokedKey = world.view.keysOf(accountId(owner.id)).at(-1);
  await world.remove(`/api/trading/keys/${revokedKey?.id}`, owner.secret);
  const expired = await shortKey(matrix);
  const publicKey = await world.post(
    "/api/dev/api-keys",
    undefined,
    { label: "a" },
    { "x-admin-secret": ADMIN_SECRET },
  );
  const issued = textAt(publicKey.json(), "data", "key");
  const unknown = newSecret("test", PEPPER).secret;
  const wrong = { type: "wrong" } as const;
  const key = (role: Role, held: readonly Permission[]): Standing => ({
    type: "key",
    role,
    permissions: held,
  });
  const single: Credential[] = [];
  for (const permission of permissions) {
    const secret = await matrix.key(owner, [permission]);
    const standing = key("trader", [permission]);
    single.push({ name: `only ${permission}`, headers: bearer(secret), standing });
  }
  const narrow = await matrix.key(operator, ["read:oracle"]);
  return [
    { name: "none", headers: {}, standing: { type: "nobody" } },
    { name: "malformed", headers: { authorization: `Token ${unknown}` }, standing: wrong },
    { name: "bad checksum", headers: bearer(`${unknown.slice(0, -6)}000000`), standing: wrong },
    { name: "unknown", headers: bearer(unknown), standing: wrong },
    { name: "revoked", headers: bearer(revoked), standing: wrong },
    { name: "expired", headers: bearer(expired), standing: wrong },
    { name: "public key as Bearer", headers: bearer(issued), standing: wrong },
    { name: "public key", headers: { "x-api-key": issued }, standing: { type: "publicKey" } },
    { name: "trading key as x-api-key", headers: { "x-api-key": owner.secret }, standing: wrong },
    {
      name: "admin secret",
      headers: { "x-admin-secret": ADMIN_SECRET },
      standing: { type: "secret", isRight: true },
    },
    {
      name: "wrong admin secret",
      headers: { "x-admin-secret": `${ADMIN_SECRET}x` },
      standing: { type: "secret", isRight: false },
    },
    ...single,
    { name: "all", headers: bearer(owner.secret), standing: key("trader", permissions) },
    { name: "auditor", headers: bearer(auditor.secret), standing: key("auditor", permissions) },
    { name: "operator", headers: bearer(operator.secret), standing: key("operator", everything) },
    ...(await narrowOperators(matrix)),
    {
      name: "operator, one permission",
      headers: bearer(narrow),
      standing: key("operator", ["read:oracle"]),
    },
  ];
}

/** One for each of the operators' permissions. */
async function narrowOperators(matrix: SampledWorld): Promise<readonly Credential[]> {
  const made: Credential[] = [];
  for (const permission of adminPermissions) {
    const secret = await matrix.key(matrix.operator, [permission]);
    const standing = { type: "key", role: "operator", permissions: [permission] } as const;
    made.push({ name: `operator, only ${permission}`, headers: bearer(secret), standing });
  }
  return made;
}

/**
 * An order that only reduces a position needs no KYC in force: this asks for one that may open one.
 */
const opening = (sample: Sample): Sample =>
  at(sample.body, "reduceOnly") === undefined
    ? sample
    : { ...sample, body: { ...Object(sample.body), reduceOnly: false } };

/** A key that was good, and is over: made for a day, the day before. */
async function shortKey({ world, owner }: SampledWorld): Promise<string> {
  const body = { label: "short", permissions: [...permissions], expiresInDays: 1 };
  const made = await world.post("/api/trading/keys", owner.secret, body);
  await world.root({ type: "SetClock", toMillis: Date.UTC(2025, 10, 22) });
  return textAt(made.json(), "data", "secret");
}

test("each credential is let in where the route's access says so, and nowhere else", async (t) => {
  const matrix = await SampledWorld.open(t);
  const credentials = await credentialsOf(matrix);
  const { routes } = matrix.world;
  const before = await matrix.stateHash();
  const admitted: (readonly [Route, readonly Credential[]])[] = [];
  for (const route of routes) {
    const sample = matrix.sample(route);
    const place = placeOf(route);
    const refusals = credentials.filter(({ standing }) => expectedCode(route, standing));
    for (const { name, headers, standing } of refusals) {
      const code = expectedCode(route, standing);
      assert.ok(code !== undefined);
      const answer = await matrix.send(route, sample, headers);
      assert.deepEqual([answer.status, answer.code], [statuses[code], code], `${place}: ${name}`);
    }
    if (refusals.length > 0) {
      assert.equal(await matrix.stateHash(), before, `${place} changed something for nobody`);
    }
    admitted.push([route, credentials.filter((one) => !refusals.includes(one))]);
  }
  const refused = matrix.cells;

  // Reads first: they change nothing, so all who are let in are answered alike.
  admitted.sort(([a], [b]) => Number(a.method !== "GET") - Number(b.method !== "GET"));
  for (const [route, credentials] of admitted) {
    const sample = matrix.sample(route);
    const place = placeOf(route);
    const seen = new Set<string>();
    // One account's own things are not there for the others, who are let in all the same.
    const isOwn = Object.values(sample.params).some(isOwned);
    assert.ok(credentials.length > 0, `${place} lets somebody in`);
    for (const { name, headers } of credentials) {
      const { status, code, body } = await matrix.send(route, sample, headers);
      const told = `${place}: ${name}: ${status} ${JSON.stringify(body)}`;
      assert.ok(!Object.hasOwn(statuses, String(code)) || code === "KYC_REQUIRED", told);
      assert.ok(status < 500 || code === "EXCHANGE_HALTED", told);
      seen.add(`${status} ${String(code)}`);
      if (route.method === "GET" && !isOwn) assert.notEqual(status, 404, told);
    }
    if (route.method === "GET") assert.equal(seen.size, isOwn ? 2 : 1, place);
  }
  t.diagnostic(`${routes.length} routes, ${refused} refused and ${matrix.cells - refused} let in`);
});

test("what needs KYC is refused in every state but approved, and nothing changes", async (t) => {
  const matrix = await SampledWorld.open(t);
  const { world } = matrix;
  const states = new Map([
    ["none", await world.account("c")],
    ["pending", await world.account("d")],
    ["rejected", await world.account("e")],
    ["expired", matrix.lapsed],
  ]);
  await world.post("/api/kyc/inquiry", states.get("pending")?.secret, { tier: "basic" });
  await world.post("/api/kyc/inquiry", states.get("rejected")?.secret, { tier: "basic" });
  await decide(world, states.get("rejected"), "reject");
  for (const [status, { id }] of states) {
    assert.equal(world.view.accounts.get(accountId(id))?.kyc.status, status);
  }
  const before = await matrix.stateHash();
  const needing = world.routes.filter(
    ({ refusals, access }) => refusals.includes("KYC_REQUIRED") && !isOperators(access),
  );
  assert.ok(needing.some(({ access }) => access === "create:orders"));
  for (const route of needing) {
    for (const [status, { secret }] of states) {
      const answer = await matrix.send(route, opening(matrix.sample(route)), bearer(secret));
      const place = `${placeOf(route)}: KYC ${status}`;
      // Another account's records look absent, whatever the KYC.
      const isAbsent = route.url.includes(":") && answer.status === 404;
      // Quotes are judged one by one, and answered so.
      const isEach = route.url.endsWith("/quotes/mass");
      const judged = isEach ? at(answer.body, "data", "quotes", 0, "error", "code") : answer.code;
      const expected = [isEach ? 200 : 403, "KYC_REQUIRED"];
      if (!isAbsent) assert.deepEqual([answer.status, judged], expected, place);
    }
  }
  assert.equal(await matrix.stateHash(), before, "a refusal changes nothing");

  for (const route of needing) {
    const approved = await matrix.send(route, matrix.sample(route), bearer(matrix.owner.secret));
    assert.notEqual(approved.code, "KYC_REQUIRED", `${placeOf(route)}: KYC approved`);
    assert.ok(approved.status < 500, `${placeOf(route)} ${approved.status}`);
  }
  assert.notEqual(await matrix.stateHash(), before, "the approved one was served");
});

async function decide(world: World, holder: Holder | undefined, decision: "approve" | "reject") {
  assert.ok(holder !== undefined);
  await world.root({
    type: "DecideKyc",
    accountId: accountId(holder.id),
    decision,
    tier: "basic",
    countryCode: "US",
    sanctionsCleared: true,
    pepScreened: true,
    adverseMediaCleared: true,
    listVersion: null,
    provider: "manual",
    accreditation: { basis: "test", evidenceId: "ev-1", expiresAtSeconds: null },
  });
}

/** Records of one account, by the first letters of their ids; anything else is everybody's. */
const owned: ReadonlyMap<string, string> = new Map([
  ["ord-", "ord-999999"],
  ["spring-", "spring-999999"],
  ["acp-", "acp-999999"],
  ["key-", "key-999999"],
  ["mnd-", "mnd-999999"],
  ["rfq-", "rfq-999999"],
  ["rqt-", "rqt-999999"],
  ["whk-", "whk-9999999999999999"],
]);
const isOwned = (id: string): boolean => [...owned.keys()].some((one) => id.startsWith(one));
const shared: readonly string[] = [
  ...["mkt-", "srs.", "lvl.", "zhvi", "zori", "state:", "standard"],
  // An auction is offered to everybody; whose bid is meant, the key says.
  "auc-",
  // The name of a group is looked up among the caller's own.
  "texas",
];

test("another account's things are answered like absent ones, and left alone", async (t) => {
  const matrix = await SampledWorld.open(t);
  const { world } = matrix;
  const stranger = await world.trader("g");
  const before = await matrix.stateHash();
  let compared = 0;
  for (const route of world.routes.filter(({ surface }) => surface === "trading")) {
    const sample = matrix.sample(route);
    for (const [name, id] of Object.entries(sample.params)) {
      const place = `${placeOf(route)} with ${name} ${id}`;
      const start = [...owned.keys()].find((one) => id.startsWith(one));
      if (start === undefined) {
        const isShared = shared.some((one) => id.startsWith(one));
        assert.ok(isShared, `${place}: say in this test whether it is one account's own`);
        continue;
      }
      const nowhere = { ...sample, params: { ...sample.params, [name]: owned.get(start) ?? "" } };
      const foreign = await matrix.send(route, sample, bearer(stranger.secret));
      const absent = await matrix.send(route, nowhere, bearer(stranger.secret));
      assert.equal(foreign.status, 404, place);
      assert.deepEqual(withoutId(foreign.body), withoutId(absent.body), place);
      assert.ok(!JSON.stringify(foreign.body).includes(id), `${place} is not echoed`);
      compared += 1;
    }
  }
  assert.ok(compared >= 2);
  assert.equal(await matrix.stateHash(), before, "nothing of the owner's has changed");
});

function withoutId(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (name, value: unknown) => (name === "requestId" ? "" : value)),
  );
}
