// The sample's story on a real exchange: what is there when it has been played.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { indexKinds } from "#base/index-kind.ts";
import { addMonths, monthOf } from "#base/month.ts";
import { lots } from "#base/quantity.ts";
import { formatSeriesId } from "#contract/series.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { isAwaiting } from "#core/market/window-times.ts";
import type { MarketStatus } from "#core/records.ts";
import { disputeSubject } from "#core/words/word.ts";
import { nation } from "#geo/node.ts";
import { providers } from "#prints/release.ts";
import { priceOf } from "#quoting/quote-price.ts";
import { type PlayedSample, playSample } from "#sample/play.ts";
import { METHOD_CHANGE } from "#sample/restatement.ts";
import { openExchange, type SampleExchange } from "./exchange.ts";

const seed = 7;
const todayMillis = Date.UTC(2026, 10, 21, 13, 45);

const marketsThatAre = ({ view }: SampleExchange, status: MarketStatus) =>
  [...view.markets.values()].filter((market) => market.status === status);

const payouts = (exchange: SampleExchange, status: MarketStatus): number[] =>
  marketsThatAre(exchange, status)
    .map(({ resolution }) => resolution?.payoutMillionths ?? -1)
    .sort((a, b) => a - b);

function checkLives(exchange: SampleExchange, played: PlayedSample, today = todayMillis): void {
  const { view } = exchange;
  assert.equal(marketsThatAre(exchange, "PAUSED").length, 1);
  assert.equal(marketsThatAre(exchange, "CANCELLED").length, 1);
  for (const status of ["RESOLVED", "FINALIZED"] as const) {
    const [least, most] = payouts(exchange, status);
    assert.equal(least, 0, `one ${status} market owes nothing`);
    assert.ok(most !== undefined && most > 200_000 && most < 1_000_000, `${most} is a part`);
  }
  const resolved = marketsThatAre(exchange, "RESOLVED");
  for (const { resolution } of resolved.filter((market) => market.dispute === null)) {
    assert.ok((resolution?.disputeWindowEndsAtMillis ?? 0) > today, "still to be disputed");
  }
  const [disputed, ...others] = resolved.filter(({ dispute }) => dispute !== null);
  assert.deepEqual(others, []);
  assert.ok(disputed !== undefined);
  const [first] = view.wordsAbout(disputeSubject(disputed.id));
  assert.ok(first?.command.type === "DecideDispute", "a first word waits for a second");
  assert.equal(first.command.decision, "uphold");
  const [waiting, ...more] = marketsThatAre(exchange, "ACTIVE").filter((one) => one.tradingClosed);
  assert.deepEqual([waiting?.terms.nodeId, more], ["county:12071", []]);
  const active = marketsThatAre(exchange, "ACTIVE").filter((one) => !one.tradingClosed);
  assert.ok(active.length >= 6);
  for (const { id, lastTick } of active) {
    const book = view.book(id);
    const [bid, ask] = [book.bestBid(), book.bestAsk()];
    assert.ok(bid !== undefined && ask !== undefined && bid < ask, `${id} has two sides`);
    assert.ok(lastTick !== null, `${id} was traded`);
  }
  const shown = view.marketByAnyId(played.interesting.seriesId);
  assert.equal(shown?.status, "ACTIVE");
  assert.equal(shown?.terms.nodeId, played.interesting.nodeId);
}

function checkMoney({ view }: SampleExchange): void {
  const total = [...view.ledger.values()].reduce((sum, balance) => sum + balance, 0n);
  assert.equal(total, 0n, "the ledger balances");
  assert.ok((view.ledger.get("financing") ?? 0n) > 0n, "the pool lends premiums");
  for (const { id, role, kyc, name } of view.accounts.values()) {
    if (role === "operator") continue;
    if (name === "Sample Newcomer") {
      assert.equal(kyc.status, "pending", "its inquiry waits");
      continue;
    }
    assert.equal(kyc.status, "approved", name);
    assert.equal(kyc.provider, "sandbox", name);
    assert.ok((kyc.expiresAtSeconds ?? 0) * 1000 > todayMillis, `${name} is approved today`);
    assert.ok(view.available(id) > 0n, `${name} has money left`);
  }
  const [cancelled] = [...view.markets.values()].filter(({ status }) => status === "CANCELLED");
  assert.equal(cancelled?.shortfallMicros, 0n, "the void gives everything back");
}

