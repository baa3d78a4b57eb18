// One's own orders, fills, positions, ledger, account and statement, against a plain recount.
// Invariant: what is expected is told here from the journal's events, by nothing under test.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { accountId, marketId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Event } from "#core/event.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { drawing } from "#test/journal/sealed.ts";
import { at, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { type Closing, type Holder, order, World } from "./world.ts";

const draw = drawing(23);
const pick = <T>(from: readonly T[]): T => {
  for (const chosen of from.slice(draw(from.length))) return chosen;
  assert.fail("nothing to pick from");
};

interface Market {
  readonly world: World;
  readonly traders: readonly Holder[];
  readonly markets: readonly string[];
}

/** Two markets, three traders who have met each other at drawn prices, one who has done nothing. */
async function traded(t: Closing, orders: number): Promise<Market> {
  const world = await World.open(t);
  const traders = [await world.trader("a"), await world.trader("b"), await world.trader("c")];
  const markets = [await world.market("300000"), await world.market("310000")];
  traders.push(await world.trader("d", "5"));
  const market = { world, traders, markets };
  for (let count = 0; count < orders; count += 1) await act(market);
  return market;
}

async function act({ world, traders, markets }: Market): Promise<void> {
  const { secret, id } = pick(traders.slice(0, 3));
  if (draw(8) === 0) {
    const amountMicros = micros(BigInt(draw(2_000_000) - 900_000));
    const command = { type: "FundAccount", accountId: accountId(id), amountMicros } as const;
    await world.root({ ...command, memo: null });
    return;
  }
  const body = order(pick(markets), {
    outcomeIndex: draw(2),
    side: pick(["BUY", "SELL"]),
    amount: `${1 + draw(40)}.${10 + draw(90)}`,
    price: pick([0.4501, 0.4807, 0.5, 0.5203]),
  });
  const placed = await world.post("/api/trading/orders", secret, body);
  assert.equal(placed.statusCode, 200, placed.body);
  if (draw(5) === 0) await world.remove(`/api/trading/orders/${placed.json().data.id}`, secret);
}

async function journal({ engine }: World): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const { entry } of engine.history.export({})) entries.push(entry);
  return entries;
}

interface Told {
  readonly sequence: number;
  readonly event: Event;
}

/** Newest first. */
async function told(world: World): Promise<readonly Told[]> {
  const entries = await journal(world);
  return entries
    .flatMap(({ sequence, outcome }) =>
      (isRejected(outcome) ? [] : outcome.events).map((event) => ({ sequence, event })),
    )
    .reverse();
}

const decimal = (amount: bigint): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, "0");
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
  return amount < 0n ? `-${text}` : text;
};

/** Walks a list to its end in pages of `limit`; `meanwhile` runs between two pages. */
async function walk(
  world: World,
  list: string,
  holder: Holder,
  query: Readonly<Record<string, string>>,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let cursor: unknown = "";
  for (let page = 0; page < 1_000; page += 1) {
    world.nowMillis += 1_000;
    const more = typeof cursor === "string" && cursor !== "" ? { cursor } : {};
    const search = new URLSearchParams({ ...query, ...more }).toString();
    const answer = await world.get(`/api/trading/${list}?${search}`, holder.secret);
    assert.equal(answer.statusCode, 200, answer.body);
    const found = listAt(answer.json(), "data");
    assert.ok(found.length <= Number(query.limit ?? 50), "a page is no longer than its limit");
    items.push(...found);
    cursor = at(answer.json(), "nextCursor");
    if (cursor === null) return items;
    await meanwhile();
  }
  assert.fail("the list ends");
}

test("orders by market and status, in pages of any size, while new ones arrive", async (t) => {
  const market = await traded(t, 120);
  const { world, traders, markets } = market;
  for (let sample = 0; sample < 12; sample += 1) {
    const holder = pick(traders);
    const wanted = draw(2) === 0 ? undefined : pick(markets);
    const status = pick(["", "OPEN", "FILLED", "PARTIALLY_FILLED", "CANCELLED"]);
    const newest = new Map<string, string>();
    for (const { event } of await told(world)) {
      if (event.type !== "OrderChanged" || newest.has(event.order.id)) continue;
      const { id, accountId: owner, status: is, marketId: where } = event.order;
      const isWanted =
        owner === holder.id &&
        (wanted === undefined || where === wanted) &&
        (status === "" || is === status);
      newest.set(id, isWanted ? is : "");
    }
    const rank = (id: string): number => Number(id.slice("ord-".length));
    const expected = [...newest.keys()]
      .filter((id) => newest.get(id) !== "")
      .sort((a, b) => rank(b) - rank(a));
    const query = {
      limit: String(pick([1, 4, 11, 200])),
      ...(wanted === undefined ? {} : { marketId: wanted }),
      ...(status === "" ? {} : { status }),
    };
    // Orders that rest far from the rest of the book, so that no status changes meanwhile.
    const rest = async () => {
      const far = order(pick(markets), { price: 0.01, amount: "1" });
      await world.post("/api/trading/orders", holder.secret, far);
    };
    const found = await walk(world, "orders", holder, query, status === "" ? rest : undefined);
    assert.deepEqual(
      found.map((item) => textAt(item, "id")),
      expected,
      JSON.stringify(query),
    );
  }
});

