// The interface's public surface, field by field: each resource has every field it is promised, of
// its type, in every state it can be in; more fields may stand beside them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { LAST_MONTH, monthAfter, PublicWorld } from "./public-world.ts";
import { ADMIN_SECRET } from "./world.ts";

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const month = /^\d{4}-(0[1-9]|1[0-2])$/;

const isSellerMargins = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((margin) => typeof margin === "number" && margin > 0);
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isText = (value: unknown): boolean => typeof value === "string";
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isNull = (value: unknown): boolean => value === null;
const isInstant = (value: unknown): boolean => typeof value === "string" && instant.test(value);
const isMonth = (value: unknown): boolean => typeof value === "string" && month.test(value);
const isDecimal = (value: unknown): boolean =>
  typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isShare = (value: unknown): boolean =>
  isNumber(value) && Number(value) >= 0 && Number(value) <= 1;
const oneOf =
  (...all: readonly unknown[]) =>
  (value: unknown): boolean =>
    all.includes(value);
const orNull =
  (is: Kind): Kind =>
  (value) =>
    value === null || is(value);

type Kind = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Kind>>;

/** Every field is there, and is what it is said to be. */
function holds(value: unknown, fields: Fields, what: string): void {
  assert.ok(typeof value === "object" && value !== null, what);
  for (const [name, is] of Object.entries(fields)) {
    assert.ok(Object.hasOwn(value, name), `${what} has ${name}`);
    assert.ok(is(at(value, name)), `${what}.${name} is ${JSON.stringify(at(value, name))}`);
  }
}

const indexValue: Fields = {
  nodeId: isText,
  value: isNumber,
  yoy: isNumber,
  asOfMonth: isMonth,
  series: Array.isArray,
  source: oneOf("zhvi_first_print"),
  attribution: oneOf("Data from Zillow"),
};

const statuses = ["ACTIVE", "PAUSED", "RESOLVED", "CANCELLED", "FINALIZED"] as const;

const market: Fields = {
  id: isText,
  frontendId: (value) => isText(value) && /^mkt-\d{3,}$/.test(String(value)),
  onChainMarketId: (value) => /^0x[0-9a-f]{64}$/.test(String(value)),
  conditionId: (value) => /^0x[0-9a-f]{64}$/.test(String(value)),
  zipCode: isText,
  marketType: oneOf("BINARY", "LAYERED"),
  status: oneOf(...statuses),
  geoNodeId: isText,
  questionId: (value) => /^0x[0-9a-f]{64}$/.test(String(value)),
  outcomeCount: oneOf(2),
  resolutionTimestamp: isInstant,
  description: isText,
  threshold: isDecimal,
  metricType: isText,
  createdAt: isInstant,
  updatedAt: isInstant,
  outcomes: Array.isArray,
  resolution: (value) => value === null || typeof value === "object",
};

const settledMarket: Fields = {
  outcome: oneOf("YES", "NO"),
  settledValue: isNumber,
  resolvedAt: isInstant,
  disputeWindowEndsAt: isInstant,
};

const resolution: Fields = {
  marketId: isText,
  frontendId: isText,
  status: oneOf(...statuses),
  geoNodeId: isText,
  metric: isText,
  comparator: oneOf("gte", "lte"),
  threshold: isNumber,
  measurementMonth: isMonth,
};

const openResolution: Fields = {
  ...resolution,
  outcome: isNull,
  settledValue: isNull,
  comparisonValue: isNull,
  resolvedAt: isNull,
  disputeWindowEndsAt: isNull,
  finalizedAt: isNull,
  observation: isNull,
};

const settledResolution: Fields = {
  ...resolution,
  outcome: oneOf("YES", "NO"),
  settledValue: isNumber,
  comparisonValue: isNumber,
  resolvedAt: isInstant,
  disputeWindowEndsAt: isInstant,
  observation: (value) => typeof value === "object" && value !== null,
};

const observation: Fields = {
  value: isNumber,
  dataMonth: isMonth,
  releaseId: isText,
  ingestedAt: isInstant,
};

const geoNode: Fields = {
  id: isText,
  level: oneOf("state", "county", "city", "neighborhood", "zip"),
  name: isText,
  stateCode: isText,
  fips: orNull(isText),
  aliases: isTexts,
  parentIds: isTexts,
  housingUnits: isNumber,
  active: isBoolean,
  childCount: isNumber,
};