const BETWEEN_PARTS = "\u001e";

/** Everything after the first entry, which gives a random name; without the salts, drawn too. */
async function journalOf({ journal }: SampleExchange): Promise<string[]> {
  const [first, ...rest] = await journal.read(1, 1_000_000);
  assert.equal(readEntry(first?.bytes ?? new Uint8Array()).envelope.command.type, "Genesis");
  return rest.map(({ bytes }) => {
    const [open, salt, ...parts] = Buffer.from(bytes).toString().split(BETWEEN_PARTS);
    assert.match(salt ?? "", /^[0-9a-f]{32}$/);
    return [open, ...parts].join(BETWEEN_PARTS);
  });
}

test("played twice, the story ends alike: a market in each state, accounts sound", async (t) => {
  const [exchange, other] = [await openExchange(t), await openExchange(t)];
  const [played] = await Promise.all(
    [exchange, other].map(({ ports }) => playSample({ ...ports, seed, todayMillis })),
  );
  assert.ok(played !== undefined);
  checkLives(exchange, played);
  checkMoney(exchange);

  assert.equal(played.demoKey, "secret of Sample Trader");
  const desks = ["Sample Operations Desk", "Sample Second Desk"];
  assert.deepEqual(
    played.operatorKeys,
    desks.map((name) => `secret of ${name}`),
  );
  assert.deepEqual(
    played.accounts.map(({ address }) => exchange.view.accountByAddress(address)?.name),
    played.accounts.map(({ name }) => name),
  );
  const surveys = [...exchange.view.releases.values()].filter(({ index }) =>
    ["vacancy", "weather"].includes(index),
  );
  assert.equal(exchange.view.releases.size, 139 + surveys.length);
  const texas = nodeId("state:tx");
  for (const index of indexKinds) {
    const shown = exchange.series.indexValue(index, index === "vacancy" ? nation.id : texas);
    assert.ok(typeof shown?.yoy === "number", `${index} has a value and a growth`);
    const count = index === "vacancy" ? 8 : 24;
    assert.equal(shown.series.length, count, index);
    const last = exchange.series.newest(index, index === "vacancy" ? nation.id : texas);
    assert.equal(last?.backfill, false, `${index} has a first print proper`);
  }
  for (const release of exchange.view.releases.values()) {
    assert.equal(release.unmatched, 0, `${release.index} ${release.level}`);
  }
  checkMethods(exchange);
  const { times } = exchange;
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
    "time only goes forward",
  );
  assert.ok((times.at(-1) ?? 0) < todayMillis);

  const journal = await journalOf(exchange);
  assert.deepEqual(journal, await journalOf(other));
  checkNames(journal.join("\n").toLowerCase());

  await t.test("every quote of home values can be accepted", () => checkQuotes(exchange));
});

/** Validation holds back the one misprint, and finds the method change in its place alone. */
function checkMethods({ view }: SampleExchange): void {
  const [held, ...more] = view.quarantine.values();
  assert.deepEqual([held?.index, held?.level, more], ["zori", "county", []]);
  assert.ok((held?.awaited ?? []).length > 0, "a market waits for what it holds");
  const releases = [...view.releases.values()];
  const published = [...new Set(releases.map(({ publishedAtMillis }) => publishedAtMillis))];
  for (const { index, publishedAtMillis, ...release } of releases) {
    const number = published.indexOf(publishedAtMillis);
    const isChange = index === "zhvi" && number === METHOD_CHANGE;
    const at = `${index} ${release.level} of release ${number}`;
    assert.equal(release.methodologyChange, isChange ? "declared" : undefined, at);
    const version = index === "zhvi" && number >= METHOD_CHANGE ? 2 : 1;
    assert.equal(release.methodologyVersion, `${index}/${version}`, at);
  }
}

