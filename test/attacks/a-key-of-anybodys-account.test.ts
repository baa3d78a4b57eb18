// An operator gives itself a key of a customer's account, and buys with the customer's cash what an
// accomplice sells dearly.
// Invariant: two people give a key of another's account, and whoever was shown one is the account's
// own person while the key lives, or something that it may have made stands.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, CommandOf, NewKey } from "#core/command.ts";
import type { MandateTerms } from "#core/mandate/record.ts";
import { isRejected } from "#core/outcome.ts";
import { permissions } from "#core/records.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { decision, order, root, type Trader, World } from "../core/world.ts";
import { text } from "./take-out.ts";

const binary = { kind: "binary", strikeBps: 1000 } as const;
const reason = "drill";

/** Sells protection on Texas for the mark. */
const mandate: MandateTerms = {
  scope: {
    ...{ index: "zhvi", places: [nodeId("state:tx")], levels: null, payoffs: null },
    ...{ minMonths: 1, maxMonths: 60 },
  },
  ...{ side: "SELL", spreadTicks: 0, spreadTicksPerYear: 0, expirySeconds: 0 },
  ...{ mostInMarketLots: lots(900n), mostInStateLots: lots(900n), mostInAllLots: lots(900n) },
  collateral: "margin",
};

const keyOf = (digest: string): NewKey => ({
  ...{ label: "after a lost one", prefix: "fp_test_eeee", digest, permissions },
  ...{ ratePerMinute: null, expiresAtSeconds: null },
});

const issue = ({ id: accountId }: Trader, digest: string): CommandOf<"IssueKey"> => ({
  ...{ type: "IssueKey", accountId, key: keyOf(digest) },
});

/** The key that the command made, where it made one. */
function keyIn(world: World, by: Actor, command: Command): Actor | undefined {
  const outcome = world.try(by, command);
  if (isRejected(outcome)) return undefined;
  const made = outcome.events.find((event) => event.type === "KeyChanged")?.key;
  return made && { type: "key", accountId: made.accountId, keyId: made.id };
}

/** Anna has 100,000 USD, and Mallory sells what is worth nothing; Olga and Otto operate. */
function stage(clock: "sandbox" | "real" = "sandbox") {
  const world = new World(clock);
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.print("2024-10", "300000");
  const [anna, mallory] = [world.trader("anna", "100000"), world.trader("mallory", "100000")];
  const listing = world.listing("2024-12", binary);
  return { world, anna, mallory, olga, otto, listing, marketId: listing.marketId };
}

const codeOf = (world: World, by: Actor, command: Command) => world.refused(by, command).code;

const fund = ({ id: accountId }: Trader, dollars: number): CommandOf<"FundAccount"> => ({
  ...{ type: "FundAccount", accountId, memo: null },
  amountMicros: micros(BigInt(dollars) * 1_000_000n),
});

test("one operator's word gives no key, so nothing is bought with a customer's cash", (t) => {
  const { world, anna, mallory, olga, otto, listing } = stage();
  world.order(order(listing, "SELL", "100000", "0.95"), mallory, listing);
  const stolen = keyIn(world, olga.actor, issue(anna, "olga's own"));
  const input = order(listing, "BUY", "100000", "0.95");
  if (stolen !== undefined) world.try(stolen, { type: "PlaceOrder", order: input, listing: null });
  t.diagnostic(`after: ${text(world.cash(anna))} of 100000.000000 USD are left`);
  assert.equal(stolen, undefined);
  assert.equal(world.cash(anna), 100_000_000_000n);
  assert.equal(world.state.keysOf(anna.id).length, 1, "no key is kept ready");
  assert.equal(codeOf(world, olga.actor, issue(anna, "again")), "PROPOSAL_SAME_OPERATOR");

  assert.ok(keyIn(world, otto.actor, issue(anna, "shown to otto")), "two people may");
  const [, given] = world.state.keysOf(anna.id);
  assert.deepEqual([given?.digest, given?.shownTo], ["shown to otto", otto.id]);
  const written = JSON.stringify(world.journal.at(-2), (_, value) =>
    typeof value === "bigint" ? `${value}` : value,
  );
  assert.ok(!written.includes("shown to otto"), "the first word knows nothing of the second's key");
});

