// Every request sent twice at once, fifty wide, across a SIGKILL: one effect each, and the same
// bytes for an answer however often it is asked for.
// `FIRSTPRINT_DUPLICATES=10000 node --test test/e2e/duplicates.e2e.test.ts`
// is the run that is promised.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRejected } from "#core/outcome.ts";
import { entryShown } from "#test/support/disclosed.ts";
import { at, type Exchange, listAt, textAt } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { verifyAudit } from "../../tools/verify-audit.ts";
import { openTradedWorld, type TradedWorld } from "./traded-world.ts";

const REQUESTS = sizeOfRun("FIRSTPRINT_DUPLICATES", 800);
const WIDTH = 50;
const DEPOSIT = 1_000_000;
/** A request that got no final answer for so long never will. */
const PATIENCE_MILLIS = 60_000;

interface Asked {
  readonly method: "POST" | "DELETE";
  readonly path: string;
  readonly body: unknown;
  readonly credential: { readonly key?: string; readonly admin?: boolean };
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
}

/** Until an answer is final: not "still under way", not "nobody knows", not a broken connection. */
async function finalAnswer(
  exchange: Exchange,
  asked: Asked,
  key: string,
  onLost: () => void,
): Promise<Answered> {
  const deadline = performance.now() + PATIENCE_MILLIS;
  const { method, path, body, credential } = asked;
  const headers = { "idempotency-key": key };
  while (performance.now() < deadline) {
    const reply = await exchange
      .request(method, path, body, { ...credential, headers })
      .catch(() => undefined);
    const isFinal =
      reply !== undefined &&
      reply.status !== 503 &&
      at(reply.body, "code") !== "IDEMPOTENCY_IN_FLIGHT";
    if (isFinal) {
      const isReplay = reply.headers.get("idempotency-replayed") === "true";
      return { status: reply.status, text: reply.text, isReplay };
    }
    if (reply === undefined) onLost();
    await sleep(5);
  }
  return assert.fail(`${key} got no final answer: ${JSON.stringify(asked)}`);
}

/** Works through the list in its order, so many at a time. */
async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: WIDTH }, work));
}

/** Orders that rest, trade and are refused, cancels that find something or nothing, deposits. */
function requestOf({ traders, market }: TradedWorld, number: number): Asked {
  const [buyer, seller] = traders;
  assert.ok(buyer !== undefined && seller !== undefined);
  const order = (side: string, amount: string) => ({
    marketId: market,
    outcomeIndex: 0,
    side,
    amount,
    price: 0.1,
  });
  const path = "/api/trading/orders";
  const post = { method: "POST", path } as const;
  switch (number % 6) {
    case 0:
      return { ...post, body: order("BUY", "2"), credential: { key: buyer.key } };
    case 1:
      return { ...post, body: order("SELL", "1"), credential: { key: seller.key } };
    case 2:
      return { ...post, body: order("BUY", "24000000"), credential: { key: buyer.key } };
    case 3: {
      const one = `${path}/ord-${Math.max(1, Math.floor(number / 3))}`;
      return { method: "DELETE", path: one, body: undefined, credential: { key: buyer.key } };
    }
    case 4: {
      const all = `${path}/cancel-all`;
      return { method: "POST", path: all, body: {}, credential: { key: seller.key } };
    }
    default: {
      const funding = `/api/admin/accounts/${buyer.id}/funding`;
      return { method: "POST", path: funding, body: { amount: "1" }, credential: { admin: true } };
    }
  }
}

test("duplicates raced across a SIGKILL: one effect each, byte-identical answers", async (t) => {
  const world = await openTradedWorld(t, ["buyer", "seller"], String(DEPOSIT));
  const { exchange, auditor, traders } = world;
  const numbers = Array.from({ length: REQUESTS }, (_, number) => number);
  const answers = new Map<number, Answered[]>(numbers.map((number) => [number, []]));
  let sent = 0;
  let lost = 0;
  let rising: Promise<unknown> = Promise.resolve();
  const ask = async (number: number): Promise<void> => {
    sent += 1;
    // Half of them are answered or under way.
    if (sent === REQUESTS) rising = exchange.kill().then(() => exchange.up());
    const answer = await finalAnswer(exchange, requestOf(world, number), `dup-${number}`, () => {
      lost += 1;
    });
    answers.get(number)?.push(answer);
  };
  await inParallel(
    numbers.flatMap((number) => [number, number]),
    ask,
  );
  await rising;
  await inParallel(numbers, ask);

  const statuses = new Map<number, number>();
  let replays = 0;
  for (const [number, [first, ...others]] of answers) {
    assert.ok(first !== undefined && others.length === 2);
    for (const { status, text } of others) {
      assert.equal(text, first.text, `dup-${number} has one answer`);
      assert.equal(status, first.status);
    }
    const fresh = [first, ...others].filter(({ isReplay }) => !isReplay).length;
    assert.ok(fresh <= 1, `dup-${number} was decided once`);
    replays += 3 - fresh;
    statuses.set(first.status, (statuses.get(first.status) ?? 0) + 1);
  }

  const signed = await exchange.get("/api/checkpoint");
  const exported = await exchange.get("/api/audit/export", { key: auditor.key });
  const { entered, balances, deposited } = readTrail(listAt(exported.body, "data"));
  for (const number of numbers) assert.equal(entered.get(`dup-${number}`), 1, `dup-${number}`);
  for (const { id } of traders) {
    assert.equal(await exchange.cash(id), balances.get(`cash:${id}`), `the cash of ${id}`);
  }
  const deposits = numbers.filter((number) => number % 6 === 5).length;
  assert.equal(deposited, BigInt(2 * DEPOSIT + deposits) * 1_000_000n, "each deposit counts once");
  assert.ok(statuses.size >= 3, "accepted, refused and absent were among them");

  assert.equal(await exchange.stop(), 0);
  const file = join(exchange.dataDir, "export.json");
  await writeFile(file, exported.text);
  const key = textAt(signed.body, "data", "verifierKey");
  const checkpoint = join(exchange.dataDir, "signed");
  await writeFile(checkpoint, signed.text);
  const judged = await verifyAudit([file, "--checkpoint", checkpoint, "--key", key]);
  assert.equal(judged.code, 0, judged.text);
  t.diagnostic(
    `${REQUESTS} requests, ${sent} times asked ${WIDTH} wide, ${lost} sends lost by the SIGKILL, ` +
      `${replays} replays, statuses ${JSON.stringify([...statuses])}, ` +
      `${listAt(exported.body, "data").length} entries`,
  );
});

/** How often each key was entered, and what the entries' postings leave, in micro-dollars. */
function readTrail(items: readonly unknown[]) {
  const entered = new Map<string, number>();
  const balances = new Map<string, bigint>();
  let deposited = 0n;
  for (const item of items) {
    const { envelope, outcome } = entryShown(item);
    const key = envelope.idempotency?.key;
    if (key !== undefined) entered.set(key, (entered.get(key) ?? 0) + 1);
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type !== "Posted") continue;
      const { from, to, amountMicros, reason } = event.posting;
      balances.set(from, (balances.get(from) ?? 0n) - amountMicros);
      balances.set(to, (balances.get(to) ?? 0n) + amountMicros);
      if (reason === "deposit") deposited += amountMicros;
    }
  }
  return { entered, balances, deposited };
}
