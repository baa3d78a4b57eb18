// A server that is started as a uid without a name, as containers do.
// Invariant: it says what PostgreSQL lacks and what to do; another fault is told as it came.
import assert from "node:assert/strict";
import { test } from "node:test";
import { initFault } from "#storage/embedded-folder.ts";

test("a uid without a name is told with what to do, any other fault as it came", () => {
  const said = initFault(
    "/data",
    "initdb: error: could not look up effective user ID 12345: no such user",
  );
  assert.match(said, /^The user of uid 12345 has no name on this machine/);
  assert.match(said, /DATABASE_URL/);
  assert.equal(initFault("/data", "no space left"), "initdb failed in /data: no space left");
});