test("whoever was shown a key is the account's person while it lives or what it made stands", () => {
  const { world, anna, mallory, olga, otto, listing, marketId } = stage();
  world.do(olga.actor, issue(anna, "first"));
  const shown = keyIn(world, otto.actor, issue(anna, "otto's")) ?? assert.fail("two agreed");
  const own = fund(anna, 1);
  const cancel = { type: "CancelMarket", marketId, reason } as const;
  world.order(order(listing, "SELL", "10", "0.1"), mallory, listing);
  world.do(otto.actor, cancel);
  world.do(otto.actor, { ...cancel, type: "WithdrawVoid" });
  assert.equal(codeOf(world, otto.actor, own), "CONFLICT_OF_INTEREST", "of a key that lives");
  world.do(olga.actor, own);

  const input = order(listing, "BUY", "10", "0.1");
  world.do(shown, { type: "PlaceOrder", order: input, listing: null });
  assert.equal(codeOf(world, otto.actor, cancel), "CONFLICT_OF_INTEREST", "a holder is his");
  assert.ok(shown.type === "key");
  world.do(anna.actor, { type: "RevokeKey", keyId: shown.keyId });
  for (const again of [true, false]) {
    assert.equal(codeOf(world, otto.actor, own), "CONFLICT_OF_INTEREST", "the position stands");
    assert.equal(codeOf(world, otto.actor, cancel), "CONFLICT_OF_INTEREST");
    if (again) world.state = decodeState(encodeState(world.state));
  }
  // A position of her own elsewhere is none that the key made.
  const other = world.listing("2025-01", binary);
  world.order(order(other, "SELL", "1", "0.1"), mallory, other);
  world.order(order(other, "BUY", "1", "0.1"), anna);
  world.order(order(listing, "BUY", "10", "0.1"), mallory);
  world.order(order(listing, "SELL", "10", "0.1"), anna);
  assert.notEqual(world.state.position(anna.id, other.marketId)?.heldLots, 0n);
  world.do(otto.actor, own);
  world.do(otto.actor, cancel);
  assert.equal(stateHash(decodeState(encodeState(world.state))), stateHash(world.state));
});

test("an order that a revoked key left ties its operator, and so does what trades for it", () => {
  const { world, anna, mallory, olga, otto, listing, marketId } = stage();
  world.do(olga.actor, issue(anna, "first"));
  const shown = keyIn(world, otto.actor, issue(anna, "otto's")) ?? assert.fail("two agreed");
  world.order(order(listing, "SELL", "10", "0.9"), mallory, listing);
  world.do(shown, { type: "SetMandate", mandateId: null, terms: mandate });
  const rests = order(listing, "BUY", "1", "0.01");
  world.do(shown, { type: "PlaceOrder", order: rests, listing: null });
  const elsewhere = fund(anna, 1);
  assert.equal(world.do(olga.actor, { type: "RevokeKeys", accountId: anna.id }).length, 4);
  const left = () => [...world.state.leftByKeys.values()].flatMap((names) => [...names]);
  const [mandateName = ""] = world.state.mandates.keys();
  assert.deepEqual(left(), [marketId, mandateName]);

  const fresh =
    keyIn(world, root, issue(anna, "shown to root")) ??
    keyIn(...([world, olga.actor, issue(anna, "anna's again")] as const));
  assert.ok(fresh !== undefined, "two gave her another");
  world.do(fresh, { type: "CancelAll", marketId: null });
  assert.deepEqual(left(), [mandateName], "no order is left, and nothing is held");
  assert.equal(codeOf(world, otto.actor, elsewhere), "CONFLICT_OF_INTEREST");
  const wanted = world.listing("2025-01", binary);
  world.order(order(wanted, "BUY", "1", "0.9"), mallory, wanted);
  assert.deepEqual(left(), [mandateName, wanted.marketId], "the mandate has traded by itself");
  world.do(fresh, { type: "CancelMandates", mandateId: null });
  assert.deepEqual(left(), [wanted.marketId]);
  assert.equal(codeOf(world, otto.actor, elsewhere), "CONFLICT_OF_INTEREST");
  world.do(root, { type: "CancelMarket", marketId: wanted.marketId, reason });
  assert.equal(
    codeOf(world, otto.actor, { type: "CancelMarket", marketId: wanted.marketId, reason }),
    "CONFLICT_OF_INTEREST",
  );
});

