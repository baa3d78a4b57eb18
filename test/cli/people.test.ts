// The command line as a person uses it: plain names, a home's worth, what is paid and when.
// Invariant tested: what is asked of the exchange is exact, and what is shown follows from it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { run, startRecorder } from "./recorder.ts";

const KEY = `fp_live_${"a".repeat(36)}`;

const place = (id: string, name: string, level: string, aliases: readonly string[] = []) => ({
  id,
  name,
  level,
  stateCode: "NY",
  aliases,
});
/** The exchange's answer: so many of the places are called as was typed. */
const found = (named: number, places: readonly object[], more: object = {}) => ({
  json: { success: true, data: places, match: "name", named, nearest: [], ...more },
});
const nearest = (id: string, name: string, level: string, indexes: readonly string[]) => ({
  ...{ id, name, level, stateCode: "NY", indexes },
});
const data = (members: object) => ({ json: { success: true, data: members } });

const quote = data({
  node: "zip:10001",
  nodeName: "10001",
  index: "zhvi",
  asOfMonth: "2026-10",
  expiry: "2027-10",
  horizonMonths: 12,
  payoutKind: "layered",
  attachPct: 5,
  exhaustPct: 15,
  strikePct: null,
  anyClaimProb: 0.0476,
  fullLimitProb: 0.002,
  price: 0.0276,
  limitPrice: 0.0277,
  contracts: 48000,
  premiumUsd: 1326.55,
  maxPayoutUsd: 48000,
  deductibleUsd: 24000,
  impliedExposureUsd: 480000,
  seriesMarketId: "srs.x",
  note: "A price. To accept, buy outcome 0 of srs.x at limitPrice or better.",
  attribution: "Data from Somebody",
});

describe("quote", { concurrency: 2 }, () => {
  test("by a home's worth, with a place by name, twelve months on, 5 to 15 %", async (t) => {
    const { url, requests } = await startRecorder(
      t,
      found(1, [place("zip:10001", "10001", "zip"), place("county:10001", "Kent", "county")], {
        nearest: [nearest("zip:10001", "10001", "zip", ["zhvi"])],
      }),
      data({ asOfMonth: "2026-10" }),
      quote,
    );
    const ran = await run(["quote", "10001", "--home", "$480,000", "--url", url]);
    assert.equal(ran.status, 0, ran.stderr);
    assert.deepEqual(
      requests.map((request) => request.url),
      [
        "/api/geo/search?q=10001&limit=50",
        "/api/index/zip%3A10001",
        "/api/quotes?node=zip%3A10001&expiry=2027-10&notional=48000" +
          "&kind=layered&attachBps=500&exhaustBps=1500",
      ],
    );
    for (const line of [
      /^measured in +October 2027$/m,
      /^home worth +\$480,000$/m,
      /^coverage +\$48,000$/m,
      /^premium +\$1,326\.55$/m,
      /^chance of a payout +about 1 in 21 \(4\.8 %\)$/m,
      /^5 % +\$0$/m,
      /^6 % +\$4,800$/m,
      /^12 % +\$33,600$/m,
      /^20 % +\$48,000$/m,
      /^to accept +firstprint order place srs\.x buy 48000 0\.0277$/m,
      /^note +A price\.$/m,
    ]) {
      assert.match(ran.stdout, line);
    }
  });

  test("a name of several places lists them, one of none tells what is near", async (t) => {
    const both = found(2, [
      place("state:ny", "New York", "state"),
      place("city:new-york-ny", "New York", "city"),
      place("county:36061", "New York County", "county"),
    ]);
    const several = await startRecorder(t, both);
    const ran = await run(["quote", "New York", "--home", "1", "--url", several.url]);
    assert.equal(ran.status, 2);
    assert.match(
      ran.stderr,
      /"New York" may be any of these.*\n +state:ny .*\n +city:new-york-ny /,
    );

    assert.doesNotMatch(ran.stderr, /county/, "of three, two are called so");

    const austin = place("city:austin-tx", "Austin", "city");
    const none = await startRecorder(t, found(0, [austin], { match: "spelling" }));
    const lost = await run(["quote", "Austen", "--home", "1", "--url", none.url]);
    assert.equal(lost.status, 2);
    assert.match(lost.stderr, /no place is called "Austen"; did you mean .*\n +city:austin-tx /);
    assert.equal(none.requests[0]?.url, "/api/geo/search?q=Austen&limit=50");

    const ohio = nearest("state:oh", "Ohio", "state", ["zhvi"]);
    const near = await startRecorder(t, found(0, [], { match: "none", nearest: [ohio] }));
    const unknown = await run(["quote", "43215", "--home", "1", "--url", near.url]);
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /no place is called "43215"; the nearest with data:\n +state:oh /);
    const told = await run(["search", "43215", "--url", near.url]);
    assert.match(told.stdout, /No place\. The nearest with data:\n[\s\S]*state:oh .*zhvi/);

    const bare = found(1, [place("zip:43215", "43215", "zip")], { nearest: [ohio] });
    const without = await startRecorder(t, bare);
    const refused = await run(["quote", "43215", "--home", "1", "--url", without.url]);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /zip:43215 has no zhvi yet; the nearest .*\n +state:oh /);

    const named = await startRecorder(t, both, data({ nodeId: "x", series: [] }));
    await run(["index", "New York, ny", "--url", named.url]);
    assert.equal(named.requests[0]?.url, "/api/geo/search?q=New%20York%2C%20ny&limit=50");
    assert.equal(named.requests.length, 1, "the exchange does not tell the two apart");
  });

  test("the month in words, the raw answer with --json", async (t) => {
    const { url, requests } = await startRecorder(t, quote);
    const line = ["quote", "zip:10001", "--notional", "$10,000", "--expiry", "Oct 2027"];
    const ran = await run([...line, "--layer", "2-10", "--json", "--url", url]);
    assert.equal(ran.stdout, `${JSON.stringify(quote.json)}\n`);
    assert.match(requests[0]?.url ?? "", /&expiry=2027-10&notional=10000&kind=layered/);
  });
});

