// An exchange that holds as many records as it can: it refuses what would add to them, and never a
// cancel, long before a map of V8's ends the node; and it starts again as full as it was.
// Invariant: the table of commands says what adds to which table; one without a case fails the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MILLIS } from "#base/day.ts";
import { publicKeyId, rfqId, rfqQuoteId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { Answers, LEAST_KEPT_MILLIS, MOST_ANSWERS, MOST_OWN_ANSWERS } from "#core/answers.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, Idempotency } from "#core/command.ts";
import { commands, unitsOf } from "#core/command-table.ts";
import { caps, MOST_ORDERS, MOST_RECORDS, refuseFull, usedShare } from "#core/full.ts";
import { isJournalled } from "#core/journalled.ts";
import { isRejected } from "#core/outcome.ts";
import { adminPermissions } from "#core/records.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { wordIn } from "#core/words/told.ts";
import { newKey } from "./audit-rows.ts";
import { contracts, HOUR } from "./rfq-stage.ts";
import { openingOf, order, root, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  const anna = world.trader("anna", "100");
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "BUY", "5", "0.05"), anna, listing);
  return { world, anna, listing };
}

/** It has all that is needed to add to each table. */
function fullStage() {
  const { world, anna, listing } = stage();
  const maker = world.trader("maker", "100000");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.lend("1000");
  world.order(order(listing, "SELL", "10", "0.06"), maker);
  const legs = [{ listing, amountLots: contracts("1") }];
  const closesAtMillis = world.nowMillis + HOUR;
  world.do(anna.actor, { type: "OpenRfq", legs, side: "BUY", audience: null, closesAtMillis });
  const quote = { ticks: [tick("0.06")], validUntilMillis: world.nowMillis + 2 * HOUR };
  world.do(maker.actor, { type: "QuoteRfq", rfqId: rfqId("rfq-1"), ...quote });
  world.do(root, { type: "IssuePublicKey", key: site("first") });
  world.do(anna.actor, { type: "CreateKey", key: { ...newKey, digest: "spare" } });
  const spare = [...world.state.keys.keys()].at(-1) ?? assert.fail();
  const spent = { timeInForce: "IOC", clientOrderId: "spent" } as const;
  world.order(bid(listing, spent), anna);
  const said = (command: Command) =>
    wordIn("open", world.do(olga.actor, command))?.id ?? assert.fail(`${command.type} waits`);
  const words = {
    IssueKey: said({ type: "IssueKey", accountId: anna.id, key: { ...newKey, digest: "word" } }),
    OpenAccount: said(openingOf("third", "operator", [])),
    SetOwner: said({ type: "SetOwner", accountId: maker.id, owner: anna.id }),
  };
  return { world, anna, listing, olga, otto, spare, words };
}

type FullStage = ReturnType<typeof fullStage>;
type Given = readonly [Actor, Command];

const site = (digest: string) => ({
  ...({
    label: "site",
    digest,
    scopes: null,
    ratePerMinute: null,
    expiresAtSeconds: null,
  } as const),
});

const bid = (listing: FullStage["listing"], more = {}) => order(listing, "BUY", "1", "0.05", more);

/** One of each command whose row says what it adds to. */
const additions: Readonly<Record<string, (stage: FullStage) => Given>> = {
  PlaceOrder: ({ anna, listing }) => [
    anna.actor,
    { type: "PlaceOrder", order: bid(listing), listing: null },
  ],
  PlaceBatch: ({ anna, listing }) => [
    anna.actor,
    { type: "PlaceBatch", orders: [bid(listing)], listings: [] },
  ],
  MassQuote: ({ anna, listing: { marketId } }) => {
    const side = { priceTick: tick("0.04"), amountLots: contracts("1") };
    const quotes = [{ marketId, bid: side, ask: null, expirySeconds: 0 }];
    return [anna.actor, { type: "MassQuote", quotes, listings: [] }];
  },
  AcceptQuote: ({ anna, listing }) => [
    anna.actor,
    {
      ...({ type: "AcceptQuote", listing: null, referenceTick: tick("0.06") } as const),
      order: order(listing, "BUY", "1", "0.06", { timeInForce: "IOC" }),
      structure: { kind: "in_full" },
    },
  ],
  AcceptRfq: ({ anna }) => [
    anna.actor,
    { type: "AcceptRfq", rfqId: rfqId("rfq-1"), quoteId: rfqQuoteId("rqt-1") },
  ],
  OpenAccount: () => [root, openingOf("new", "trader", [])],
  CreateKey: ({ anna }) => [
    anna.actor,
    { type: "CreateKey", key: { ...newKey, digest: "another" } },
  ],
  IssueKey: ({ anna, olga }) => [
    olga.actor,
    { type: "IssueKey", accountId: anna.id, key: { ...newKey, digest: "issued" } },
  ],
  IssuePublicKey: ({ olga }) => [olga.actor, { type: "IssuePublicKey", key: site("second") }],
};

