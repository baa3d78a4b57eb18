// A seller takes all free cash out as soon as it has sold, before marks ask it to contribute, and
// its accomplice holds what it sold: the others' contributions bear what it had to.
// Invariant: a short is opened with its contribution, which stays while it stands.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros, parseMicros } from "#base/money.ts";
import { fundOf, stageOf } from "../core/waterfall-stage.ts";
import { text } from "./take-out.ts";

const usd = (amount: string) => parseMicros(amount) ?? assert.fail(amount);

test("whoever takes its cash out first contributes all the same, before anybody else does", (t) => {
  const others = [
    { contracts: 1_000, cash: "2000" },
    { contracts: 3_000, cash: "9000" },
  ];
  const stage = stageOf({ target: "10000", sold: [{ contracts: 1_000, cash: "200" }, ...others] });
  const { world, sellers } = stage;
  const [anna = assert.fail()] = sellers;
  if (world.available(anna) > 0n) stage.withdrawFree(anna);
  const held = fundOf(world, anna);
  // Her contracts are worth 0.6 at once: she may lose less beyond that, and has half of it left.
  const { loss } = stage.defaultWith(usd("20"));
  const byOthers = micros(loss.lossMicros - loss.ownMicros);
  t.diagnostic(
    `after: ${text(loss.ownMicros)} of a loss of 20 USD from its own contribution, ` +
      `${text(byOthers)} from the fund and the others'`,
  );
  assert.equal(held, usd("10.5"), "a tenth of what it may lose");
  assert.equal(loss.ownMicros, usd("5"), "it goes first");
});
