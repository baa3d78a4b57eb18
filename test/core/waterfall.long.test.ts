// The waterfall, for drawn defaults: the layers in their order, counted again from the ledger.
// Invariant: what each layer has less after a loss is what the loss says it bore.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { micros } from "#base/money.ts";
import { contributionTo } from "#core/margin/contribution.ts";
import { worstOf } from "#core/margin/guarantee.ts";
import { ledgerTotal } from "#core/state.ts";
import { GUARANTEE } from "#core/step.ts";
import { stageOf } from "./waterfall-stage.ts";

const member = fc.record({
  contracts: fc.integer({ min: 1, max: 4_000 }),
  cash: fc.integer({ min: 3_000, max: 6_000 }).map(String),
});
const drawn = fc.record({
  target: fc.integer({ min: 0, max: 400 }).map(String),
  layer: fc.integer({ min: 0, max: 60 }).map(String),
  members: fc.array(member, { minLength: 0, maxLength: 4 }),
  wanted: fc.integer({ min: 1, max: 350_000_000 }),
  poor: fc.boolean(),
});

test("for drawn defaults a layer is empty before the next gives; the parts are the loss", () => {
  const seen = { assessed: 0, owed: 0, left: 0, exchange: 0 };
  fc.assert(
    fc.property(drawn, ({ target, layer, members, wanted, poor }) => {
      const sold = [{ contracts: 1_000, cash: "200" }, ...members];
      const stage = stageOf({ target, layer, sold });
      const { world, sellers } = stage;
      stage.mark("0.1");
      const [weak, ...others] = sellers;
      const meanwhile = () => {
        for (const one of poor ? others : []) {
          if (world.available(one) > 0n) stage.withdrawFree(one);
        }
      };
      const { loss, before } = stage.defaultWith(micros(BigInt(wanted)), meanwhile);
      const { state } = world;
      const had = (name: string): bigint => [...before].find(([one]) => one === name)?.[1] ?? 0n;
      const gave = (name: Parameters<typeof state.balance>[0]) => had(name) - state.balance(name);

      assert.ok(weak !== undefined);
      const own = gave(contributionTo(weak.id));
      const gaveAll = others.map(({ id }) => gave(contributionTo(id)));
      const contributed = gaveAll.reduce((sum, one) => sum + one, 0n);
      assert.equal(loss.lossMicros, BigInt(wanted));
      assert.deepEqual(
        [loss.ownMicros, loss.exchangeMicros, loss.contributionsMicros],
        [own, gave("exchange-layer"), contributed],
      );
      const isEmpty = (...names: readonly Parameters<typeof state.balance>[0][]) =>
        names.every((name) => state.balance(name) === 0n);
      const rest = loss.lossMicros - own;
      if (rest > 0n) assert.ok(isEmpty(contributionTo(weak.id)), "its own first");
      if (rest > loss.exchangeMicros) assert.ok(isEmpty("exchange-layer"), "then the exchange's");
      const assessed = loss.assessedMicros + loss.assessedOwedMicros;
      const worst = worstOf(state.markets, state.exposures.shorts(GUARANTEE));
      const after = state.balance("guarantee");
      if (contributed > 0n) assert.ok(after <= worst, "then the fund, as far as it can spare");
      if (assessed > 0n) assert.ok(isEmpty(...others.map(({ id }) => contributionTo(id))));
      const sizes = others.reduce((sum, { id }) => sum + had(contributionTo(id)), 0n);
      assert.ok(assessed <= sizes, "one assessment, of the same size");
      if (loss.leftMicros > 0n) assert.equal(assessed, sizes, "nothing is left to be asked for");
      const parts = own + loss.exchangeMicros + loss.fundMicros + contributed;
      assert.equal(parts + assessed + loss.leftMicros, loss.lossMicros);
      assert.equal(ledgerTotal(state), 0n);

      seen.assessed += loss.assessedMicros > 0n ? 1 : 0;
      seen.owed += loss.assessedOwedMicros > 0n ? 1 : 0;
      seen.left += loss.leftMicros > 0n ? 1 : 0;
      seen.exchange += loss.exchangeMicros > 0n ? 1 : 0;
    }),
    { numRuns: 60 },
  );
  assert.ok(
    Math.min(...Object.values(seen)) >= 3,
    `all layers were reached: ${JSON.stringify(seen)}`,
  );
});