test("fills by market and order, and the ledger by reason, against a recount", async (t) => {
  const market = await traded(t, 160);
  const { world, traders, markets } = market;
  for (let sample = 0; sample < 12; sample += 1) {
    const holder = pick(traders);
    const events = await told(world);
    const mine = new Set(
      events.flatMap(({ event }) =>
        event.type === "OrderChanged" && event.order.accountId === holder.id ? event.order.id : [],
      ),
    );
    const where = draw(2) === 0 ? undefined : pick(markets);
    const which = mine.size > 0 && draw(3) === 0 ? pick([...mine]) : undefined;
    const fills = events.flatMap(({ event, sequence }) => {
      if (event.type !== "Filled") return [];
      const { id, takerOrderId, makerOrderId, marketId: place } = event.fill;
      const own = [takerOrderId, makerOrderId].find((one) => mine.has(one));
      if (own === undefined || (which !== undefined && own !== which)) return [];
      if (where !== undefined && place !== where) return [];
      return [{ id, orderId: own, sequence, liquidity: own === takerOrderId ? "taker" : "maker" }];
    });
    const query = {
      limit: String(pick([3, 7, 20, 200])),
      ...(where === undefined ? {} : { marketId: where }),
      ...(which === undefined ? {} : { orderId: which }),
    };
    const found = await walk(world, "fills", holder, query, () => act(market));
    assert.deepEqual(
      found.map((item) => ({
        id: textAt(item, "id"),
        orderId: textAt(item, "orderId"),
        sequence: numberAt(item, "sequence"),
        liquidity: textAt(item, "liquidity"),
      })),
      fills,
      JSON.stringify(query),
    );

    const reason = pick(["", "premium", "fee", "fee-share", "deposit", "withdrawal"]);
    const cash = `cash:${holder.id}`;
    const postings = (await told(world)).flatMap(({ event, sequence }) => {
      if (event.type !== "Posted") return [];
      const { from, to, amountMicros } = event.posting;
      if (from !== cash && to !== cash) return [];
      if (reason !== "" && event.posting.reason !== reason) return [];
      return [{ sequence, amount: decimal(to === cash ? amountMicros : -amountMicros) }];
    });
    const narrowed = { limit: query.limit, ...(reason === "" ? {} : { reason }) };
    const lines = await walk(world, "ledger", holder, narrowed, () => act(market));
    assert.deepEqual(
      lines.map((item) => ({
        sequence: numberAt(item, "sequence"),
        amount: textAt(item, "amount"),
      })),
      postings,
      JSON.stringify(narrowed),
    );
  }
});

const parsed = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const amount = BigInt(whole + fraction.padEnd(6, "0"));
  return text.startsWith("-") ? -amount : amount;
};
const sum = (items: readonly unknown[], member: string): bigint =>
  items.reduce((total: bigint, item) => total + parsed(textAt(item, member)), 0n);

