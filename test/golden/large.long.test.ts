// The golden journals that take long to replay.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAsItWas, isShort } from "./as-it-was.ts";
import { goldens } from "./made.ts";

const large = goldens.map(({ name }) => name).filter((name) => !isShort(name));

test("there are some", () => assert.ok(large.length > 2, large.join(", ")));

for (const name of large) {
  test(`${name}: replays to its hashes, and is shown as it was`, (t) => assertAsItWas(t, name));
}
