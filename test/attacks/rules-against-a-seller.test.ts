// An operator wants a seller's margin called: it tightens at once, alone, by a second key, in small
// steps, after loosening first; or it frightens sellers with a change that it takes back.
// Invariant: what makes a position dearer was said by two people five days before, and told to
// everybody it concerns; nothing of it is in force earlier.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import { MOST_ANNOUNCED } from "#core/announced-rules.ts";
import { auditFacts } from "#core/audit.ts";
import type { Event } from "#core/event.ts";
import type { RulesChange } from "#core/rules-change.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { wordIn } from "#core/words/told.ts";
import { order, root, type Trader, World } from "../core/world.ts";

const DAY_MILLIS = 86_400_000;
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

/** A seller of the tier enhanced with a short, two operators, and somebody without a position. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-09", layer);
  const [seller, buyer] = [world.trader("seller", "200", "enhanced"), world.trader("buyer", "999")];
  const idle = world.trader("idle", "10", "enhanced");
  world.order(order(listing, "SELL", "1000", "0.05"), seller, listing);
  world.order(order(listing, "BUY", "1000", "0.05"), buyer);
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const set = (by: Trader, rules: RulesChange): readonly Event[] =>
    world.do(by.actor, { type: "SetRules", rules });
  const announce = (rules: RulesChange) => {
    const waiting = wordIn("open", set(olga, rules)) ?? assert.fail("in force at once");
    const told = world.agree(otto.actor, waiting);
    const made = told.find((event) => event.type === "RulesAnnounced") ?? assert.fail("not said");
    return { told, announcement: made.announcement };
  };
  return { world, listing, seller, buyer, idle, olga, otto, set, announce };
}

const margin = (requirementBps: number): RulesChange => ({
  tiers: { enhanced: { requirementBps } },
});
const statusOf = (world: World, { id }: Trader) => world.state.account(id).marginStatus;
const requirement = (world: World) => world.state.rules.tiers.enhanced.requirementBps;

test("one person tightens nothing that a seller holds, whichever value it is", () => {
  const { world, seller, olga, set } = stage();
  for (const change of [
    { requirementBps: 1_001 },
    { feeBps: 101 },
    { maxDailyMicros: micros(1n) },
    { maxDailyVolumeMicros: micros(1n) },
    { requirementBps: 10_000, maxTotalMicros: micros(10n ** 15n) },
  ]) {
    const before = stateHash(world.state);
    const events = set(olga, { tiers: { enhanced: change } });
    const waiting = wordIn("open", events) ?? assert.fail(JSON.stringify(Object.keys(change)));
    assert.equal(events.length, 1, "nothing but the first word");
    assert.equal(world.refused(olga.actor, confirmOf(waiting.id)).code, "PROPOSAL_SAME_OPERATOR");
    world.do(olga.actor, { type: "WithdrawProposal", proposalId: waiting.id });
    assert.equal(stateHash(world.state), before);
  }
  assert.ok(wordIn("open", world.do(root, { type: "SetRules", rules: margin(9_999) })));
  assert.equal(statusOf(world, seller), "healthy");
});

const confirmOf = (proposalId: NonNullable<ReturnType<typeof wordIn>>["id"]) =>
  ({ type: "ConfirmProposal", proposalId, key: { prefix: "p", digest: "d" } }) as const;

test("the founder alone tightens nothing that a seller holds", () => {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const seller = world.trader("seller", "2000", "enhanced");
  assert.equal(
    wordIn("open", world.do(root, { type: "SetRules", rules: margin(1_100) })),
    undefined,
  );
  assert.equal(requirement(world), 1_100, "while nobody of the tier holds anything, at once");
  world.order(order(listing, "SELL", "10", "0.05"), seller, listing);
  assert.ok(wordIn("open", world.do(root, { type: "SetRules", rules: margin(1_200) })));
  assert.equal(requirement(world), 1_100);
});

test("two people tighten in five days, to the millisecond, and everybody concerned knows", (t) => {
  const { world, seller, buyer, idle, announce } = stage();
  const { told, announcement } = announce(margin(2_000));
  assert.equal(announcement.effectiveAtMillis, world.nowMillis + 5 * DAY_MILLIS);
  const alerts = told.flatMap((event) => (event.type === "AlertRaised" ? event.alert : []));
  assert.deepEqual(
    alerts.map(({ accountId, type }) => [accountId, type]),
    [[seller.id, "rules"]],
  );
  assert.match(
    alerts[0]?.message ?? "",
    /^From 2024-11-25T.*tiers\.enhanced\.marginRequirement = 0\.2$/,
  );
  assert.ok(![buyer.id, idle.id].includes(alerts[0]?.accountId ?? seller.id));
  const entry = world.journal.at(-1) ?? assert.fail();
  assert.equal(auditFacts(entry).details.effectiveAt, "2024-11-25T00:00:00.000Z");

  const restored = decodeState(encodeState(world.state));
  assert.equal(stateHash(restored), stateHash(world.state), "a restart forgets no announcement");
  world.state = restored;
  world.runTo(announcement.effectiveAtMillis - 1);
  assert.deepEqual([requirement(world), statusOf(world, seller)], [1_000, "healthy"]);
  world.runTo(announcement.effectiveAtMillis);
  assert.deepEqual([requirement(world), statusOf(world, seller)], [2_000, "critical"]);
  assert.equal(world.state.announcedRules.size, 0);
  const days = (announcement.effectiveAtMillis - announcement.announcedAtMillis) / DAY_MILLIS;
  t.diagnostic(`after: in force after ${days} days, by two people`);
});

test("what was loosened is tightened back by the same long way", () => {
  const { world, olga, set, announce } = stage();
  assert.equal(wordIn("open", set(olga, margin(500))), undefined, "one person loosens, at once");
  assert.equal(requirement(world), 500);
  assert.ok(wordIn("open", set(olga, margin(1_001))), "and does not take it back alone");
  const { announcement } = announce(margin(1_000));
  set(olga, { tiers: { enhanced: { feeBps: 10 } } });
  world.runTo(announcement.effectiveAtMillis);
  const { requirementBps, feeBps } = world.state.rules.tiers.enhanced;
  assert.deepEqual([requirementBps, feeBps], [1_000, 10], "what it does not name stays loosened");
});

test("an announced window leaves the band as it is, also where the change says the band", () => {
  const { world, seller, olga, set, announce } = stage();
  const { announcement } = announce({ bust: { bandTicks: 1_000, windowMinutes: 60 } });
  const said = world.state.alerts.get(seller.id)?.at(-1)?.message ?? "";
  assert.match(said, /the rules are bust\.windowMinutes = 60$/, "the value that changes, alone");
  set(olga, { bust: { bandTicks: 2_000 } });
  world.runTo(announcement.effectiveAtMillis);
  assert.deepEqual(world.state.rules.bust, { bandTicks: 2_000, windowMinutes: 60 });
});

test("an announcement is taken back by two people, told, and begins anew", () => {
  const { world, seller, olga, otto, announce } = stage();
  const { announcement } = announce(margin(9_000));
  const withdraw = { type: "WithdrawRules", announcementId: announcement.id } as const;
  const waiting = wordIn("open", world.do(olga.actor, withdraw)) ?? assert.fail("alone");
  assert.equal(world.refused(olga.actor, confirmOf(waiting.id)).code, "PROPOSAL_SAME_OPERATOR");
  const told = world.agree(otto.actor, waiting).filter(({ type }) => type === "AlertRaised");
  assert.equal(told.length, 1);
  assert.match(world.state.alerts.get(seller.id)?.at(-1)?.message ?? "", /withdrawn$/);
  world.runTo(announcement.effectiveAtMillis);
  assert.equal(requirement(world), 1_000);
  assert.equal(world.refused(olga.actor, withdraw).code, "RULES_NOT_ANNOUNCED");

  const again = announce(margin(9_000)).announcement;
  assert.equal(again.effectiveAtMillis, world.nowMillis + 5 * DAY_MILLIS);
  const late = wordIn("open", world.do(olga.actor, { ...withdraw, announcementId: again.id }));
  world.runTo(again.effectiveAtMillis);
  const refused = world.refused(otto.actor, confirmOf(late?.id ?? assert.fail()));
  assert.equal(refused.code, "RULES_NOT_ANNOUNCED", "in force is in force");
});

test("nobody floods sellers with announcements", () => {
  const { world, olga, set, announce } = stage();
  for (let more = 1; more <= MOST_ANNOUNCED; more += 1) announce(margin(1_000 + more));
  const refused = world.refused(olga.actor, { type: "SetRules", rules: margin(5_000) });
  assert.deepEqual([refused.code, refused.details?.allowed], ["RULES_ANNOUNCED_LIMIT", 5]);
  assert.equal(wordIn("open", set(olga, margin(900))), undefined, "loosening passes");
});