function checkNames(text: string): void {
  assert.ok(text.includes('"sample"'));
  for (const { id, name } of Object.values(providers)) {
    if (id === "sample") continue;
    const isNamed = text.includes(`"${id}"`) || text.includes(name.toLowerCase());
    assert.ok(!isNamed, `${name} is absent`);
  }
}

/** Layers and horizons that a person is shown, in every place that has prints. */
function quotesOf({ view, series, reference }: SampleExchange) {
  const layers = [
    [200, 1_000],
    [500, 1_500],
    [800, 2_000],
  ] as const;
  const now = monthOf(2026, 11);
  return [...view.geo.nodes()].flatMap((node) => {
    const baselineMonth = series.newest("zhvi", node.id)?.month;
    if (baselineMonth === undefined) return [];
    return layers.flatMap(([attachBps, exhaustBps]) =>
      [1, 2, 12, 24, 36].flatMap((months) => {
        const payoff = { kind: "layered", attachBps, exhaustBps } as const;
        const expiry = addMonths(baselineMonth, months);
        const asked = { index: "zhvi", node, expiry, payoff, coverageUsd: 250_000 } as const;
        const priced = priceOf({ exchange: view, series, reference }, asked, now);
        const terms = { index: "zhvi", nodeId: node.id, baselineMonth, payoff } as const;
        const id = formatSeriesId({ ...terms, measurementMonth: expiry });
        return "unpriced" in priced ? [] : [{ id, quote: priced.quote }];
      }),
    );
  });
}

/** Each can be accepted at the price it shows. */
function checkQuotes(exchange: SampleExchange): void {
  const { view, ports, times } = exchange;
  const quotes = quotesOf(exchange);
  assert.ok(quotes.length > 1_000, `${quotes.length} quotes`);
  for (const { id, quote } of quotes) {
    const known = view.marketByAnyId(id);
    const listing = known === undefined ? ports.listingFor(id) : undefined;
    const market = known ?? (listing && { ...listing, id: listing.marketId });
    assert.ok(market !== undefined, id);
    const wanted = lots(BigInt(Math.round(quote.maxPayoutUsd)) * 100n);
    const bought = view.buys(market, wanted, times.at(-1) ?? 0);
    assert.equal(bought?.lots, wanted, `${id}: all of it`);
    assert.ok(bought.tick <= quote.limitTick, `${id} for ${bought.tick}`);
  }
}

test("played on the morning of an expected print, only the held file is waited for", async (t) => {
  const exchange = await openExchange(t);
  const morning = Date.UTC(2026, 10, 20, 3);
  const played = await playSample({ ...exchange.ports, seed, todayMillis: morning });
  checkLives(exchange, played, morning);
  const { windows, heldMatching } = exchange.view.waiting;
  assert.equal(heldMatching.size, 0);
  const waiting = [...windows.values()].filter(isAwaiting).map(({ index }) => index);
  assert.deepEqual(waiting, ["zori"], "for the file that is held back, and for no other");
});

test("a step that is refused stops the story with its name and the reason", async (t) => {
  const { ports } = await openExchange(t);
  const taken = ports.releases;
  let files = 0;
  const releases: typeof taken = {
    ingest: (body, meta, submit) => {
      files += 1;
      if (files < 4) return taken.ingest(body, meta, submit);
      return Promise.resolve({ refusal: { message: "row 3 is damaged" } });
    },
  };
  await assert.rejects(
    playSample({ ...ports, releases, seed, todayMillis }),
    /stops at "release zhvi neighborhood": row 3 is damaged/,
  );
});
