// The certificate of a resolution: refused before there is one, then all that settled the market,
// with the entry that decided it, before and after an amendment.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { isRejected } from "#core/outcome.ts";
import { at, numberAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { order } from "./world.ts";

const MARKET = "mkt-001";
const PATH = `/api/trading/certificates/${MARKET}`;

test("a certificate names the print, its release and the entry that decided", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  await world.admin("POST", "markets", {
    frontendId: MARKET,
    index: "zhvi",
    geoNodeId: "state:tx",
    measurementMonth: "2024-11",
    comparator: "gte",
    threshold: "300000",
  });
  const { secret } = await world.world.account("reader", "auditor");
  const early = await world.world.get(PATH, secret);
  assert.deepEqual([early.statusCode, early.json().code], [409, "MARKET_STATE"]);
  const absent = await world.world.get("/api/trading/certificates/mkt-999", secret);
  assert.deepEqual([absent.statusCode, absent.json().code], [404, "MARKET_NOT_FOUND"]);

  await world.admin("POST", "clock", { setTo: "2024-12-20T00:00:00Z" });
  await world.printNext("zhvi", "state:tx", "240000");
  const shown = (await world.world.get(PATH, secret)).json().data;
  assert.equal(textAt(shown, "outcome"), "NO");
  assert.deepEqual(at(shown, "settled"), { month: "2024-11", value: "240000" });
  assert.equal(textAt(shown, "comparisonValue"), "300000");
  assert.deepEqual(at(shown, "terms", "payoff"), {
    kind: "level",
    comparator: "gte",
    threshold: "300000",
  });
  assert.equal(textAt(shown, "terms", "hash"), hashOfTerms(at(shown, "terms")));
  assert.equal(textAt(shown, "link", "month"), "2024-10");
  assert.match(textAt(shown, "attribution"), /^Data from /);
  const release = world.world.view.releases.get(
    [...world.world.view.releases.keys()].at(-1) ?? assert.fail(),
  );
  assert.equal(textAt(shown, "release", "id"), release?.id);

  const decided = await entryOf(world, shown);
  assert.equal(decided.entry.envelope.command.type, "AcceptRelease");

  await amend(world, "310000");
  const amended = (await world.world.get(PATH, secret)).json().data;
  assert.deepEqual(
    [textAt(amended, "outcome"), at(amended, "settled", "value")],
    ["YES", "310000"],
  );
  const second = await entryOf(world, amended);
  assert.equal(second.entry.envelope.command.type, "DecideDispute", "the amendment decided it");

  await world.admin("POST", "clock", { advanceSeconds: 200 * 3600 });
  const final = (await world.world.get(PATH, secret)).json().data;
  assert.equal(textAt(final, "status"), "FINALIZED");
  // Its inclusion grows with the log, which is signed each second.
  const { sequence } = second.entry;
  assert.equal(numberAt(final, "entry", "sequence"), sequence, "what came later decided nothing");
});

/** The journal's own entry, which the certificate must name by its hash. */
async function entryOf({ world }: PublicWorld, shown: unknown) {
  const chained = await world.engine.history.entry(numberAt(shown, "entry", "sequence"));
  assert.ok(chained !== undefined && !isRejected(chained.entry.outcome));
  assert.equal(chained.hash, textAt(shown, "entry", "hash"));
  return chained;
}

/** By two operators, as an amendment takes. */
async function amend(world: PublicWorld, value: string): Promise<void> {
  const other = await world.world.account("operator", "operator");
  await world.world.funded(other, "100");
  const dispute = await world.world.post(`/api/markets/${MARKET}/disputes`, other.secret, {
    reason: "the print reads otherwise",
  });
  assert.equal(dispute.statusCode, 200, dispute.body);
  const decision = { decision: "amend", value };
  const path = `markets/${MARKET}/dispute-decision`;
  // Two operators who agree on next to nothing would otherwise divide by its level.
  const nothing = { decision: "amend", value: "0.000000000000001" };
  const refused = await world.world.post(`/api/admin/${path}`, other.secret, nothing);
  assert.equal(refused.statusCode, 400, refused.body);
  assert.equal(refused.json().error.field, "value");
  await world.admin("POST", path, decision);
  const agreed = await world.second(path, decision);
  assert.equal(agreed.status, 200, JSON.stringify(agreed.body));
}

/** docs/reference/ids.md, by hand: everything comes from the certificate. */
function hashOfTerms(terms: unknown): string {
  const text = (...path: readonly string[]): string => String(at(terms, ...path));
  const scaled = (decimal: string, places: number): string => {
    const [whole = "", fraction = ""] = decimal.split(".");
    return String(BigInt(whole + fraction.padEnd(places, "0")));
  };
  const kind = text("payoff", "kind");
  const fields = { layered: ["attachBps", "exhaustBps"], level: ["comparator", "threshold"] };
  const payoff = kind === "layered" ? fields.layered : fields.level;
  const baseline =
    at(terms, "baseline") === null
      ? "none"
      : [
          text("baseline", "month"),
          scaled(text("baseline", "value"), 15),
          scaled(text("baseline", "level"), 12),
          text("baseline", "releaseId"),
        ].join("|");
  const lines = [
    text("index"),
    text("geoNodeId"),
    text("measurementMonth"),
    [kind, ...payoff.map((name) => text("payoff", name))].join("|"),
    baseline,
    text("rounding"),
    text("fallback"),
    text("methodologyVersion"),
    text("expectedAtMillis"),
    at(terms, "successor") === null ? "none" : text("successor"),
  ];
  return createHash("sha256")
    .update(`firstprint/terms/v1\0${lines.join("\n")}`)
    .digest("hex");
}

test("of a decline too the terms hash is recomputed from the certificate alone", async (t) => {
  const world = await PublicWorld.open(t);
  await world.printStates("zhvi");
  const trader = await world.world.trader("a");
  const series = "srs.zhvi.state-tx.b2024-10.e2024-11.L0200-1000";
  const placed = await world.world.post("/api/trading/orders", trader.secret, order(series));
  assert.equal(placed.statusCode, 200, placed.body);
  // Traded, so that the market is there to be settled.
  const other = await world.world.trader("b");
  const met = { ...order(series), side: "SELL" };
  assert.equal((await world.world.post("/api/trading/orders", other.secret, met)).statusCode, 200);
  await world.admin("POST", "clock", { setTo: "2024-12-20T00:00:00Z" });
  await world.printNext("zhvi", "state:tx", "240000");
  const path = `/api/trading/certificates/${series}`;
  const { data } = (await world.world.get(path, trader.secret)).json();
  assert.match(textAt(data, "terms", "baseline", "releaseId"), /^rel-/);
  assert.equal(textAt(data, "terms", "hash"), hashOfTerms(at(data, "terms")));
  const market = (await world.world.get(`/api/markets/${series}`)).json().data;
  assert.equal(textAt(market, "termsHash"), textAt(data, "terms", "hash"));
});
