// The replay's cohort once more, on a running exchange over HTTP: the releases cut from a
// provider's file month by month, the same sales, the clock moved from release to release.
// Invariant: every balance is the tool's to the micro-dollar, and so is the guarantee fund's.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { formatMicros, micros } from "#base/money.ts";
import { addMonths, formatMonth, type Month, monthOf } from "#base/month.ts";
import { readHistory } from "#cli/replay/file.ts";
import { formatSeriesId } from "#contract/series.ts";
import { expectedPublicationMillis } from "#prints/release.ts";
import type { ContractEnd, Plan } from "#replay/cohort.ts";
import { pastOf } from "#replay/past.ts";
import { replayCohorts } from "#replay/replay.ts";
import { until } from "#test/e2e/until.ts";
import { upload } from "#test/e2e/upload.ts";
import { at, Exchange, listAt, type Reply, type Trader, textAt } from "#test/support/exchange.ts";
import { providerFile, zhviState } from "#test/support/shared-data.ts";

/** Contracts; what the replay sells of each place. */
const AMOUNT = "5000";
const LOTS = 500_000n;
const KNOWN_MONTHS = 30;
/** Windows, calls and auctions have run out by then. */
const END_SECONDS = 61 * 24 * 3600;

const ok = (reply: Reply): unknown => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return at(reply.body, "data");
};

const microsIn = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(6, "0"));
};

/** The file as it stood when a month was the newest: its columns up to that month. */
function cutter(file: URL): (month: Month) => string {
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  const rows = lines.map((line) => line.trimEnd().split(","));
  const header = rows[0] ?? [];
  return (month) => {
    const last = header.findIndex((name) => name.startsWith(formatMonth(month)));
    assert.ok(last > 0, `the file has ${formatMonth(month)}`);
    return rows.map((cells) => `${cells.slice(0, last + 1).join(",")}\n`).join("");
  };
}

class Live {
  readonly #exchange: Exchange;
  readonly #auditor: Trader;
  readonly #second: Trader;
  readonly #cut: (month: Month) => string;

  constructor(exchange: Exchange, auditor: Trader, second: Trader, file: URL) {
    this.#exchange = exchange;
    this.#auditor = auditor;
    this.#second = second;
    this.#cut = cutter(file);
  }

