// Files with blind damage at the real intake, its database, archive and journal. A refused file
// leaves each of them as it was; an accepted one gives the prints that the damaged bytes say.
//
//   FIRSTPRINT_MUTATIONS=100000 node --test test/ingest/mutated-intake.db.test.ts
//
// A fiftieth of FIRSTPRINT_MUTATIONS: each that is accepted needs a database of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMonth } from "#base/month.ts";
import { drawing } from "#test/journal/sealed.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { damage } from "./blind-damage.ts";
import { IntakeWorld, metroFile } from "./intake-world.ts";
import { plainWide } from "./plain-readers.ts";

const count = Math.ceil(sizeOfRun("FIRSTPRINT_MUTATIONS", 10_000) / 50);
const seed = sizeOfRun("FIRSTPRINT_MUTATIONS_SEED", 1);

const values = Array.from({ length: 24 }, (_, at) => String(200_000 + 317 * at));
const whole = Buffer.from(
  metroFile(24, [
    ["394913", values],
    ["753899", values.map((value) => `${value}.5`)],
    ["394463", values.map((value, at) => (at < 3 || at === 9 ? "" : value))],
  ]),
);

type Said = readonly (readonly [name: string, value: bigint])[];

const inOrder = (prints: Iterable<readonly [string, bigint]>): Said =>
  [...prints].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** `region month` → value, as the intake shows them. */
const shown = (world: IntakeWorld): Said =>
  inOrder(
    [...world.series.nodes("zhvi")].flatMap((node) =>
      [...world.series.points("zhvi", node)].map(
        ({ month, valueE15 }) =>
          [`${node.replace("metro:", "")} ${formatMonth(month)}`, valueE15] as const,
      ),
    ),
  );

test(`${count} damaged files at the intake: whole, or nothing`, async (t) => {
  const draw = drawing(1_000 * seed + 7);
  const tally = { refused: 0, accepted: 0, held: 0 };
  let world = await IntakeWorld.open(t);
  for (let turn = 0; turn < count; turn += 1) {
    const { bytes, kinds } = damage(whole, turn, draw);
    const told = `seed ${seed}, case ${turn}: ${kinds.join(", then ")}`;
    const before = world.engine.status().sequence;
    const taken = await world.send(bytes, {
      provider: "zillow",
      index: "zhvi",
      level: "metro",
      publishedAtMillis: Date.UTC(2023, 0, 20),
    });
    if ("refusal" in taken) {
      tally.refused += 1;
      assert.equal(world.engine.status().sequence, before, told);
      assert.deepEqual(await world.stored(), { blocks: 0, latest: 0 }, told);
      assert.deepEqual(await world.kept(), [], told);
      assert.deepEqual(shown(world), [], told);
      continue;
    }
    assert.ok("release" in taken, `${told}: ${JSON.stringify(taken)}`);
    const isAccepted = "resolvedMarkets" in taken.release;
    tally[isAccepted ? "accepted" : "held"] += 1;
    const said = isAccepted ? inOrder(plainWide(bytes)) : [];
    assert.deepEqual(shown(world), said, told);
    // Each is the first file of an exchange: a later one would be judged by those before it.
    world = await IntakeWorld.open(t);
  }
  t.diagnostic(`seed ${seed}: ${JSON.stringify(tally)}`);
  assert.ok(tally.refused > 0 && tally.accepted > 0, "both came about");
});