test("what two revoked keys left ends in one order, before a restart and after it", () => {
  const { world, anna, olga, otto, listing } = stage();
  const pairs = [[olga.actor, otto.actor] as const, [root, olga.actor] as const];
  const used = pairs.map(([first, shown], at) => {
    world.do(first, issue(anna, `shown ${at}`));
    const key = keyIn(world, shown, issue(anna, `shown ${at}`)) ?? assert.fail("two agreed");
    const rests = order(listing, "BUY", "1", "0.01");
    world.do(key, { type: "PlaceOrder", order: rests, listing });
    return key;
  });
  for (const key of used.toReversed()) {
    assert.ok(key.type === "key");
    world.do(anna.actor, { type: "RevokeKey", keyId: key.keyId });
  }
  const again = decodeState(encodeState(world.state));
  const events = world.do(anna.actor, { type: "CancelAll", marketId: null });
  const ended = events.filter(({ type }) => type === "KeyLeft");
  assert.equal(ended.length, 2);
  const { envelope } = world.journal.at(-1) ?? assert.fail("it is entered");
  const outcome = apply(again, envelope, world.sequence);
  assert.deepEqual("events" in outcome ? outcome.events : outcome, events);
});

test("an operator sets up an account that it opened until its one key is used", () => {
  const { world, olga, otto, mallory, listing } = stage();
  const cleo = world.openAs(olga.actor, "cleo", "trader");
  world.do(olga.actor, decision(cleo.id, "approve", "institutional", true));
  world.do(olga.actor, fund(cleo, 1_000));
  world.do(olga.actor, { type: "HaltAccount", accountId: cleo.id, reason });
  const beyond: readonly Command[] = [
    fund(cleo, 1_000_000),
    { type: "ResumeAccount", accountId: cleo.id, reason },
    { type: "RevokeKeys", accountId: cleo.id },
    { type: "SetCredit", accountId: cleo.id, creditMicros: micros(1n) },
    { type: "SetCaps", accountId: cleo.id, maxOpenOrders: 9 },
    { type: "SetOwner", accountId: cleo.id, owner: mallory.id },
    issue(cleo, "one more"),
  ];
  for (const command of beyond) {
    assert.equal(codeOf(world, olga.actor, command), "CONFLICT_OF_INTEREST", command.type);
  }
  world.do(otto.actor, { type: "ResumeAccount", accountId: cleo.id, reason });
  const input = order(listing, "BUY", "1", "0.1");
  world.do(cleo.actor, { type: "PlaceOrder", order: input, listing });
  const [used] = world.state.keysOf(cleo.id);
  assert.equal(used?.usedAtSeconds, Math.floor(world.nowMillis / 1_000));
  const setUp: readonly Command[] = [
    decision(cleo.id, "approve", "institutional", true),
    fund(cleo, 1),
    { type: "HaltAccount", accountId: cleo.id, reason },
  ];
  for (const command of setUp) {
    assert.equal(codeOf(world, olga.actor, command), "CONFLICT_OF_INTEREST", command.type);
    world.do(otto.actor, command);
  }
});

test("root is tied by nothing it opens while it founds, or in a sandbox, and later by all of it", () => {
  const { world, anna, olga } = stage("real");
  assert.equal(world.state.keysOf(anna.id)[0]?.shownTo, "root", "two operators were there before");
  world.do(root, fund(anna, 1));
  const own = order(world.listing("2025-01", binary), "BUY", "1", "0.1");
  world.do(anna.actor, {
    type: "PlaceOrder",
    order: own,
    listing: world.listing("2025-01", binary),
  });
  assert.equal(codeOf(world, root, fund(anna, 1)), "CONFLICT_OF_INTEREST");
  world.do(olga.actor, fund(anna, 1));
  const [first] = world.state.keysOf(olga.id);
  assert.equal(first?.shownTo, undefined, "it was founding");
  const sandbox = stage("sandbox");
  assert.equal(sandbox.world.state.keysOf(sandbox.anna.id)[0]?.shownTo, undefined);
});
