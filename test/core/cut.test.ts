// Claims that the guarantee fund cannot pay in full: who bears what, and what waits for disputes.
// Invariant: one release, one share.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId, releaseId } from "#base/ids.ts";
import { ExchangeView } from "#views/exchange.ts";
import { endOfWindow, paidTo, resolved, uphold, usd } from "./cut-stage.ts";
import { root } from "./world.ts";

test("all claims of a release are cut by one share, those whose sellers paid in full too", () => {
  const ended = resolved(
    [
      { place: "state:al", weak: 1000, sound: 0, print: 270_000 },
      { place: "state:nv", weak: 1000, sound: 500, print: 270_000 },
      { place: "state:wy", weak: 0, sound: 1500, print: 282_000 },
    ],
    "1000",
  );
  const { world, listings } = ended;
  world.runTo(endOfWindow);
  // Due 1,000, 1,500 and, at a half, 750; sound sellers bring 1,250 and the fund its 1,000.
  const all = (usd("2250") * 1_000_000n) / 3_250_000_000n;
  assert.equal(all, 692_307n, "of each dollar");
  assert.deepEqual(paidTo(ended), [692_307_692n, 1_038_461_538n, 519_230_769n]);
  const lacking = listings.map(({ marketId }) => world.state.market(marketId).shortfallMicros);
  assert.deepEqual(lacking, [307_692_308n, 461_538_462n, 230_769_231n]);
  assert.equal(world.state.balance("guarantee"), 1n, "a micro-dollar that no claim could have");
  const release = world.state.releases.get(releaseId("rel-5"));
  assert.deepEqual(release?.claims, { dueMicros: 3_250_000_000n, paidMicros: 2_249_999_999n });
});

test("one entry ends them all, and tells each holder once what came and what it lacks", () => {
  const ended = resolved(
    [
      { place: "state:al", weak: 1000, sound: 0, print: 270_000 },
      { place: "state:or", weak: 1000, sound: 0, print: 270_000 },
    ],
    "500",
  );
  const { world, buyers } = ended;
  const entries = world.journal.length;
  const view = ExchangeView.from(world.state);
  world.runTo(endOfWindow);
  assert.equal(world.journal.length, entries + 1);
  for (const { id } of buyers) {
    const told = world.state.alerts.get(id)?.map(({ type }) => type);
    assert.deepEqual(told, ["payout", "haircut"]);
  }
  for (const entry of world.journal.slice(entries)) view.fold(entry);
  for (const { status } of view.markets.values()) assert.equal(status, "FINALIZED");
});

test("what later shorts of the fund may cost in a bad print is not paid out before", () => {
  const parts = [{ place: "state:al", weak: 1000, sound: 0, print: 270_000 }] as const;
  const alone = resolved(parts, "1000");
  alone.world.runTo(endOfWindow);
  assert.deepEqual(paidTo(alone), [usd("1000")], "its 1,000 are enough");
  const ended = resolved(parts, "1000", "state:wy");
  ended.world.runTo(endOfWindow);
  assert.deepEqual(paidTo(ended), [usd("940")], "100 contracts at a stressed mark of 0.6");
  assert.equal(ended.world.state.balance("guarantee"), usd("60"));
});

test("what a disputed market needs is set aside, and lent to no void", () => {
  const ended = resolved(
    [
      { place: "state:al", weak: 1000, sound: 0, print: 270_000 },
      { place: "state:nv", weak: 1000, sound: 0, print: 270_000, disputed: true },
    ],
    "1000",
  );
  const { world } = ended;
  world.runTo(endOfWindow);
  assert.deepEqual(paidTo(ended), [usd("500"), 0n]);
  assert.equal(world.state.balance(`claims:${releaseId("rel-5")}`), usd("500"));
  uphold(ended);
  assert.deepEqual(paidTo(ended), [usd("500"), usd("500")]);
});

test("the fund's known payouts are not there for the refunds of a void", () => {
  const ended = resolved(
    [{ place: "state:al", weak: 1000, sound: 0, print: 270_000, disputed: true }],
    "1010",
    "state:wy",
  );
  const { world, operator } = ended;
  const [, later] = [...world.state.markets.values()];
  const { id: marketId } = later ?? assert.fail();
  for (const by of [root, operator.actor]) {
    world.do(by, { type: "CancelMarket", marketId, reason: "drill" });
  }
  assert.ok(world.state.market(marketId).shortfallMicros > 0n, "only 10 were free");
  uphold(ended);
  assert.deepEqual(paidTo(ended), [usd("1000")]);
});

test("claims paid before a dispute ends are brought to the share of all, once it has", () => {
  // The fund owes nothing in the disputed market: its holders' part of the loss comes later.
  const ended = resolved(
    [
      { place: "state:al", weak: 1000, sound: 0, print: 270_000 },
      { place: "state:nv", weak: 0, sound: 1000, print: 270_000, disputed: true },
    ],
    "600",
  );
  const { world, listings } = ended;
  world.runTo(endOfWindow);
  assert.deepEqual(paidTo(ended), [usd("600"), 0n]);
  uphold(ended);
  assert.deepEqual(paidTo(ended), [usd("800"), usd("800")]);
  for (const { marketId } of listings) {
    assert.equal(world.state.market(marketId).shortfallMicros, usd("200"));
  }
});

test("an amendment that costs less leaves more for all; one that costs more, less here", () => {
  for (const [print, value, fund, paid] of [
    [270_000, "300000", "1000", ["500", "0", "1000", "0"]],
    [270_000, "288000", "1000", ["500", "0", "800", "200"]],
    [288_000, "270000", "625", ["500", "0", "500", "125"]],
  ] as const) {
    const ended = resolved(
      [
        { place: "state:al", weak: 1000, sound: 0, print: 270_000 },
        { place: "state:nv", weak: 1000, sound: 0, print, disputed: true },
      ],
      fund,
    );
    const { world, listings, operator } = ended;
    world.runTo(endOfWindow);
    const now = paidTo(ended);
    const { marketId } = listings[1] ?? assert.fail();
    world.place = nodeId("state:nv");
    const { valueE15 } = world.observe("2025-05", value);
    const told = { decision: "amend", valueE15, evidence: null } as const;
    for (const by of [root, operator.actor]) {
      world.do(by, { type: "DecideDispute", marketId, ...told });
    }
    world.runTo(world.nowMillis + 4 * 86_400_000);
    assert.deepEqual([...now, ...paidTo(ended)], paid.map(usd), `${print} to ${value}`);
  }
});

test("a market that nobody traded has left before the claims of its release are cut", () => {
  const claimed = { place: "state:al", weak: 1000, sound: 0, print: 240_000 } as const;
  const empty = { place: "state:nv", weak: 0, sound: 0, print: 240_000, untraded: true } as const;
  const ended = resolved([claimed, empty], "0");
  const { world, listings } = ended;
  world.runTo(world.nowMillis + 4 * 86_400_000);
  const [first, second] = listings.map(({ marketId }) => world.state.markets.get(marketId));
  assert.equal(second, undefined, "it has left");
  assert.equal(first?.status, "FINALIZED");
  const [paid = 0n] = paidTo(ended);
  assert.ok(first !== undefined && first.shortfallMicros > 0n && paid > 0n, "the claim was cut");
});
