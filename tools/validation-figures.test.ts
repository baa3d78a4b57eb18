// The figures of validation's limits, drawn from made-up files in a folder as a provider's would lie.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { monthEnds } from "#test/ingest/wide-file.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { blindSpots, replayed, vintagesIn, walked } from "./validation-figures.ts";

const STATES = 30;

/** Calm states, the fourth of which jumps by 5 % in its 30th month; every value by this factor. */
function states(months: number, scale: number): Buffer {
  const header = ["RegionID", "SizeRank", "RegionName", "RegionType", "StateName"];
  const lines = Array.from({ length: STATES }, (_, at) => {
    const values = Array.from({ length: months }, (_, month) => {
      const jumped = at === 3 && month >= 29 ? 1.05 : 1;
      return String((200_000 + 5_000 * at) * 1.003 ** month * jumped * scale);
    });
    return [String(at + 3), String(at), `State ${at}`, "state", "", ...values].join(",");
  });
  const first = [...header, ...monthEnds(months)].join(",");
  return gzipSync(`${[first, ...lines].join("\n")}\n`);
}

test("each month of a file is a release, and each vintage one after the one before", async (t) => {
  const folder = await temporaryFolder(t, "firstprint-figures-");
  for (const [name, months] of [
    ["2023-02", 26],
    ["2024-04", 40],
  ] as const) {
    const path = join(folder, "zhvi", "state", name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "State.csv.gz"), states(months, 1 + months / 1_000));
  }
  const [earlier, later] = vintagesIn(folder);
  assert.ok(earlier !== undefined && later !== undefined);
  assert.deepEqual(replayed(earlier), { prints: 25 * STATES, months: 25, held: 0, heldFiles: [] });
  assert.deepEqual(replayed(later), { prints: 39 * STATES, months: 39, held: 1, heldFiles: [] });
  const spots = blindSpots(later);
  assert.equal(spots.length, STATES);
  const rounded = [spots[0], spots.at(-1)].map((one) => one?.toFixed(1));
  assert.deepEqual(rounded, ["0.8", "5.3"], "a calm state, and the one that jumped this year");
  const walk = walked(earlier, later, false);
  assert.deepEqual(walk, { prints: 14 * STATES, months: 1, held: 1, heldFiles: [] });
});
