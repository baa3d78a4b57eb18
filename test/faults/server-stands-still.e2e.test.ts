// Every process of the database stopped (SIGSTOP) under load, for a moment and for longer than the
// exchange waits, then let go on.
// Invariant: while the database stands still, nobody becomes certain of what is not so.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "#test/e2e/until.ts";
import { Exchange, numberAt, textAt } from "#test/support/exchange.ts";
import { anyRate, DepositLoad } from "./deposit-load.ts";
import { signalServer } from "./server-processes.ts";

/** Longer than the 30 s after which no answer is no answer. */
const LONG_MILLIS = 33_000;
const SHORT_MILLIS = 1_500;
/** Far more than could be answered if each waited for the database, on the busiest machine too. */
const LEAST_LOOKS = 6;
const CLIENTS = 6;
/** Answers of before and after are judged, not how many there were. */
const PAUSE_MILLIS = 20;
const REFUSED_MILLIS = 1_000;

interface Seen {
  /** The status a balancer sees. */
  readonly ready: number;
  readonly mode: string;
  /** Entries decided and not yet durable. */
  readonly ahead: number;
}

async function look(exchange: Exchange): Promise<Seen> {
  const reply = await exchange.get("/api/status");
  const ahead = numberAt(reply.body, "sequence") - numberAt(reply.body, "durableSequence");
  assert.equal(reply.status, 200, "the process answers");
  const { status: ready } = await exchange.get("/api/health/ready");
  return { ready, mode: textAt(reply.body, "mode"), ahead };
}

test("a database that stands still holds up answers, and makes none of them false", async (t) => {
  const exchange = await Exchange.startEmbedded(t, anyRate);
  const { id } = await exchange.trader("payee", "0");
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const cluster = join(exchange.dataDir, "postgresql", "cluster");
  const postmaster = Number(readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
  const load = new DepositLoad(exchange, id, auditor.key, "deposit");
  let isStopped = false;
  const letGo = (): void => {
    if (isStopped) signalServer(postmaster, "SIGCONT");
    isStopped = false;
  };
  const standStill = async (millis: number, everyMillis: number): Promise<readonly Seen[]> => {
    const before = load.answers + load.refusals;
    await until("deposits are answered", () => load.answers + load.refusals > before + 100);
    signalServer(postmaster, "SIGSTOP");
    isStopped = true;
    const seen: Seen[] = [];
    for (
      const end = performance.now() + millis;
      performance.now() < end;
      await sleep(everyMillis)
    ) {
      seen.push(await look(exchange));
    }
    return seen;
  };

  try {
    load.start(CLIENTS, PAUSE_MILLIS, REFUSED_MILLIS);
    const short = await standStill(SHORT_MILLIS, 250);
    const answers = load.answers;
    letGo();
    await until("what waited is answered", () => load.answers > answers + CLIENTS);
    assert.equal(load.refusals, 0, "a moment costs nobody anything");
    assert.ok(
      short.some(({ mode, ahead }) => mode === "open" && ahead > 0),
      "it shows meanwhile",
    );

    const long = await standStill(LONG_MILLIS, 1_000);
    assert.ok(long.length >= LEAST_LOOKS, `the status was told ${long.length} times meanwhile`);
    const { mode, ready } = long.at(-1) ?? assert.fail("it was looked at");
    assert.deepEqual({ mode, ready }, { mode: "starting", ready: 503 });
    assert.ok((await exchange.cash(id)) > 0n, "balances are read from memory");
    letGo();
    await until("it leads again", async () => (await look(exchange)).ready === 200);
    const after = load.answers;
    await until("deposits are answered again", () => load.answers > after + 100);
  } finally {
    letGo();
    await load.end();
  }
  const { stored, absent } = await load.settle();
  const codes = [...load.codes].map(([code, count]) => `${count} ${code}`).join(", ");
  t.diagnostic(`${load.answers} answers; ${codes}; unknown: ${stored} stored, ${absent} not`);
  assert.ok(stored + absent > 0, "some outcome was unknown");
  assert.ok((load.codes.get("NOT_LEADER") ?? 0) > 0, "and some were refused for certain");
  assert.match(exchange.output, /stepping down at entry \d+: Query read timeout/);
  const verified = await exchange.get("/api/audit/verify", { key: auditor.key });
  assert.match(verified.text, /"valid":true/);
});
