// SIGKILLs under a load of orders: what was acknowledged is there, once, and nothing else.
// `FIRSTPRINT_KILLS=20 node --test test/e2e/crash.e2e.test.ts`: so many, and one in a start.
// Every answer, every balance and every position is predicted by a market of the test's own.

import assert from "node:assert/strict";
import { loadavg } from "node:os";
import { test } from "node:test";
import { isRejected } from "#core/outcome.ts";
import type { Position } from "#core/records.ts";
import { randomFrom } from "#test/ingest/wide-file.ts";
import { entryShown } from "#test/support/disclosed.ts";
import { at, Exchange, listAt, numberAt } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { cancelledIn, LoadClient, placedIn, type Sent } from "./load-client.ts";
import { type Expected, PlainMarket } from "./plain-market.ts";
import { furnish, type TradedWorld } from "./traded-world.ts";
import { until } from "./until.ts";

const KILLS = sizeOfRun("FIRSTPRINT_KILLS", 20);
const ACCOUNTS = 4;
const CLIENTS = 8;
const DEPOSIT = "1000000";
const DEPOSIT_MICROS = 1_000_000_000_000;

/** Lets the clients work until so many more answers have come, then kills Node among them. */
async function killAmong(
  { exchange }: TradedWorld,
  clients: readonly LoadClient[],
  answers: number,
): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let left = answers;
  const runs = clients.map((client) =>
    client.run(exchange, () => {
      left -= 1;
      if (left === 0) enough.resolve();
    }),
  );
  await Promise.race([enough.promise, Promise.all(runs)]);
  assert.ok(left <= 0, "the exchange was there until it was killed");
  await exchange.kill();
  await Promise.all(runs);
}

/** Ready again, by the same database server; milliseconds. */
async function rise({ exchange }: TradedWorld): Promise<number> {
  const from = exchange.output.length;
  const tookMillis = await exchange.up();
  assert.match(exchange.output.slice(from), /took over the running PostgreSQL server/);
  return tookMillis;
}

/** Killed in the middle of its start, before anybody could ask it for anything. */
async function killWhileStarting({ exchange }: TradedWorld): Promise<void> {
  const from = exchange.output.length;
  const rising = exchange.up();
  await Promise.race([
    until("it recovers", () => exchange.output.slice(from).includes("PostgreSQL server")),
    rising,
  ]);
  await exchange.kill();
  await rising.catch(() => undefined);
}

interface Entered {
  readonly key: string;
  readonly account: string;
  readonly accepted: boolean;
}

/** The traders' own requests in the journal, in its order, and where they stand. */
async function journalOf({ exchange, auditor, traders }: TradedWorld) {
  const exported = await exchange.get("/api/audit/export", { key: auditor.key });
  const entered: Entered[] = [];
  const positions = new Map<string, Position>();
  const ours = new Set(traders.map(({ id }) => id));
  for (const item of listAt(exported.body, "data")) {
    const { envelope, outcome } = entryShown(item);
    const { actor, idempotency } = envelope;
    const events = isRejected(outcome) ? [] : outcome.events;
    for (const event of events) {
      if (event.type === "PositionChanged") positions.set(event.position.accountId, event.position);
    }
    if (actor.type !== "key" || !ours.has(actor.accountId)) continue;
    assert.ok(idempotency !== null, "every request of the load carries a key");
    const { key } = idempotency;
    entered.push({ key, account: actor.accountId, accepted: !isRejected(outcome) });
  }
  return { entered, positions };
}

function compare(sent: Sent, expected: Expected): void {
  const { key, reply } = sent;
  const said = `${key} was answered ${reply?.status} ${reply?.text}`;
  if ("refusedWith" in expected) {
    assert.equal(reply?.status, expected.refusedWith, said);
    return;
  }
  assert.ok(reply !== undefined && reply.status < 300, said);
  if ("placed" in expected) assert.deepEqual(placedIn(sent), expected.placed, said);
  else assert.equal(cancelledIn(sent), expected.cancelled, said);
}

/** Every answer against the plain market, in the journal's order; returns that market. */
function predict(clients: readonly LoadClient[], entered: readonly Entered[]): PlainMarket {
  const open = new Map(clients.flatMap(({ sent }) => sent.map((one) => [one.key, one])));
  assert.equal(entered.length, open.size, "as many entries as requests");
  const plain = new PlainMarket();
  for (const { key, account, accepted } of entered) {
    const sent = open.get(key);
    assert.ok(sent !== undefined, `${key} was asked for, and entered once`);
    assert.equal(account, sent.account);
    const expected = plain.apply(account, sent.asked);
    assert.equal(accepted, !("refusedWith" in expected), `${key} is entered as it was decided`);
    compare(sent, expected);
    open.delete(key);
  }
  assert.equal(open.size, 0);
  return plain;
}

test(`${KILLS} SIGKILLs under load: nothing acknowledged is lost or doubled`, async (t) => {
  // The server in its folder outlives each kill, and the next process takes it over.
  const world = await furnish(
    await Exchange.startEmbedded(t, { FIRSTPRINT_MAX_KEY_RATE: "1000000" }),
    Array.from({ length: ACCOUNTS }, (_, at) => `trader ${at}`),
    DEPOSIT,
  );
  const { exchange, traders, auditor, market } = world;
  const random = randomFrom(20);
  const draw = (bound: number): number => Math.floor(random() * bound);
  const clients = Array.from({ length: CLIENTS }, (_, at) => {
    const trader = traders[at % ACCOUNTS] ?? assert.fail("there are traders");
    return new LoadClient(`client-${at}`, trader, market, draw);
  });

  const starts: number[] = [];
  let lost = 0;
  let applied = 0;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await killAmong(world, clients, 20 + draw(120));
    if (kill === Math.ceil(KILLS / 2)) await killWhileStarting(world);
    starts.push(await rise(world));
    for (const client of clients) {
      await client.repeatNewest(exchange);
      const settled = await client.settle(exchange);
      lost += settled.asked;
      applied += settled.applied;
    }
  }

  const { entered, positions } = await journalOf(world);
  const plain = predict(clients, entered);
  assert.ok(plain.fills > 5 * KILLS, `${plain.fills} fills are a load`);
  for (const { id } of traders) {
    const cash = BigInt(DEPOSIT_MICROS + (plain.cash.get(id) ?? 0));
    assert.equal(await exchange.cash(id), cash, `the cash of ${id}`);
    assert.equal(positions.get(id)?.heldLots ?? 0n, BigInt(plain.held.get(id) ?? 0));
    assert.equal(positions.get(id)?.flowMicros ?? 0n, BigInt(plain.cash.get(id) ?? 0));
  }

  const verified = await exchange.get("/api/audit/verify", { key: auditor.key });
  assert.equal(at(verified.body, "data", "valid"), true, verified.text);
  assert.equal(await exchange.stop(), 0);

  const worst = Math.round(Math.max(...starts));
  const middle = Math.round(starts.toSorted((a, b) => a - b)[Math.floor(KILLS / 2)] ?? 0);
  t.diagnostic(
    `${entered.length} requests, ${plain.fills} fills; ${lost} answers lost by ${KILLS} kills, ` +
      `${applied} of them applied; ready again after ${middle} ms, at worst ${worst} ms ` +
      `(load ${loadavg()[0]?.toFixed(1)}); ${numberAt(verified.body, "data", "size")} entries`,
  );
});