test("ledger, fills, positions and account add up to the same cash", async (t) => {
  const market = await traded(t, 160);
  const { world, traders } = market;
  for (const holder of traders) {
    const ledger = await walk(world, "ledger", holder, { limit: "200" });
    const account: unknown = (await world.get("/api/trading/account", holder.secret)).json();
    const money = (name: string): bigint => parsed(textAt(account, "data", name));
    assert.equal(sum(ledger, "amount"), money("cash"));
    assert.equal(textAt(ledger[0], "balance"), textAt(account, "data", "cash"));
    assert.equal(money("available") + money("locked"), money("cash"));
    const parts = money("collateral") + money("reserves") + money("lockedUntilFinal");
    assert.equal(parts, money("locked"));
    for (const [index, line] of ledger.entries()) {
      const before = ledger[index + 1];
      const balance = before === undefined ? 0n : parsed(textAt(before, "balance"));
      assert.equal(balance + parsed(textAt(line, "amount")), parsed(textAt(line, "balance")));
    }

    const ofReason = (...reasons: readonly string[]) =>
      sum(
        ledger.filter((line) => reasons.includes(textAt(line, "reason"))),
        "amount",
      );
    const fills = await walk(world, "fills", holder, {});
    assert.equal(sum(fills, "fee"), -ofReason("fee", "fee-share"));
    for (const fill of fills) {
      if (textAt(fill, "liquidity") === "maker") assert.equal(textAt(fill, "fee"), "0");
    }
    const positions = await walk(world, "positions", holder, { limit: "1" });
    const gained = sum(positions, "realised") - sum(positions, "cost") - sum(positions, "fees");
    assert.equal(ofReason("deposit", "withdrawal") + gained, money("cash"));
    assert.equal(
      money("equity"),
      money("cash") + sum(positions, "unrealised") + sum(positions, "cost"),
    );
    // A price is of the order's own outcome: in YES terms it is what the cash says.
    const premium = fills.reduce((total: bigint, fill) => {
      const isYes = numberAt(fill, "outcomeIndex") === 0;
      const price = BigInt(Math.round(numberAt(fill, "price") * 10_000));
      const buys = (textAt(fill, "side") === "BUY") === isYes;
      const cost = parsed(textAt(fill, "amount")) * (isYes ? price : 10_000n - price);
      return total + (buys ? -cost : cost) / 10_000n;
    }, 0n);
    assert.equal(premium, ofReason("premium"));
    const held = listAt(
      (await world.get("/api/trading/positions?held=true", holder.secret)).json(),
      "data",
    );
    assert.deepEqual(
      held,
      positions.filter((position) => textAt(position, "amount") !== "0"),
    );
  }
});