const quote: Fields = {
  node: isText,
  nodeName: isText,
  index: oneOf("zhvi", "zori", "vacancy", "weather"),
  expiry: isMonth,
  seriesMarketId: orNull(isText),
  asOfMonth: isMonth,
  payoutKind: oneOf("layered", "binary"),
  horizonMonths: isNumber,
  fairValue: isShare,
  anyClaimProb: isShare,
  fullLimitProb: isShare,
  spreadBps: isNumber,
  price: isShare,
  contracts: isNumber,
  premiumUsd: isNumber,
  maxPayoutUsd: isNumber,
  sellerCollateralUsd: isNumber,
  sellerInitialMarginUsd: isSellerMargins,
  usedDefaultVol: isBoolean,
  priceBasis: oneOf("reference-model"),
  note: isText,
};

const layeredQuote: Fields = {
  ...quote,
  attachBps: isNumber,
  exhaustBps: isNumber,
  attachPct: isNumber,
  exhaustPct: isNumber,
  deductibleUsd: isNumber,
  impliedExposureUsd: isNumber,
};

const table = [
  "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
  "county:48201,county,Harris County,TX,48201,,state:tx,1762698,",
  "city:houston-tx,city,Houston,TX,,H-Town,county:48201,957928,",
  "zip:77002,zip,77002,TX,,,city:houston-tx,9000,",
].join("\n");

async function open(t: Parameters<typeof PublicWorld.open>[0]): Promise<PublicWorld> {
  const world = await PublicWorld.open(t);
  await world.admin("POST", "geo", table, "text/csv");
  await world.printStates("zhvi");
  await world.printPlace("zhvi", "zip:77002");
  return world;
}

/** Status 200 and `{success: true, data: …}`. */
async function shown(world: PublicWorld, url: string): Promise<unknown> {
  const { status, body } = await world.get(url);
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  assert.equal(at(body, "success"), true, url);
  return body;
}

const list = async (world: PublicWorld, geoNodeId: string): Promise<string> => {
  const terms = { index: "zhvi", comparator: "gte", threshold: "250000.5" };
  const made = await world.admin("POST", "markets", {
    ...terms,
    geoNodeId,
    measurementMonth: "2024-11",
  });
  return textAt(made.body, "data", "frontendId");
};

test("index value: every field; months rise by one; the last point is the value", async (t) => {
  const world = await open(t);
  const one = at(await shown(world, "/api/index/state:tx"), "data");
  holds(one, indexValue, "index value");
  const series = listAt(one, "series");
  assert.ok(series.length <= 24 && series.length > 12);
  for (const [nth, point] of series.entries()) {
    holds(point, { month: isMonth, value: isNumber }, "point");
    const before = nth === 0 ? undefined : textAt(series[nth - 1], "month");
    if (before !== undefined) assert.equal(textAt(point, "month"), monthAfter(before, 1));
  }
  assert.equal(textAt(series.at(-1), "month"), textAt(one, "asOfMonth"));

  const many = await shown(world, "/api/index?ids=state:tx,zip:99999,zip:77002");
  for (const value of listAt(many, "data")) holds(value, indexValue, "index value");
  assert.deepEqual(at(listAt(many, "data")[0] ?? null), at(one), "as it is alone");
  assert.deepEqual(at(many, "unknownIds"), ["zip:99999"]);
});

