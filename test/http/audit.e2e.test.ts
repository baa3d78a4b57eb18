// The audit trail of the whole product: what its database would choke on, and its files as witness.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { verifyAudit } from "../../tools/verify-audit.ts";

test("no query makes the database stumble; an export holds by the folder's notes", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const { key } = await exchange.trader("anna", "100");
  const auditor = await exchange.trader("auditor", "0", "auditor");
  for (const query of [
    "logs?action=%00",
    "logs?userId=%00",
    "logs?userId=a%00b",
    "logs?offset=99999999999999999999",
    "stats?startTime=99999999999999999999",
    "stats?endTime=9007199254740993",
    "export?startTime=1e3",
    "export?endTime=99999999999999999999",
  ]) {
    const reply = await exchange.get(`/api/audit/${query}`, { key });
    assert.equal(reply.status, 400, `${query}: ${reply.text}`);
  }
  for (const query of [
    "logs?action='--&userId=%25",
    "logs?offset=1000000000000",
    "stats?endTime=99999999999",
    "export?startTime=0&endTime=99999999999",
  ]) {
    const reply = await exchange.get(`/api/audit/${query}`, { key });
    assert.equal(reply.status, 200, `${query}: ${reply.text}`);
  }

  const signed = await exchange.get("/api/checkpoint");
  const verifierKey = textAt(signed.body, "data", "verifierKey");
  const bot = { label: "bot", permissions: ["read:portfolio"] };
  const made = await exchange.post("/api/trading/keys", bot, { key });
  await exchange.get("/api/kyc/status", { key: textAt(made.body, "data", "secret") });
  const lastUsed = async (): Promise<unknown> => {
    const keys = await exchange.get("/api/trading/keys", { key });
    return at(listAt(keys.body, "data")[1], "lastUsed");
  };
  const before = await lastUsed();
  assert.ok(Number.isInteger(before));
  await exchange.stop();
  await exchange.up();
  assert.equal(await lastUsed(), before, "a restart knows when a key was last used");
  const use = await exchange.get(`/api/audit/export`, { key: auditor.key });
  await exchange.stop();
  const file = join(exchange.dataDir, "export.json");
  await writeFile(file, use.text);
  const notes = join(exchange.dataDir, "checkpoints");
  const judged = await verifyAudit([file, "--checkpoint", notes, "--key", verifierKey]);
  assert.equal(judged.code, 0, judged.text);
  assert.match(judged.text, new RegExp(`vouches for ${listAt(use.body, "data").length} of them`));
});
