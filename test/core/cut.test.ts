// Claims that the guarantee fund cannot pay in full: who bears what, and what waits for disputes.
// Invariant: one release, one share.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Event } from "#core/event.ts";
import { GUARANTEE } from "#core/step.ts";
import { ExchangeView } from "#views/exchange.ts";
import { DAY, decide, endOfWindow, paidTo, resolved, uphold, usd } from "./cut-stage.ts";
import { root } from "./world.ts";

const CLAIMS = `claims:${releaseId("rel-5")}` as const;

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
  const ended = resolved(parts, "1000", { place: "state:wy", weak: 100 });
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
  assert.equal(world.state.balance(CLAIMS), usd("500"));
  uphold(ended);
  assert.deepEqual(paidTo(ended), [usd("500"), usd("500")]);
});

test("the fund's known payouts are not there for the refunds of a void", () => {
  const ended = resolved(
    [{ place: "state:al", weak: 1000, sound: 0, print: 270_000, disputed: true }],
    "1010",
    { place: "state:wy", weak: 100 },
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
    const { world } = ended;
    world.runTo(endOfWindow);
    const now = paidTo(ended);
    decide(ended, 1, value);
    world.runTo(world.nowMillis + 4 * DAY);
    assert.deepEqual([...now, ...paidTo(ended)], paid.map(usd), `${print} to ${value}`);
  }
});

test("cash that an amendment frees pays what the others are due; the fund has the rest of its own", () => {
  const ended = resolved(
    [
      { place: "state:al", weak: 500, sound: 0, print: 270_000 },
      { place: "state:nv", weak: 1000, sound: 0, print: 270_000, disputed: true },
    ],
    "750",
  );
  const { world } = ended;
  world.runTo(endOfWindow);
  assert.deepEqual(paidTo(ended), [usd("250"), 0n]);
  decide(ended, 1, "300000");
  const told: Event[] = [];
  world.runTo(world.nowMillis + 4 * DAY, (_, events) => told.push(...events));
  assert.deepEqual(paidTo(ended), [usd("500"), 0n]);
  assert.equal(world.state.balance(CLAIMS), 0n);
  assert.equal(world.state.balance("guarantee"), usd("175"), "75 were the defaulter's own");
  const posted = told.flatMap((event) => (event.type === "Posted" ? event.posting.reason : []));
  assert.deepEqual(posted.slice(-2), ["claims-left", "takeover-returned"]);
});

test("markets that end with less than was paid before share it, and nobody gives back", () => {
  const later = { weak: 500, sound: 0, print: 288_000, disputed: true };
  const ended = resolved(
    [
      { place: "state:al", weak: 1000, sound: 0, print: 270_000 },
      { place: "state:nv", ...later },
      { place: "state:or", ...later },
    ],
    "625",
  );
  const { world, listings } = ended;
  world.runTo(endOfWindow);
  assert.deepEqual(paidTo(ended), [usd("500"), 0n, 0n]);
  for (const part of [1, 2]) decide(ended, part, "270000");
  world.runTo(world.nowMillis + 4 * DAY);
  assert.deepEqual(paidTo(ended), ["500", "62.5", "62.5"].map(usd));
  const [first] = listings.map(({ marketId }) => world.state.market(marketId));
  assert.equal(first?.updatedAtMillis, endOfWindow, "nothing came to the first any more");
});

test("cash set aside for a disputed market raises no claim of another", () => {
  const part = { weak: 1000, sound: 0 };
  const ended = resolved(
    [
      { place: "state:al", ...part, print: 270_000 },
      { place: "state:nv", ...part, print: 288_000, disputed: true },
      { place: "state:or", ...part, print: 300_000, disputed: true },
      { place: "state:wy", ...part, print: 270_000, disputed: true },
    ],
    "1125",
  );
  const { world } = ended;
  world.runTo(endOfWindow);
  decide(ended, 1, "270000");
  world.runTo(world.nowMillis + 3 * DAY);
  assert.deepEqual(paidTo(ended), ["500", "250", "0", "0"].map(usd));
  // The share of all is .375. One that nothing is due in ends, and frees nothing.
  decide(ended, 2);
  world.runTo(world.nowMillis + 3 * DAY);
  assert.deepEqual(paidTo(ended), ["500", "250", "0", "0"].map(usd));
  assert.equal(world.state.balance(CLAIMS), usd("375"));
  decide(ended, 3);
  world.runTo(world.nowMillis + 3 * DAY);
  assert.deepEqual(paidTo(ended), ["500", "250", "0", "375"].map(usd));
});

test("earlier claims below the share are raised alike where cash is too short for all", () => {
  const later = { weak: 1000, sound: 0, disputed: true };
  const ended = resolved(
    [
      { place: "state:al", weak: 1000, sound: 0, print: 270_000 },
      { place: "state:nv", ...later, print: 288_000 },
      { place: "state:or", ...later, print: 288_000 },
      { place: "state:wy", ...later, print: 270_000 },
    ],
    "1250",
  );
  const { world } = ended;
  world.runTo(endOfWindow);
  for (const part of [1, 2]) decide(ended, part, "270000");
  world.runTo(world.nowMillis + 3 * DAY);
  assert.deepEqual(paidTo(ended), ["500", "218.75", "218.75", "0"].map(usd));
  decide(ended, 3, "300000");
  world.runTo(world.nowMillis + 3 * DAY);
  assert.deepEqual(paidTo(ended), ["500", "375", "375", "0"].map(usd), "312.50 for two");
  assert.equal(world.state.balance(CLAIMS), 0n);
});