test("market and resolution: every field, before, at and after settlement", async (t) => {
  const world = await open(t);
  const id = await list(world, "state:tx");
  const zip = await list(world, "zip:77002");
  const show = async (which: string) => at(await shown(world, `/api/markets/${which}`), "data");
  const resolutionOf = async () => at(await shown(world, `/api/markets/${id}/resolution`), "data");
  const active = await show(id);
  holds(active, market, "active market");
  assert.equal(at(active, "resolution"), null);
  assert.deepEqual(
    listAt(active, "outcomes").map((outcome) => [at(outcome, "index"), at(outcome, "label")]),
    [
      [0, "YES"],
      [1, "NO"],
    ],
  );
  for (const outcome of listAt(active, "outcomes")) {
    holds(outcome, { positionId: isText, price: isShare }, "outcome");
  }
  assert.equal(at(await show(zip), "zipCode"), "77002");
  assert.deepEqual(await show(textAt(active, "id")), active, "by database id or frontend id");
  holds(await resolutionOf(), openResolution, "open resolution");

  await world.admin("POST", "clock", { setTo: "2024-12-20T00:00:00Z" });
  await world.printNext("zhvi", "state:tx", "240000");
  const resolved = await show(id);
  holds(resolved, market, "resolved market");
  assert.equal(at(resolved, "status"), "RESOLVED");
  holds(at(resolved, "resolution"), { ...settledMarket, finalizedAt: isNull }, "its resolution");
  const settled = await resolutionOf();
  holds(settled, { ...settledResolution, finalizedAt: isNull }, "resolution");
  holds(at(settled, "observation"), observation, "observation");
  assert.equal(textAt(settled, "observation", "dataMonth"), textAt(settled, "measurementMonth"));
  assert.equal(numberAt(settled, "observation", "value"), numberAt(settled, "settledValue"));

  await world.admin("POST", "clock", { advanceSeconds: 73 * 3600 });
  const final = await show(id);
  assert.equal(at(final, "status"), "FINALIZED");
  const ended = { ...settledMarket, finalizedAt: isInstant };
  holds(at(final, "resolution"), ended, "final market's resolution");
  holds(await resolutionOf(), { ...settledResolution, finalizedAt: isInstant }, "final");
});

test("markets list: each filter alone, pagination beside the data, defaults", async (t) => {
  const world = await open(t);
  const [texas, york, zip] = [
    await list(world, "state:tx"),
    await list(world, "state:ny"),
    await list(world, "zip:77002"),
  ];
  const mistake = { reason: "listed by mistake" };
  await world.admin("POST", `markets/${york}/cancel`, mistake);
  await world.second(`markets/${york}/cancel`, mistake);
  const found = async (query: string): Promise<readonly unknown[]> => {
    const body = await shown(world, `/api/markets${query}`);
    for (const one of listAt(body, "data")) holds(one, market, "market");
    const pagination = { page: isNumber, limit: isNumber, total: isNumber, hasMore: isBoolean };
    holds(at(body, "pagination"), pagination, "pagination");
    assert.equal(numberAt(body, "pagination", "total") >= listAt(body, "data").length, true);
    return listAt(body, "data").map((one) => at(one, "frontendId"));
  };
  assert.deepEqual(await found(""), [texas, york, zip]);
  assert.deepEqual(await found("?zip=77002"), [zip]);
  assert.deepEqual(await found("?level=zip"), [zip]);
  assert.deepEqual(await found("?level=state"), [texas, york]);
  assert.deepEqual(await found("?state=TX"), [texas, zip]);
  assert.deepEqual(await found("?status=CANCELLED"), [york]);
  for (const none of ["RESOLVED", "FINALIZED", "PAUSED"]) {
    assert.deepEqual(await found(`?status=${none}`), []);
  }
  assert.deepEqual(await found("?level=county"), []);
  assert.deepEqual(await found("?state=TX&level=zip&status=ACTIVE"), [zip], "all of them hold");
  assert.deepEqual(await found("?page=2&limit=2"), [zip]);
});

test("places: every field; ancestors in the one, coarsest first, not in the many", async (t) => {
  const world = await open(t);
  const one = at(await shown(world, "/api/geo/zip:77002"), "data");
  holds(one, { ...geoNode, ancestors: Array.isArray }, "place");
  const ancestors = listAt(one, "ancestors");
  for (const ancestor of ancestors) {
    holds(ancestor, { id: isText, level: isText, name: isText }, "ancestor");
  }
  assert.deepEqual(
    ancestors.map((ancestor) => at(ancestor, "level")),
    ["state", "county", "city"],
  );
  for (const q of ["77002", "Houston", "h-town", "texas"]) {
    const places = listAt(await shown(world, `/api/geo/search?q=${q}`), "data");
    assert.ok(places.length > 0, q);
    for (const place of places) {
      holds(place, geoNode, "place found");
      assert.ok(!Object.hasOwn(Object(place), "ancestors"));
    }
  }
  for (const state of ["NY", "CA", "CO", "TX", "FL", "NC", "AZ"]) {
    const found = await shown(world, `/api/geo/search?q=${state}&state=${state}`);
    const [first] = listAt(found, "data");
    assert.equal(at(first, "stateCode"), state);
  }
});