  /** The file comes, then the marks drawn from it. */
  async marked(month: Month): Promise<void> {
    const before = await this.#marksPublished();
    await this.release(month);
    await until("new marks", async () => (await this.#marksPublished()) !== before);
  }

  /** The clock goes to the day on which the month's print is expected. */
  async release(month: Month): Promise<void> {
    const publishedAt = new Date(expectedPublicationMillis("zillow", month)).toISOString();
    await this.#exchange.admin("clock", { setTo: publishedAt });
    const query = { provider: "zillow", index: "zhvi", level: "state", publishedAt };
    const answer = await upload(this.#exchange, this.#cut(month), query);
    assert.ok(answer.status < 300, answer.text);
    assert.equal(textAt(answer.body, "data", "status"), "accepted");
    await this.#letHeldIn();
  }

  /** Two people let in what the gate asks about: the tool replays what was published. */
  async #letHeldIn(): Promise<void> {
    const held = await this.#exchange.get("/api/admin/held-places", { admin: true });
    for (const place of listAt(ok(held))) {
      const [release, node] = [textAt(place, "releaseId"), textAt(place, "nodeId")];
      const path = `/api/admin/releases/${release}/places/${node}/approve`;
      for (const credential of [{ admin: true }, { key: this.#second.key }]) {
        ok(await this.#exchange.post(path, {}, credential));
      }
    }
  }

  /** The newest entry that gave marks out. */
  async #marksPublished(): Promise<string> {
    const path = "/api/audit/logs?action=market.marks_published&limit=1";
    const [newest] = listAt(ok(await this.#exchange.get(path, this.#auditor)));
    return newest === undefined ? "" : textAt(newest, "id");
  }

  /** A trader with the least cash that the order takes, and nothing free beside it. */
  async sell(name: string, marketId: string, price: number): Promise<string> {
    const { id } = await this.#order(name, marketId, "SELL", price);
    return id;
  }

  async buy(name: string, marketId: string, price: number): Promise<string> {
    const { id, order } = await this.#order(name, marketId, "BUY", price);
    assert.equal(textAt(order, "status"), "FILLED");
    return id;
  }

  async #order(name: string, marketId: string, side: string, price: number) {
    const { id, key } = await this.#exchange.trader(name, "0");
    const order = { marketId, outcomeIndex: 0, side, amount: AMOUNT, price };
    const refused = await this.#exchange.post("/api/trading/orders", order, { key });
    assert.equal(at(refused.body, "code"), "INSUFFICIENT_BALANCE", refused.text);
    const amount = textAt(refused.body, "error", "details", "required");
    await this.#exchange.admin(`accounts/${id}/funding`, { amount });
    return { id, order: ok(await this.#exchange.post("/api/trading/orders", order, { key })) };
  }

  /** Takes out what the resting order held back for its fee. */
  async withdraw(id: string): Promise<void> {
    const account = ok(await this.#exchange.get(`/api/admin/accounts/${id}`, { admin: true }));
    const free = microsIn(textAt(account, "available"));
    if (free === 0n) return;
    await this.#exchange.admin(`accounts/${id}/funding`, {
      amount: `-${formatMicros(micros(free))}`,
    });
  }

  async fund(): Promise<bigint> {
    const fund = ok(await this.#exchange.get("/api/admin/guarantee", { admin: true }));
    return microsIn(textAt(fund, "balance"));
  }
}

/** A made file knows no 2006: there the cohort is one that it knows. */
async function sameLive(t: TestContext, wanted: Month, plan: Plan): Promise<void> {
  const file = providerFile(t, zhviState("2021-09"));
  if (file === undefined) return;
  const past = pastOf(await readHistory(fileURLToPath(file), "zhvi", "state"));
  const earliest = addMonths(past.firstMonth, KNOWN_MONTHS);
  const month = wanted < earliest ? earliest : wanted;
  const [told] = replayCohorts(past, plan, [month]);
  assert.ok(told !== undefined);
  const places = past.places.filter(({ prints }) => prints.has(month));
  assert.equal(told.contracts.length, places.length);

  const exchange = await Exchange.start(t, {
    FIRSTPRINT_CLOCK: "sandbox",
    // Years of files within seconds are more than an operator may send by default.
    FIRSTPRINT_MAX_KEY_RATE: "1000000",
  });
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const second = await exchange.trader("second", "0", "operator");
  const live = new Live(exchange, auditor, second, file);
  await live.release(month);
  const fund = (BigInt(places.length) * LOTS * 10_000n * BigInt(plan.fundBps)) / 10_000n;
  await exchange.admin("guarantee", { amount: formatMicros(micros(fund)) });
  const sold: { seller: string; buyer: string; buyerCash: bigint }[] = [];
  for (const [place, { nodeId }] of places.entries()) {
    const one: ContractEnd = told.contracts[place] ?? assert.fail();
    const id = formatSeriesId({
      index: "zhvi",
      nodeId,
      baselineMonth: month,
      measurementMonth: addMonths(month, plan.months),
      payoff: plan.payoff,
    });
    const price = Number(one.premium / LOTS) / 10_000;
    const seller = await live.sell(`seller ${nodeId}`, id, price);
    const buyer = await live.buy(`buyer ${nodeId}`, id, price);
    await live.withdraw(seller);
    assert.equal(await exchange.cash(seller), one.sellerCash, `${one.name}: the least cash`);
    sold.push({ seller, buyer, buyerCash: await exchange.cash(buyer) });
  }
  assert.equal(await live.fund(), told.fundStart);

  for (let ahead = 1; ahead <= plan.months; ahead += 1) await live.marked(addMonths(month, ahead));
  await exchange.admin("clock", { advanceSeconds: END_SECONDS });
  for (const [place, { seller, buyer, buyerCash }] of sold.entries()) {
    const one: ContractEnd = told.contracts[place] ?? assert.fail();
    assert.equal((await exchange.cash(buyer)) - buyerCash, one.paid, `${one.name}: paid`);
    assert.equal(one.sellerCash - (await exchange.cash(seller)), one.given, `${one.name}: given`);
  }
  assert.equal(await live.fund(), told.fundEnd);
  const due = told.contracts.filter((one) => (one.due ?? 0n) > 0n).length;
  const called = told.contracts.filter((one) => one.called).length;
  t.diagnostic(`${places.length} places, ${due} claims, ${called} sellers called`);
}

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;

test("36 months sold in 2006-06 end over HTTP as the tool says", async (t) => {
  const plan = { months: 36, payoff: layer, tier: "institutional", fundBps: 300 } as const;
  await sameLive(t, monthOf(2006, 6), plan);
});

test("12 months sold in 2010-07, with calls and defaults, do so too", async (t) => {
  const plan = { months: 12, payoff: layer, tier: "institutional", fundBps: 300 } as const;
  await sameLive(t, monthOf(2010, 7), plan);
});
