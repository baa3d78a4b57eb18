// A file of rows that somebody wrote for a command, saved in one way or another.
// Invariant: a letter is read as it was written, or the cell is named that cannot be read.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UsageFault } from "../../src/cli/faults.ts";
import { rowsIn } from "../../src/cli/rows-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const text = "market,note\nmkt-001,plain\nmkt-002,Doña Ana\n";
const names = ["market", "note"] as const;

test("a byte order mark is taken, and another encoding refused with row and column", async (t) => {
  const path = join(await temporaryFolder(t, "rows-"), "quotes.csv");
  writeFileSync(path, `\uFEFF${text}`);
  const rows = await rowsIn(path, names);
  assert.deepEqual(rows.at(-1), { market: "mkt-002", note: "Doña Ana" });
  writeFileSync(path, Buffer.from(text, "latin1"));
  await assert.rejects(
    () => rowsIn(path, names),
    (fault) =>
      fault instanceof UsageFault &&
      /row 2, column note: ".*" is not UTF-8; save the file as CSV UTF-8/.test(fault.message),
  );
});