test("quotes: every field of both kinds, and the sums the interface gives", async (t) => {
  const world = await open(t);
  const base = `/api/quotes?node=state:tx&expiry=${monthAfter(LAST_MONTH, 12)}&notional=50000`;
  const layer = `${base}&kind=layered&attachBps=1000&exhaustBps=2000`;
  const layered = at(await shown(world, layer), "data");
  holds(layered, layeredQuote, "layered quote");
  assert.equal(at(layered, "index"), "zhvi", "the index when none is named");
  assert.equal(numberAt(layered, "deductibleUsd"), (50_000 * 0.1) / (0.2 - 0.1));
  const binary = at(await shown(world, `${base}&strikeBps=500`), "data");
  holds(binary, quote, "binary quote");
  assert.equal(at(binary, "payoutKind"), "binary", "the kind when none is named");
  for (const [attach, exhaust] of [
    [200, 1000],
    [500, 1500],
    [800, 2000],
  ] as const) {
    const url = `${base}&kind=layered&attachBps=${attach}&exhaustBps=${exhaust}`;
    const standard = at(await shown(world, url), "data");
    assert.ok(isText(at(standard, "seriesMarketId")), "a standard layer has its series");
  }
});

test("public key: every field, by the admin secret alone", async (t) => {
  const world = await PublicWorld.open(t);
  const body = { label: "charts", scopes: ["index:read"], rateLimit: 900, expiresInDays: 30 };
  const url = "/api/dev/api-keys";
  const secret = { "x-admin-secret": ADMIN_SECRET };
  const made = (await world.world.post(url, undefined, body, secret)).json();
  assert.equal(made.success, true);
  const issued: Fields = {
    key: isText,
    id: isText,
    label: oneOf("charts"),
    scopes: isTexts,
    rateLimit: oneOf(900),
    expiresAt: isInstant,
  };
  holds(made.data, issued, "issued key");
  assert.equal((await world.world.post(url, undefined, body)).statusCode, 401);
});

/** Interface 7, for the public surface: condition → status and code. */
const refusals: readonly (readonly [what: string, url: string, status: number, code: string])[] = [
  ["a place that is not known", "/api/index/zip:99999", 404, "NOT_FOUND"],
  ["ids left out", "/api/index", 400, "INVALID_REQUEST"],
  ["a page that is none", "/api/markets?page=x", 400, "INVALID_REQUEST"],
  ["a level that is none", "/api/geo/search?q=a&level=metro", 400, "INVALID_REQUEST"],
  ["q left out", "/api/geo/search", 400, "INVALID_REQUEST"],
  ["node left out", "/api/quotes?expiry=2025-10&notional=1", 400, "INVALID_REQUEST"],
  ["expiry left out", "/api/quotes?node=state:tx&notional=1", 400, "INVALID_REQUEST"],
  ["notional left out", "/api/quotes?node=state:tx&expiry=2025-10", 400, "INVALID_REQUEST"],
  [
    "exhaust at attach",
    "/api/quotes?node=state:tx&expiry=2025-10&notional=1&kind=layered&attachBps=2&exhaustBps=2",
    422,
    "INVALID_LAYER",
  ],
  [
    "a layer of vacancy",
    "/api/quotes?node=state:tx&expiry=2025-10&notional=1&kind=layered&attachBps=2&exhaustBps=9" +
      "&index=vacancy",
    422,
    "LAYER_NOT_SUPPORTED",
  ],
  [
    "a layer without its bounds",
    "/api/quotes?node=state:tx&expiry=2025-10&notional=1&kind=layered",
    400,
    "INVALID_REQUEST",
  ],
  ["a market that is not known", "/api/markets/mkt-999", 404, "MARKET_NOT_FOUND"],
];

test("what is refused has its status, its code and a message that describes", async (t) => {
  const world = await open(t);
  for (const [what, url, status, code] of refusals) {
    const { status: got, body } = await world.get(url);
    assert.deepEqual([got, at(body, "code")], [status, code], what);
    assert.equal(at(body, "success"), false);
    assert.ok(textAt(body, "message").length > 8, what);
    assert.equal(at(body, "error", "code"), code);
    assert.equal(at(body, "error", "outcome"), "not_applied");
  }
});