test("a fund that is refilled meanwhile pays all that is due and no more", () => {
  const part = { weak: 1000, sound: 0, print: 270_000 };
  const ended = resolved(
    [
      { place: "state:al", ...part },
      { place: "state:nv", ...part, disputed: true },
      { place: "state:or", ...part, disputed: true },
    ],
    "1500",
  );
  const { world, buyers, listings } = ended;
  world.runTo(endOfWindow);
  assert.deepEqual(paidTo(ended), [usd("500"), 0n, 0n]);
  world.do(root, { type: "FundGuarantee", amountMicros: usd("2000"), memo: null });
  decide(ended, 1);
  world.runTo(world.nowMillis + 3 * DAY);
  assert.deepEqual(paidTo(ended), [usd("1000"), usd("1000"), 0n]);
  assert.equal(world.state.balance(CLAIMS), usd("1000"), "for the one that is disputed");
  assert.equal(world.state.balance("guarantee"), usd("500"));
  const told = buyers.map(({ id }) => world.state.alerts.get(id)?.map(({ type }) => type));
  assert.deepEqual(told, [["payout", "haircut", "payout"], ["payout"], undefined]);
  const [first] = listings.map(({ marketId }) => world.state.market(marketId));
  assert.equal(first?.shortfallMicros, 0n);
  assert.equal(first?.resolution?.finalizedAtMillis, endOfWindow, "it ended when it ended");
});

test("a market whose dispute was decided waits for the rest of its own window", () => {
  const part = { weak: 1000, sound: 0, print: 270_000 };
  const ended = resolved(
    [
      { place: "state:al", ...part },
      { place: "state:nv", ...part, disputed: true },
    ],
    "1000",
  );
  const { world, listings } = ended;
  world.runTo(world.nowMillis + DAY);
  decide(ended, 1);
  world.runTo(endOfWindow);
  assert.deepEqual(paidTo(ended), [usd("500"), 0n]);
  const last = listings[1] ?? assert.fail();
  assert.equal(world.state.market(last.marketId).status, "RESOLVED");
  world.runTo(endOfWindow + DAY);
  assert.deepEqual(paidTo(ended), [usd("500"), usd("500")]);
});

test("sellers give to the last cent, the fund its part, and their positions say so", () => {
  const ended = resolved(
    [
      { place: "state:al", weak: 1000, sound: 0, print: 270_000 },
      { place: "state:nv", weak: 500, sound: 500, print: 270_000 },
    ],
    "600",
  );
  const { world, sound, listings } = ended;
  const amountMicros = micros(-world.available(sound));
  world.do(root, { type: "FundAccount", accountId: sound.id, amountMicros, memo: null });
  const holders = [sound.id, GUARANTEE];
  const flows = () =>
    listings.flatMap(({ marketId }) =>
      holders.map((id) => world.state.position(id, marketId)?.flowMicros ?? 0n),
    );
  const before = flows();
  world.runTo(endOfWindow);
  assert.equal(world.cash(sound), 0n);
  const given = flows().map((flow, at) => (before[at] ?? 0n) - flow);
  assert.deepEqual(given, ["0", "400", "500", "200"].map(usd), "of 1,500 the fund pays 600");
  for (const { marketId } of listings) {
    for (const id of holders) assert.equal(world.state.position(id, marketId)?.heldLots ?? 0n, 0n);
  }
});

test("claims that round to nothing end with nothing to share out", () => {
  const beside = { place: "state:wy", weak: 2000 } as const;
  // A millionth of half a contract, which the fund counts as a micro-dollar it has to have.
  const part = { place: "state:nv", weak: 0.5, sound: 0, print: 293_999.976 } as const;
  const ended = resolved([part], "0", beside);
  const { world, listings } = ended;
  world.runTo(endOfWindow);
  assert.deepEqual(paidTo(ended), [0n]);
  const [market] = listings.map(({ marketId }) => world.state.market(marketId));
  assert.deepEqual([market?.status, market?.shortfallMicros], ["FINALIZED", 0n]);
  const { claims } = world.state.releases.get(releaseId("rel-5")) ?? assert.fail();
  assert.deepEqual(claims, { dueMicros: 0n, paidMicros: 0n });
});

test("where the fund is short of nothing all is paid in full, whatever it lacks beside", () => {
  const part = { weak: 0, sound: 1000, print: 270_000 };
  const ended = resolved(
    [
      { place: "state:al", ...part },
      { place: "state:nv", ...part },
    ],
    "0",
    { place: "state:wy", weak: 2000 },
  );
  const { world } = ended;
  const layers = { type: "FundGuarantee", layer: "exchange", memo: null } as const;
  world.do(root, { ...layers, amountMicros: usd("100") });
  world.runTo(endOfWindow);
  assert.deepEqual(paidTo(ended), [usd("1000"), usd("1000")]);
  assert.equal(world.state.balance("exchange-layer"), usd("100"), "for the fund's own losses");
  const release = world.state.releases.get(releaseId("rel-5")) ?? assert.fail();
  assert.equal(release.claims, undefined, "nothing of it was cut");
});

test("a market that nobody traded has left before the claims of its release are cut", () => {
  const claimed = { place: "state:al", weak: 1000, sound: 0, print: 240_000 } as const;
  const empty = { place: "state:nv", weak: 0, sound: 0, print: 240_000, untraded: true } as const;
  const ended = resolved([claimed, empty], "0");
  const { world, listings } = ended;
  world.runTo(world.nowMillis + 4 * DAY);
  const [first, second] = listings.map(({ marketId }) => world.state.markets.get(marketId));
  assert.equal(second, undefined, "it has left");
  assert.equal(first?.status, "FINALIZED");
  const [paid = 0n] = paidTo(ended);
  assert.ok(first !== undefined && first.shortfallMicros > 0n && paid > 0n, "the claim was cut");
});
