// Any two of several operators, and root, after whatever they have done to each other: opening
// puppets, giving and revoking keys, halting, changing owners, switching root off, raising limits.
// Invariant: what takes two people takes effect only when two distinct people gave it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import type { Actor, Command, NewKey } from "#core/command.ts";
import { approvedTier } from "#core/kyc/standing.ts";
import { isRejected } from "#core/outcome.ts";
import { isKeyLive } from "#core/person.ts";
import { adminPermissions } from "#core/records.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import type { State } from "#core/state.ts";
import { wordIn } from "#core/words/told.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { Dice } from "../core/dice.ts";
import { RandomOperators } from "../core/random-operators.ts";
import { order, root, World } from "../core/world.ts";
import { Books } from "../simulation/books.ts";
import { actorOf, People, permissionOf } from "../simulation/people.ts";
import { Rulebook } from "../simulation/rulebook.ts";

const HISTORIES = sizeOfRun("FIRSTPRINT_HISTORIES", 24);
const COMMANDS = 150;
const DAY_MILLIS = 86_400_000;
const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;

/** Three operators, of which one has no authority yet, and a market between two traders. */
function stage(seed: number) {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "1000"), world.trader("bela", "1000")];
  world.openIdle("third");
  for (const name of ["first", "second"]) world.open(name, "operator");
  const listing = world.listing("2026-12", layer);
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  const dice = new Dice(seed);
  return { world, dice, anna, marketId: listing.marketId, moves: new RandomOperators(world, dice) };
}
type Stage = ReturnType<typeof stage>;

/** Every accepted entry is judged by the rules of the auditor as it comes. */
function play(here: Stage, people: People, rulebook: Rulebook): void {
  const { world, dice, anna, moves } = here;
  let judged = 0;
  for (let given = 0; given < COMMANDS; given += 1) {
    if (dice.chance(6)) world.runTo(world.nowMillis + dice.below(12) * DAY_MILLIS);
    world.try(...moves.instead(moves.next(anna)));
    for (const { envelope, outcome } of world.journal.slice(judged)) {
      if (isRejected(outcome)) people.refused(envelope, outcome.rejection.code);
      else rulebook.follow(envelope, people.follow(envelope, outcome.events), outcome.events);
    }
    judged = world.journal.length;
  }
  people.compareAll(world.state);
}

const fresh = (label: string): { readonly key: NewKey } => ({
  key: {
    ...{ label, prefix: "fp_test_dddd", digest: label, permissions: adminPermissions },
    ...{ ratePerMinute: null, expiresAtSeconds: null },
  },
});

/** Of each weight that takes two people, one command. */
function ofTwo({ world: { state }, anna, marketId }: Stage): readonly Command[] {
  const limit = state.rules.fundingLimitMicros;
  const above = micros(limit + 1n);
  const [some] = state.operators;
  assert.ok(some !== undefined);
  return [
    { type: "CancelMarket", marketId, reason: "theirs" },
    { type: "OpenAccount", name: "p", role: "operator", address: "0xp", ...fresh("puppet") },
    ...[...state.operators].map((accountId) => {
      return { type: "IssueKey", accountId, ...fresh(`${accountId} again`) } as const;
    }),
    { type: "SetOwner", accountId: some, owner: anna.id },
    { type: "FundAccount", accountId: anna.id, amountMicros: above, memo: null },
    { type: "FundGuarantee", amountMicros: above, memo: null },
    { type: "FundFinancing", amountMicros: above, memo: null },
    { type: "SetFundingLimit", limitMicros: above },
    { type: "SetRoot", on: state.exchange?.rootOff === true },
  ];
}

/** With a key that may give it, where there is one. */
function speaker(state: State, name: string, { type }: Command): Actor | undefined {
  const permission = permissionOf[type];
  const [id] = [...state.operators].filter((one) => one === name);
  if (id === undefined) return root;
  const now = Math.floor(state.lastTimeMillis / 1000);
  const live = state.keysOf(id).filter((key) => isKeyLive(key, now));
  const holding = live.find((key) => permission && key.permissions.includes(permission));
  const key = holding ?? live[0];
  return key && { type: "key", accountId: id, keyId: key.id };
}

/** True where two names bring it about: one gives it, the other gives it too, or agrees. */
function isDone(here: Stage, [first, second]: readonly [string, string], command: Command) {
  const { world } = here;
  const [one, other] = [
    speaker(world.state, first, command),
    speaker(world.state, second, command),
  ];
  if (one === undefined || other === undefined) return false;
  const proposed = world.try(one, command);
  if (isRejected(proposed)) return false;
  const waiting = wordIn("open", proposed.events);
  assert.ok(waiting !== undefined, `${command.type} took effect by ${actorOf(one)} alone`);
  const again = world.try(other, command);
  if (!isRejected(again) && wordIn("confirmed", again.events) !== undefined) return true;
  const key = { prefix: "fp_test_dddd", digest: `shown to ${second}` };
  const said = world.try(other, { type: "ConfirmProposal", proposalId: waiting.id, key });
  return !isRejected(said);
}

test("no two operators do together what takes two people, unless they are two", (t) => {
  let [tried, byOne, byTwo] = [0, 0, 0];
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const here = stage(seed);
    const tiers = [...here.world.state.accounts.values()].map(({ id, kyc }) => {
      const tier = approvedTier(kyc);
      return [id, tier === "none" ? "basic" : tier] as const;
    });
    const rulebook = new Rulebook(new Books(), new Map(tiers));
    const people = new People(rulebook);
    play(here, people, rulebook);
    const { world } = here;
    // Every proposal of theirs has lapsed, and the limit is new.
    world.runTo(world.nowMillis + 11 * DAY_MILLIS);
    const names = ["root", ...world.state.operators];
    const lines = encodeState(world.state);
    const before = stateHash(world.state);
    for (const first of names) {
      for (const second of names) {
        const areTwo = people.areTwo(first, second);
        for (const command of areTwo && first < second ? [] : ofTwo(here)) {
          tried += 1;
          const isEffective = isDone(here, [first, second], command);
          if (isEffective) byTwo += areTwo ? 1 : 0;
          if (isEffective && !areTwo) byOne += 1;
          assert.ok(areTwo || !isEffective, `${seed}: ${command.type} by ${first} and ${second}`);
          world.state = decodeState(lines);
        }
      }
    }
    assert.equal(stateHash(world.state), before);
  }
  assert.ok(byTwo >= HISTORIES * 10, `${byTwo} took effect by two people`);
  t.diagnostic(`after: ${byOne} of ${tried} tries by one person, ${byTwo} by two`);
});