/** Makes the table as large as if so many others stood in it; what leaves makes it smaller. */
function beside(state: State, table: (typeof caps)[number]["table"], others: number): void {
  const held = state[table];
  const get = () => Number(Reflect.get(Object.getPrototypeOf(held), "size", held)) + others;
  Object.defineProperty(held, "size", { get, configurable: true });
}

/** The additions of a kind, given at once, and by a confirmation of those that two people give. */
function addingTo(stage: FullStage, kind: string): readonly Given[] {
  const rows = Object.entries(commands).filter(([, { adds }]) => adds === kind);
  assert.ok(rows.length > 0, `no command adds to ${kind}`);
  return rows.flatMap(([type]) => {
    const direct = (additions[type] ?? assert.fail(`${type} has no case`))(stage);
    const isWord = type === "IssueKey" || type === "OpenAccount";
    return isWord ? [direct, confirming(stage, type)] : [direct];
  });
}

const confirming = ({ otto, words }: FullStage, type: keyof FullStage["words"]): Given => [
  otto.actor,
  {
    type: "ConfirmProposal",
    proposalId: words[type],
    key: { prefix: "fp_test_aaaa", digest: type },
  },
];

const once: Idempotency = { key: "once", digest: "d".repeat(64) };

for (const { adds, table, most } of caps) {
  test(`${table} at their cap: additions are refused, before a restart and after it`, () => {
    const stage = fullStage();
    const { world, anna, olga, spare, words } = stage;
    const others = most - world.state[table].size;
    beside(world.state, table, others);
    const start = { lines: encodeState(world.state), entries: world.journal.length };
    const refuses = (state: State): void => {
      for (const [actor, command] of addingTo(stage, adds)) {
        for (const idempotency of [null, once]) {
          const envelope = { timeMillis: world.nowMillis, actor, requestId: null };
          const asked = { ...envelope, idempotency, command };
          const outcome = apply(state, asked, world.sequence + 1);
          const refused = { code: "EXCHANGE_FULL", details: { limit: table, allowed: most } };
          assert.deepEqual(outcome, { rejection: refused }, command.type);
          assert.ok(!isJournalled(asked, outcome), "a refusal for want of room takes none");
        }
      }
    };
    refuses(world.state);
    assert.equal(usedShare(world.state), 1);

    const [resting] = world.state.openOrders.get(anna.id) ?? [];
    world.do(anna.actor, { type: "CancelOrder", orderId: resting ?? assert.fail("one rests") });
    world.do(anna.actor, { type: "CancelAll", marketId: null });
    world.do(anna.actor, { type: "RevokeKey", keyId: spare });
    world.do(root, { type: "RevokePublicKey", publicKeyId: publicKeyId("pub-1") });
    world.do(...confirming(stage, "SetOwner"));
    world.fund(anna, micros(1n));

    const read = (lines: readonly string[]): State => {
      const state = decodeState(lines);
      beside(state, table, others);
      return state;
    };
    const replayed = read(start.lines);
    for (const { envelope, sequence } of world.journal.slice(start.entries))
      apply(replayed, envelope, sequence);
    for (const state of [replayed, read(encodeState(world.state))]) {
      assert.equal(stateHash(state), stateHash(world.state));
      refuses(state);
    }

    world.do(olga.actor, { type: "WithdrawProposal", proposalId: words.OpenAccount });
    const isForgotten = table === "orders" || table === "spentIds";
    if (isForgotten) world.runTo(world.nowMillis + 2 * DAY_MILLIS);
    else beside(world.state, table, others - 1);
    const [first] = addingTo(stage, adds);
    world.do(...(first ?? assert.fail()));
  });
}

test("every command that adds to a table at its cap has a case, and no other has one", () => {
  const adding = Object.entries(commands).filter(([, { adds }]) => adds !== undefined);
  const types = adding.map(([type]) => type);
  assert.deepEqual(types.toSorted(), Object.keys(additions).toSorted());
});

test("a confirmation costs the units of what it carries out", () => {
  const { world, olga, otto } = fullStage();
  const rules = { type: "SetRules", rules: { price: { carryBps: 700 } } } as const;
  const said = wordIn("open", world.do(olga.actor, rules)) ?? assert.fail();
  const key = { prefix: "fp_test_aaaa", digest: "unused" };
  const confirmed = { type: "ConfirmProposal", proposalId: said.id, key } as const;
  const units = unitsOf(world.state, otto.actor, confirmed);
  assert.equal(units, unitsOf(world.state, otto.actor, rules));
  assert.ok(units > 1, "new rules may concern all accounts and all they hold");
});