const resolution = {
  marketId: "srs.x",
  status: "RESOLVED",
  metric: "zhvi_decline",
  measurementMonth: "2025-04",
  outcome: "YES",
  settledValue: 284820,
  comparisonValue: 303000,
  payoutFraction: 0.5,
  disputeWindowEndsAt: "2025-05-23T00:00:00.000Z",
  finalizedAt: null,
  disputed: false,
};

describe("settlement", { concurrency: 2 }, () => {
  test("resolution: the fall, the payout, and with a key what its account is paid", async (t) => {
    const own = await startRecorder(t, data(resolution), data([{ amount: "900" }]));
    const line = ["market", "resolution", "srs.x", "--url"];
    const ran = await run([...line, own.url, "--key", KEY]);
    assert.equal(own.requests[1]?.url, "/api/trading/positions?marketId=srs.x&held=true");
    assert.match(ran.stdout, /^index +fell 6\.00 %$/m);
    assert.match(ran.stdout, /^pays +50\.0 % of coverage$/m);
    assert.match(ran.stdout, /^to be paid +\$450 to you$/m);
    assert.match(ran.stdout, /^paid on +2025-05-23 00:00:00, unless it is disputed before$/m);

    const seller = await startRecorder(t, data(resolution), data([{ amount: "-900" }]));
    const sold = await run([...line, seller.url, "--key", KEY]);
    assert.match(sold.stdout, /^to be paid +\$450 by you$/m);

    const nobody = await startRecorder(t, data(resolution));
    const told = await run([...line, nobody.url]);
    assert.match(told.stdout, /^to be paid +-$/m);
    assert.equal(nobody.requests.length, 1);

    const narrow = await startRecorder(t, data(resolution), {
      status: 403,
      json: { success: false, error: { code: "PERMISSION_DENIED", message: "no" } },
    });
    assert.equal((await run([...line, narrow.url, "--key", KEY])).status, 0);
  });

  test("portfolio: positions that settled, what they pay and when", async (t) => {
    const { url } = await startRecorder(
      t,
      data({ id: "acc-1" }),
      data([
        { marketId: "srs.x", amount: "900" },
        { marketId: "srs.y", amount: "5" },
      ]),
      data([{ id: "srs.x" }]),
      data(resolution),
    );
    const ran = await run(["portfolio", "--url", url, "--key", KEY]);
    assert.equal(ran.status, 0, ran.stderr);
    const told = ran.stdout.slice(ran.stdout.indexOf("Settled, and not paid yet:"));
    assert.match(told, /^srs\.x +fell 6\.00 % +50\.0 % of coverage +\$450 to you +2025-05-23 /m);
    assert.doesNotMatch(told, /srs\.y/);
  });
});
