// The order of mandates at a place after changes, against sorting them anew: one that changed takes
// its new place in the order there was.
// Invariant: the check sorts the records by itself, by spread and rank.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId, mandateId, nodeId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import { MandatesByPlace } from "#core/mandate/by-place.ts";
import type { Mandate } from "#core/mandate/record.ts";
import { Dice } from "./dice.ts";

const [texas, arizona] = [nodeId("state:tx"), nodeId("state:az")];
const months = [1, 12, 13, 36];

const drawn = (dice: Dice, number: number, rank: number): Mandate => ({
  scope: {
    ...{ index: "zhvi", levels: null, payoffs: null, minMonths: 1, maxMonths: 60 },
    places: dice.pick([[texas], [arizona], [texas, arizona]]),
  },
  side: "SELL",
  spreadTicks: dice.below(4),
  spreadTicksPerYear: dice.pick([0, 1, 12]),
  mostInMarketLots: lots(1n),
  mostInStateLots: lots(1n),
  mostInAllLots: lots(1n),
  expirySeconds: 0,
  collateral: "margin",
  id: mandateId(`mnd-${number}`),
  accountId: accountId("acc-1"),
  createdAtMillis: 0,
  rank,
});

const spread = (one: Mandate, ahead: number): number =>
  one.spreadTicks + Math.ceil((one.spreadTicksPerYear * ahead) / 12);

test("after any changes, the order at each place is that of all its mandates sorted", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const dice = new Dice(seed);
    const byPlace = new MandatesByPlace();
    const records = new Map<string, Mandate>();
    for (let rank = 1; rank <= 120; rank += 1) {
      const number = 1 + dice.below(30);
      const before = records.get(`mnd-${number}`);
      if (before !== undefined) byPlace.remove(before);
      records.delete(`mnd-${number}`);
      if (dice.chance(75)) {
        const mandate = drawn(dice, number, rank);
        records.set(mandate.id, mandate);
        byPlace.put(mandate);
      }
      if (dice.chance(40)) continue;
      const [place, ahead] = [dice.pick([texas, arizona]), dice.pick(months)];
      const expected = [...records.values()]
        .filter(({ scope }) => scope.places.includes(place))
        .sort((a, b) => spread(a, ahead) - spread(b, ahead) || a.rank - b.rank);
      const told = byPlace.at("zhvi", "SELL", place, ahead);
      assert.deepEqual(
        told.map(({ id }) => id),
        expected.map(({ id }) => id),
        `seed ${seed}, rank ${rank}`,
      );
      assert.deepEqual(told, expected);
    }
  }
});
