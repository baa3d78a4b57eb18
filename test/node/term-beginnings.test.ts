// The work at the beginning of a term: done once every part is open, again after a fault of the
// database, and no longer than the term lasts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TermBeginnings } from "#node/term-beginnings.ts";
import { until } from "#test/e2e/until.ts";

const outOfReach = (): Error => Object.assign(new Error("no connection"), { code: "ECONNREFUSED" });

function terms() {
  const failed: unknown[] = [];
  const faults: unknown[] = [];
  const told: { epoch: number | undefined; faults: unknown[]; failed: unknown[] } = {
    epoch: 1,
    faults,
    failed,
  };
  const ports = {
    epoch: () => told.epoch,
    tell: (fault: unknown) => void told.faults.push(fault),
    fail: (error: unknown) => void told.failed.push(error),
  };
  return { told, beginnings: new TermBeginnings(ports, 1) };
}

test("a part that met a fault of the database is done again, until it is done", async () => {
  const { told, beginnings } = terms();
  let [tries, other] = [0, 0];
  const first = outOfReach();
  beginnings.add(
    async () => {
      tries += 1;
      if (tries === 1) throw first;
      // As the driver says it: without a code.
      if (tries === 2) throw new Error("timeout exceeded when trying to connect");
    },
    async () => {
      other += 1;
    },
  );
  beginnings.begin();
  await sleep(5);
  assert.equal(tries, 0, "not before the node is open");
  beginnings.open(true);
  await until("it is done", () => tries === 3);
  await sleep(5);
  assert.deepEqual([tries, other, told.failed], [3, 1, []]);
  assert.deepEqual(told.faults, [first, undefined], "told as it begins, and once it is over");
});

test("a term that is over is begun no longer; our own mistake stops the node", async () => {
  const { told, beginnings } = terms();
  let tries = 0;
  beginnings.add(async () => {
    tries += 1;
    if (tries === 2) told.epoch = undefined;
    throw outOfReach();
  });
  beginnings.open(true);
  await until("the term is over", () => told.epoch === undefined);
  await sleep(10);
  assert.deepEqual([tries, told.faults.length, told.failed], [2, 1, []]);

  const mistake = new Error("a part is missing");
  told.epoch = 2;
  beginnings.add(() => Promise.reject(mistake));
  beginnings.begin();
  await until("it is told", () => told.failed.length === 1);
  assert.deepEqual(told.failed, [mistake]);
});
