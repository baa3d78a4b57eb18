// A desk by the command line alone, against an exchange: mass quotes from a file, mandates, and a
// request for quotes from its opening to the block trade.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PublicWorld } from "#test/http/public-world.ts";
import { listAt } from "#test/support/exchange.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { run } from "./recorder.ts";

test("a desk by the command line", async (t) => {
  const public_ = await PublicWorld.open(t);
  const { world } = public_;
  await public_.printStates("zhvi");
  await world.listen();
  const cwd = await temporaryFolder(t, "firstprint-desk-");
  const [maker, asker] = [await world.trader("d"), await world.trader("a")];
  const say = async (key: string, line: readonly string[], status = 0) => {
    const ran = await run([...line, "--url", world.url], { env: { FIRSTPRINT_KEY: key } });
    assert.equal(ran.status, status, `${line.join(" ")}: ${ran.stderr}${ran.stdout}`);
    return ran;
  };
  const [first, second] = [await world.market("300000"), await world.market("310000")];
  const ownOrders = async (status: string) => {
    const answer = await world.get(`/api/trading/orders?status=${status}`, maker.secret);
    return listAt(answer.json(), "data").map((one) =>
      ["marketId", "side", "price", "amount"].map((name) => String(Object(one)[name])).join(" "),
    );
  };

  await t.test("quote mass: both sides of a row, one side, none, and a refusal", async () => {
    const rows = [
      "marketId,bid,bidAmount,ask,askAmount",
      `${first},0.0001,500,0.9999,250`,
      `${second},,,0.9998,100`,
    ];
    writeFileSync(join(cwd, "quotes.csv"), rows.join("\r\n"));
    const { stdout, stderr } = await say(maker.secret, ["quote", "mass", join(cwd, "quotes.csv")]);
    assert.match(stdout, /OPEN/);
    assert.match(stderr, /^Orders cancelled: 0\.$/m);
    const own = [
      `${first} BUY 0.0001 500`,
      `${first} SELL 0.9999 250`,
      `${second} SELL 0.9998 100`,
    ];
    assert.deepEqual((await ownOrders("OPEN")).sort(), own.sort());
    writeFileSync(
      join(cwd, "next.csv"),
      `marketId,bid,bidAmount\n${first},,\n${second},0.0002,50\nmkt-none,0.5,1\n`,
    );
    const again = await say(maker.secret, ["quote", "mass", join(cwd, "next.csv")], 1);
    assert.match(again.stderr, /^Orders cancelled: 3\.$/m);
    assert.match(again.stderr, /^Refused: 1 of 3\.$/m);
    assert.deepEqual(await ownOrders("OPEN"), [`${second} BUY 0.0002 50`]);
  });

  await t.test("quote mass: a file that is not one is wrong usage", async () => {
    for (const [text, message] of [
      ["marketId,bids\nmkt-001,0.5\n", /has a column "bids"; there are marketId, bid, bidAmount/],
      ["marketId,bid\nmkt-001,0.5\n", /row 1: bid needs both a price and an amount, or neither/],
      ["marketId,bid\n", /no row below its line of names/],
    ] as const) {
      writeFileSync(join(cwd, "wrong.csv"), text);
      assert.match(
        (await say(maker.secret, ["quote", "mass", join(cwd, "wrong.csv")], 2)).stderr,
        message,
      );
    }
  });

  await t.test("mandate: set, changed, lowered, listed and cancelled", async () => {
    const mandate = async (...line: readonly string[]) =>
      (await say(maker.secret, ["mandate", ...line])).stdout;
    const limits = ["--max-market", "$5,000", "--max-state", "50000", "--max", "100000"];
    const scope = ["--places", "state:tx,state:az", "--spread", "900"];
    const set = await mandate("set", "sell", ...scope, ...limits, "--spread-per-year", "25");
    const id = /^id +(mnd-\d+)$/m.exec(set)?.[1] ?? "";
    assert.match(set, /^places +state:tx, state:az$/m);
    const changed = await mandate("change", id, "--places", "state:tx", "--spread", "950");
    assert.match(changed, /^places +state:tx$/m);
    const lower = ["--max-market", "100", "--max-state", "1000", "--max", "2000"];
    assert.match(await mandate("lower", id, ...lower), /^at most +2000$/m);
    const [one] = listAt((await world.get("/api/trading/mandates", maker.secret)).json(), "data");
    const of = (name: string) => String(Object(one)[name]);
    assert.deepEqual(
      ["spreadBps", "spreadBpsPerYear", "maxPerMarketUsd", "maxPerStateUsd"].map(of),
      ["950", "25", "100", "1000"],
    );
    assert.match(
      (await say(maker.secret, ["mandate", "change", id], 2)).stderr,
      /at least one term/,
    );
    await mandate("cancel", id);
    assert.match(await mandate("list"), /^No mandates\.$/m);
  });

  await t.test("rfq: opened from a file, quoted, improved and accepted as a block", async () => {
    const { engineTimeMillis } = world.engine.status();
    const at = (seconds: number) => new Date(engineTimeMillis + seconds * 1000).toISOString();
    const rows = [
      "index,place,measurementMonth,attachBps,exhaustBps,amount",
      `zhvi,state:tx,2025-03,300,1100,400`,
      `zhvi,state:az,2025-03,500,1500,200`,
    ];
    writeFileSync(join(cwd, "legs.csv"), rows.join("\n"));
    const open = ["rfq", "open", "buy", join(cwd, "legs.csv"), "--closes", at(600), "--show-name"];
    const rfq = /^id +(rfq-\d+)$/m.exec((await say(asker.secret, open)).stdout)?.[1] ?? "";
    assert.match((await say(maker.secret, ["rfq", "list"])).stdout, new RegExp(`^${rfq} `, "m"));
    const valid = ["--valid", at(1200)];
    const prices = ["0.2", "0.15", ...valid, "--show-name"];
    const quoted = await say(maker.secret, ["rfq", "quote", rfq, ...prices]);
    const quote = /^id +(\S+)$/m.exec(quoted.stdout)?.[1] ?? "";
    await say(maker.secret, ["rfq", "improve", quote, "0.19", "0.15"]);
    const worse = await say(maker.secret, ["rfq", "improve", quote, "0.25", "0.15"], 1);
    assert.match(worse.stderr, /RFQ_NOT_BETTER/);
    const seen = await say(asker.secret, ["rfq", "show", rfq]);
    assert.match(seen.stdout, /state:tx.*state:az.*0\.19, 0\.15/s);
    const block = await say(asker.secret, ["rfq", "accept", rfq, quote]);
    assert.match(block.stdout, / 400 +0\.19$/m);
    assert.match(block.stdout, / 200 +0\.15$/m);
    const known = await say(maker.secret, ["rfq", "show", rfq]);
    assert.match(known.stdout, new RegExp(`^counterparty +${asker.address}$`, "m"));
    const second = /^id +(rfq-\d+)$/m.exec((await say(asker.secret, open)).stdout)?.[1] ?? "";
    assert.equal(
      (await say(asker.secret, ["rfq", "cancel", second])).stdout,
      `Cancelled ${second}.\n`,
    );
    assert.match((await say(asker.secret, ["rfq", "cancel", second], 1)).stderr, /RFQ_DONE/);
  });
});