test("an operator's account that root founds anew falls due at the cap, and is not refused", () => {
  const world = new World();
  for (const name of ["olga", "otto"]) world.open(name, "operator");
  for (const accountId of world.state.operators)
    world.do(root, { type: "HaltAccount", accountId, reason: "drill" });
  world.runTo(world.nowMillis + DAY_MILLIS);
  const word = wordIn("open", world.do(root, openingOf("new", "operator", adminPermissions)));
  beside(world.state, "accounts", MOST_RECORDS);
  const before = world.state.operators.size;
  world.runTo(word?.effectiveAtMillis ?? assert.fail("it waits a day"));
  assert.equal(world.state.operators.size, before + 1);
});

test("answers are never a reason to refuse: beyond its share an account's oldest leave", (t) => {
  const { world, anna, listing } = stage();
  const { answers } = world.state;
  const place: Command = {
    type: "PlaceOrder",
    order: order(listing, "BUY", "1", "0.05"),
    listing: null,
  };
  const other = { scope: "acc-9", digest: "d", sequence: 1, atMillis: world.nowMillis - 1 };
  answers.set("another's, older than all", other);
  const own = (at: number) => `${anna.id}\0own ${at}`;
  for (let at = 0; at < MOST_OWN_ANSWERS; at += 1) {
    const sequence = at + 1;
    answers.set(own(at), { scope: anna.id, digest: "d", sequence, atMillis: world.nowMillis });
  }
  const under = (key: string): Idempotency => ({ key, digest: "d".repeat(64) });
  const kept = () => answers.keptSeconds(anna.id, world.nowMillis);
  assert.equal(kept(), 900, "none of them is a quarter of an hour old");
  world.nowMillis += LEAST_KEPT_MILLIS - 1;
  assert.ok(!isRejected(world.try(anna.actor, place, under("a"))));
  assert.ok(answers.has(own(0)), "its rate may need them all within a quarter of an hour");
  world.nowMillis += 1;
  world.try(anna.actor, { type: "CancelAll", marketId: null }, under("b"));
  assert.deepEqual(
    [0, 1, 2].map((at) => answers.has(own(at))),
    [false, false, true],
  );
  assert.ok(answers.has(`${anna.id}\0a`) && answers.has(`${anna.id}\0b`));
  assert.ok(answers.has("another's, older than all"), "nobody makes room for another");
  assert.equal(kept(), 900);
  assert.equal(answers.keptSeconds("acc-9", world.nowMillis), undefined, "a day");
  world.nowMillis += 3_600_000;
  assert.equal(kept(), 4_500, "as long as they come slowly");
  const most = MOST_OWN_ANSWERS.toLocaleString("en");
  t.diagnostic(`after: beyond ${most} of one account its own leave, and nothing is refused`);
});

test("a burst beyond the share shrinks by steps, and a snapshot shares as the state did", () => {
  const answers = new Answers(10, 100);
  const give = (at: number, scope: string, atMillis: number) =>
    answers.keep(`${scope} ${at}`, { scope, digest: "d", sequence: at, atMillis });
  for (let at = 0; at < 50; at += 1) give(at, "a", 1_000);
  assert.equal(answers.size, 50, "all of one quarter of an hour");
  let before = answers.size;
  for (let at = 50; at < 75; at += 1) {
    give(at, "a", 1_000 + LEAST_KEPT_MILLIS);
    assert.equal(answers.size, before - 1, "two leave where one comes");
    before = answers.size;
  }
  give(0, "a", 2_000 + LEAST_KEPT_MILLIS);
  assert.equal([...answers.keys()].at(-1), "a 0", "one that is given again is the youngest");
  for (let at = 0; at < 200; at += 1) give(at, `s${at}`, 3_000 + LEAST_KEPT_MILLIS);
  assert.equal(answers.size, 100, "all together");
  assert.equal(answers.keptSeconds("new", 8_000 + LEAST_KEPT_MILLIS), 5);
  answers.forgetBefore(Number.POSITIVE_INFINITY);
  assert.deepEqual([answers.size, answers.keptSeconds("a", 0)], [0, undefined]);
});

test("the caps lie below what V8's maps hold", () => {
  assert.ok(MOST_RECORDS + 100_000 < 2 ** 24, "positions of liquidations and batches have room");
  assert.ok(MOST_ORDERS + 100_000 < 2 ** 23, "orders of liquidations and batches have room");
  assert.ok(MOST_ANSWERS < 2 ** 23, "a map that loses entries is made anew at half its most");
  const state = new State();
  const command: Command = { type: "CancelAll", marketId: null };
  Object.defineProperty(state.orders, "size", { value: MOST_ORDERS });
  const envelope = { timeMillis: 0, actor: root, requestId: null, idempotency: null, command };
  assert.equal(refuseFull(state, envelope), undefined);
});
