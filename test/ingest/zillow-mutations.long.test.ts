// Two hundred damaged versions of a state file, each refused with its reason and place.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { mutations } from "./mutations.ts";
import { providerFile } from "./shared-data.ts";
import { randomFrom, readAll, refusalFor, stateFile } from "./wide-file.ts";

const VERSIONS = 200;

async function refusesEveryVersion(context: TestContext, text: string): Promise<void> {
  const kinds = [...mutations];
  for (let seed = 0; seed < VERSIONS; seed += 1) {
    const [name, mutate] = kinds[seed % kinds.length] ?? assert.fail("no mutations");
    const table = text
      .trimEnd()
      .split("\n")
      .map((line) => line.split(","));
    const expected = mutate(table, randomFrom(seed));
    const where = `seed ${seed}, ${name}`;
    assert.notEqual(expected.bytes.toString(), text, `${where} changed nothing`);

    const refusal = await refusalFor(expected.bytes);

    assert.deepEqual(
      [refusal?.code, refusal?.line, refusal?.column],
      [expected.code, expected.line, expected.column],
      `${where}: ${refusal?.message}`,
    );
    if (expected.line !== null)
      assert.match(refusal?.message ?? "", new RegExp(`^Line ${expected.line}\\b`));
    if (expected.column !== null)
      assert.ok(refusal?.message.includes(`column ${expected.column}: `));
  }
  context.diagnostic(`${VERSIONS} versions, ${kinds.length} kinds of damage`);
}

test("the undamaged file is read", async () => {
  assert.equal((await readAll(stateFile())).length, 10);
});

test("200 damaged versions of a made-up state file are refused", async (context) => {
  await refusesEveryVersion(context, stateFile());
});

test("200 damaged versions of a published state file are refused", async (context) => {
  await refusesEveryVersion(context, providerFile("zhvi/state/2025-09").toString("utf8"));
});
