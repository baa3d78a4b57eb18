// A reader asks for everything, again and again: the whole trail as an export, statements, and the
// verification of the whole chain, as many at a time as connections allow.
// Invariant: an account has two exports at a time and pays for their bytes; the chain is verified
// by one process beside the exchange, whose answer all that ask meanwhile share.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ADMIN_SECRET as adminSecret, at, Exchange, numberAt } from "#test/support/exchange.ts";

/** Verifying processes that are children of this one, by their numbers. */
function verifying(parent: number): readonly string[] {
  const found: string[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parentOf = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1];
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8");
      if (parentOf === String(parent) && line.includes("verify.ts")) found.push(name);
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

// Loading the places costs what they are, and is not what is tried here.
const exchange = await Exchange.startEmbedded({ after }, { FIRSTPRINT_MAX_KEY_RATE: "1000000" });

test("one process verifies for all, and stays for what is entered after its answer", async (t) => {
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const credential = { key: auditor.key };
  const asked = Array.from({ length: 10 }, () => exchange.get("/api/audit/verify", credential));
  let most = 0;
  let isOver = false;
  const all = Promise.all(asked).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    most = Math.max(most, verifying(exchange.pid).length);
    await sleep(50);
  }
  const answers = await all;
  for (const { body, text } of answers) assert.equal(at(body, "data", "valid"), true, text);
  assert.equal(most, 1);
  const size = numberAt(answers[0]?.body, "data", "size");

  const staying = verifying(exchange.pid);
  assert.equal(staying.length, 1);
  const kept = await exchange.get("/api/audit/verify", credential);
  assert.deepEqual(kept.body, answers[0]?.body, "nothing has been entered since");
  await exchange.admin("accounts", { name: "one more", role: "trader" });
  const later = await exchange.get("/api/audit/verify", credential);
  assert.equal(numberAt(later.body, "data", "size"), size + 1);
  assert.deepEqual(verifying(exchange.pid), staying, "the same process went on");
  t.diagnostic(`after: ${most} process for 10 who asked at once`);
});

test("two exports at a time, and their bytes are paid for", async (t) => {
  const auditor = await exchange.trader("reader", "0", "auditor");
  const headers = { authorization: `Bearer ${auditor.key}` };
  // Long enough that what nobody reads does not fit into the buffers on the way.
  for (let at = 0; at < 8; at += 1) {
    const nodes = Array.from({ length: 2_000 }, (_, row) => `zip:${10_000 + at * 2_000 + row}`);
    const rows = nodes.map((id) => `${id},zip,${"x".repeat(60)},TX,,,state:tx,1,`);
    const text = [
      "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
      ...rows,
    ];
    const loaded = await fetch(`${exchange.url}/api/admin/geo`, {
      method: "POST",
      headers: { "x-admin-secret": adminSecret, "content-type": "text/csv" },
      body: `${text.join("\n")}\n`,
    });
    assert.equal(loaded.status, 200, await loaded.text());
  }
  const open = () => fetch(`${exchange.url}/api/audit/export`, { headers });
  const slow = [await open(), await open()];
  assert.deepEqual(
    slow.map(({ status }) => status),
    [200, 200],
  );
  const third = await open();
  assert.equal(third.status, 429);
  assert.ok(Number(third.headers.get("retry-after")) >= 1);
  await third.text();
  const sent = await Promise.all(slow.map(async (answer) => (await answer.text()).length));
  let allowed = 2;
  for (let more = 0; more < 40; more += 1) {
    const answer = await open();
    await answer.text();
    if (answer.status === 429) break;
    allowed += 1;
  }
  const each = Math.max(...sent);
  t.diagnostic(`after: ${allowed} exports of ${each} bytes before the account has to wait`);
  assert.ok(allowed < 40, "what they weigh is waited for");
  const status = await exchange.get("/api/kyc/status", { key: auditor.key });
  assert.equal(status.status, 200, "and holds up nothing else");
});
