// firstprint lp: the mandate it sets, and what each look does with it.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { run, startRecorder } from "./recorder.ts";

const KEY = `fp_live_${"a".repeat(36)}`;
const data = (members: unknown) => ({ json: { success: true, data: members } });
const status = { json: { engineTime: "2026-11-23T10:00:00.000Z" } };
const leaseEnd = Date.UTC(2026, 10, 23, 10, 10) / 1000;
const margin = (maintenanceMargin: string, marginHealth: number) =>
  data({ maintenanceMargin, marginHealth, bindingScenario: "minus-20" });
const usage = data({
  usedUsd: "900.00",
  states: [
    { place: "state:az", usedUsd: "600.00" },
    { place: "state:tx", usedUsd: "300.00" },
  ],
  markets: [{ marketId: "mkt-003", usedUsd: "900.00" }],
});
const position = data([{ marketId: "mkt-003", realised: "1.500000", unrealised: "-4.250000" }]);

/** One look at an account of this margin health. */
async function look(t: TestContext, health: object) {
  const { url, requests } = await startRecorder(
    t,
    status,
    data({ id: "mnd-7" }),
    health,
    usage,
    position,
    status,
    data({}),
  );
  const line = ["lp", "--spread", "150", "--states", "tx,AZ", "--max", "$5,000,000"];
  const ran = await run([...line, "--looks", "1", "--url", url, "--key", KEY]);
  assert.equal(ran.status, 0, ran.stderr);
  const sent = requests.map(({ method, url: place, body }) => ({
    place: `${method} ${place}`,
    body: body.length === 0 ? undefined : JSON.parse(body.toString()),
  }));
  return { ran, sent };
}

test("it sells in the states up to its limits; a look prolongs it by ten minutes", async (t) => {
  const { ran, sent } = await look(t, margin("100.00", 2.4));
  assert.deepEqual(sent[1], {
    place: "POST /api/trading/mandates",
    body: {
      index: "zhvi",
      places: ["state:tx", "state:az"],
      side: "SELL",
      spreadBps: 150,
      maxTotalUsd: "5000000",
      maxPerStateUsd: "2500000.00",
      maxPerMarketUsd: "500000.00",
      expiry: leaseEnd,
    },
  });
  assert.deepEqual(sent.at(-1), {
    place: "PATCH /api/trading/mandates/mnd-7",
    body: { expiry: leaseEnd },
  });
  assert.match(ran.stdout, /^mnd-7 sells in state:tx, state:az\.$/m);
  const told = "mnd-7  900.00 USD sold  -2.75 USD against the mark  margin health 2.4 (minus-20)";
  assert.ok(ran.stdout.includes(told), ran.stdout);
});

test("below a margin health of 2 it leaves the state it sold most in", async (t) => {
  const { ran, sent } = await look(t, margin("100.00", 1.9));
  const body = { expiry: leaseEnd, places: ["state:tx"] };
  assert.deepEqual(sent.at(-1), { place: "PATCH /api/trading/mandates/mnd-7", body });
  assert.match(ran.stderr, /margin health is low: mnd-7 goes on in state:tx/);
});

test("below 1.5 it is cancelled, and the command ends", async (t) => {
  const { ran, sent } = await look(t, margin("100.00", 1.49));
  assert.equal(sent.at(-1)?.place, "DELETE /api/trading/mandates/mnd-7");
  assert.match(ran.stderr, /mnd-7 is cancelled; its positions stay/);
});

test("an account that has sold nothing has no margin to look at", async (t) => {
  const { sent } = await look(t, margin("0.000000", 1));
  assert.deepEqual(sent.at(-1)?.body, { expiry: leaseEnd });
});

test("what is no state, amount or number is refused before anything is sent", async (t) => {
  const { url, requests } = await startRecorder(t, status);
  for (const [option, value, says] of [
    ["--states", "texas", /--states must be states such as tx,az, not "texas"/],
    ["--max", "much", /--max must be an amount of USD/],
    ["--spread", "1.5", /--spread must be a whole number/],
  ] as const) {
    const line = ["--spread", "150", "--states", "tx", "--max", "5000"];
    const changed = line.map((word, at) => (line[at - 1] === option ? value : word));
    const ran = await run(["lp", ...changed, "--url", url, "--key", KEY]);
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, says);
  }
  assert.equal(requests.length, 0);
});