test("an account sees its own only, and other ids are like absent ones", async (t) => {
  const { world, traders, markets } = await traded(t, 30);
  const [a, b] = [traders[0] ?? assert.fail(), traders[1] ?? assert.fail()];
  const resting = order(markets[0] ?? "", { price: 0.02 });
  const placed = await world.post("/api/trading/orders", a.secret, resting);
  const id = textAt(placed.json(), "data", "id");
  const body = async (url: string, secret: string) => {
    const answer = await world.get(url, secret);
    return { status: answer.statusCode, body: answer.body.replaceAll(/"requestId":"[^"]*"/g, "") };
  };
  const own = await world.get(`/api/trading/orders/${id.toUpperCase()}`, a.secret);
  assert.deepEqual(own.json().data, placed.json().data);
  for (const place of ["/api/trading/orders/", "/api/trading/fills?orderId="]) {
    const other = await body(place + id, b.secret);
    assert.equal(other.status, 404);
    assert.deepEqual(other, await body(`${place}ord-999999`, b.secret));
  }
  for (const list of ["orders", "fills", "positions"]) {
    const unknown = await world.get(`/api/trading/${list}?marketId=none`, a.secret);
    assert.equal(unknown.json().code, "MARKET_NOT_FOUND");
  }
  const key = await world.narrowKey(a, ["create:orders"]);
  for (const list of ["orders", "fills", "positions", "ledger", "account", "statement"]) {
    assert.equal((await world.get(`/api/trading/${list}`, key)).statusCode, 403, list);
    assert.equal((await world.get(`/api/trading/${list}`)).statusCode, 401, list);
  }
});

test("a cursor of another account, list or filter, and one made up, is refused", async (t) => {
  const { world, traders } = await traded(t, 60);
  const [a, b] = [traders[0] ?? assert.fail(), traders[1] ?? assert.fail()];
  const lists = ["orders", "fills", "ledger", "positions"];
  for (const list of lists) {
    const first = await world.get(`/api/trading/${list}?limit=1`, a.secret);
    const cursor = textAt(first.json(), "nextCursor");
    const next = (where: string, who: Holder, more = "") =>
      world.get(`/api/trading/${where}?cursor=${cursor}${more}`, who.secret);
    assert.equal((await next(list, a)).statusCode, 200);
    assert.equal((await next(list, a)).body, (await next(list, a)).body, "asked twice, told twice");
    const filter = list === "ledger" ? "&reason=premium" : `&marketId=mkt-001`;
    const others = [
      await next(list, b),
      await next(list, a, filter),
      ...(await Promise.all(lists.filter((one) => one !== list).map((one) => next(one, a)))),
      await world.get(`/api/trading/${list}?cursor=${cursor}A`, a.secret),
      await world.get(`/api/trading/${list}?cursor=${cursor.slice(1)}`, a.secret),
      await world.get(`/api/trading/${list}?cursor=MTI`, a.secret),
      await world.get(`/api/trading/${list}?cursor=`, a.secret),
      await world.get(`/api/trading/${list}?limit=201`, a.secret),
      await world.get(`/api/trading/${list}?limit=0`, a.secret),
    ];
    for (const answer of others) assert.equal(answer.statusCode, 400, answer.body);
  }
});

test("a statement is the month's ledger; its digest is recomputed from the CSV", async (t) => {
  const market = await traded(t, 80);
  const { world, traders } = market;
  await world.root({ type: "SetClock", toMillis: Date.UTC(2024, 11, 5) });
  for (let count = 0; count < 60; count += 1) await act(market);
  for (const holder of traders) {
    const ledger = (await walk(world, "ledger", holder, { limit: "200" })).toReversed();
    const positions = await walk(world, "positions", holder, { held: "true" });
    const monthOf = (line: unknown): string =>
      new Date(numberAt(line, "timestamp") * 1000).toISOString().slice(0, 7);
    let opening = "0";
    for (const month of ["2024-10", "2024-11", "2024-12"]) {
      const url = `/api/trading/statement?month=${month}`;
      const { data } = (await world.get(url, holder.secret)).json();
      const lines = ledger.filter((line) => monthOf(line) === month);
      assert.deepEqual(data.postings, lines);
      assert.equal(data.openingBalance, opening);
      opening = data.closingBalance;
      assert.equal(
        parsed(data.openingBalance) + sum(lines, "amount"),
        parsed(data.closingBalance),
        month,
      );
      assert.equal(data.final, month !== "2024-12");
      const fills = (await walk(world, "fills", holder, {})).toReversed();
      assert.deepEqual(
        data.fills,
        fills.filter((fill) => monthOf(fill) === month),
      );

      for (const csv of [
        await world.get(url, holder.secret, { accept: "text/csv, */*;q=0.1" }),
        await world.get(`${url}&format=csv`, holder.secret),
      ]) {
        assert.equal(
          csv.headers["content-type"],
          "text/csv; charset=utf-8",
          csv.body.slice(0, 300),
        );
        assert.equal(csv.headers["cache-control"], "private, no-store");
        const covered = csv.body
          .split("\n")
          .filter((line) => /^(statement|opening|posting|closing),/.test(line))
          .map((line) => `${line}\n`)
          .join("");
        const digest = createHash("sha256").update(covered).digest("hex");
        assert.equal(data.sha256, digest);
        assert.ok(csv.body.endsWith(`\nsha256,${digest}\n`));
        const columns = ["sequence", "line", "timestamp", "reason", "reference"];
        const rows = [
          ["statement", holder.id, holder.address, month],
          ["opening", data.openingBalance],
          ...lines.map((line) => [
            "posting",
            ...[...columns, "amount", "balance"].map((name) => String(at(line, name))),
          ]),
          ["closing", data.closingBalance],
        ];
        assert.equal(covered, rows.map((row) => `${row.join(",")}\n`).join(""));
        assert.equal(csv.body.split("\nfill,").length - 1, data.fills.length);
        assert.equal(csv.body.split("\nposition,").length - 1, data.positions.length);
      }
    }
    const december: unknown = (
      await world.get("/api/trading/statement?month=2024-12", holder.secret)
    ).json();
    const held = ["marketId", "amount", "averageCost", "cost", "realised", "fees"];
    held.push("expectedPayout", "payableAt");
    assert.deepEqual(
      listAt(december, "data", "positions"),
      positions
        .toReversed()
        .map((position) => Object.fromEntries(held.map((name) => [name, at(position, name)]))),
    );
    const refused = await world.get("/api/trading/statement?month=2025-01", holder.secret);
    assert.equal(refused.statusCode, 400);
    for (const month of ["2024-13", "24-11", "2024-1", ""]) {
      const odd = await world.get(`/api/trading/statement?month=${month}`, holder.secret);
      assert.equal(odd.statusCode, 400, month);
    }
  }
});

test("positions of a past month are those of its end, whatever came after", async (t) => {
  const market = await traded(t, 80);
  const { world, traders } = market;
  const shown = async (holder: Holder) => {
    const url = "/api/trading/statement?month=2024-11";
    const { data } = (await world.get(url, holder.secret)).json();
    return { ...data, final: undefined };
  };
  const before = await Promise.all(traders.map(shown));
  assert.ok(
    before.some(({ positions }) => positions.length > 0),
    "somebody holds something",
  );
  await world.root({ type: "SetClock", toMillis: Date.UTC(2024, 11, 1) });
  for (let count = 0; count < 60; count += 1) await act(market);
  for (const id of market.markets) {
    const cancel = { type: "CancelMarket", marketId: marketId(id), reason: "drill" } as const;
    await world.root(cancel);
    await world.second(cancel);
  }
  assert.deepEqual(await Promise.all(traders.map(shown)), before);
});
