// Hundreds of mandates on a few places, set anew and cancelled at random: the look-up by place
// holds what sorting all of them anew gives, and a list that is being read stays as it was.
// Invariant: the order is asked for after every change, so that lists are changed, not made.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId, mandateId, nodeId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import { MandatesByPlace } from "#core/mandate/by-place.ts";
import type { Mandate } from "#core/mandate/record.ts";
import { Dice } from "./dice.ts";
import { checkOrder } from "./mandate-rules.ts";

const places = ["state:tx", "county:48453", "zip:78701"].map(nodeId);

const drawn = (dice: Dice, number: number, rank: number): Mandate => ({
  ...{ id: mandateId(`mnd-${number}`), accountId: accountId("acc-1"), createdAtMillis: 0, rank },
  scope: {
    // Also one place named twice.
    ...{ index: "zhvi", places: [dice.pick(places), dice.pick(places)] },
    ...{ levels: null, payoffs: null, minMonths: 1, maxMonths: 60 },
  },
  side: dice.pick(["SELL", "SELL", "SELL", "BUY"]),
  spreadTicks: 100 + dice.below(20),
  spreadTicksPerYear: dice.below(50),
  ...{ mostInMarketLots: lots(1n), mostInStateLots: lots(1n), mostInAllLots: lots(1n) },
  ...{ expirySeconds: 0, collateral: "margin" },
});

for (const seed of [1, 2]) {
  test(`changes of the order are the order made anew (seed ${seed})`, () => {
    const dice = new Dice(seed);
    const byPlace = new MandatesByPlace();
    const all = new Map<number, Mandate>();
    const listAt = (at: MandatesByPlace) => at.at("zhvi", "SELL", nodeId("state:tx"), 12);
    let most = 0;
    for (let rank = 1; rank <= 1_500; rank += 1) {
      const number = 1 + dice.below(rank < 900 ? 900 : 300);
      const before = all.get(number);
      const list = listAt(byPlace);
      const [seen, over] = [list.flat(), byPlace.layer()];
      if (before !== undefined) byPlace.remove(before);
      const isSet = before === undefined || dice.chance(rank < 900 ? 90 : 40);
      if (isSet) all.set(number, drawn(dice, number, rank));
      else all.delete(number);
      const mandate = all.get(number);
      if (mandate !== undefined) byPlace.put(mandate);
      assert.deepEqual(list.flat(), seen, "a list that is read stays as it was");
      if (rank % 20 > 0) continue;
      checkOrder(byPlace, [...all.values()]);
      const now = listAt(byPlace).flat();
      most = Math.max(most, now.length);
      const other = drawn(dice, 2_000, 10_000);
      over.put(other);
      assert.deepEqual(listAt(byPlace).flat(), now, "a layer changes nothing below it");
    }
    assert.ok(most > 200, `${most} in one list`);
    for (const mandate of all.values()) byPlace.remove(mandate);
    assert.deepEqual(listAt(byPlace), []);
  });
}
