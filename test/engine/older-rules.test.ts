// The means of an upgrade, tried on a form that never was: a store of the rules before the first.
// Those made-up rules refused deposits that ours take; for the rest they decided as ours do.
// Invariant: what they decided is folded as they stored it, whatever our rules would decide.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import { applyStored } from "#core/apply.ts";
import type { Command } from "#core/command.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { openEngine } from "#engine/open.ts";
import { recover } from "#engine/recover.ts";
import { noEntries } from "#journal/chain.ts";
import type { Journal, SealedEntry } from "#journal/journal.ts";
import { generateSigningKey } from "#journal/note.ts";
import { replay, seal } from "#journal/seal.ts";
import { sealSnapshot } from "#journal/snapshot.ts";
import { verifyJournal } from "#journal/verify.ts";
import { order, root, system, World } from "#test/core/world.ts";
import { headOf, journalOf } from "#test/journal/sealed.ts";
import { answered, fund, openAccount, request } from "./requests.ts";

const OLDER = DECIDER_VERSION - 1;
const origin = "firstprint/test";
const key = generateSigningKey();
const silent = () => undefined;

const open = (journal: Journal, log: string[] = []) =>
  openEngine({ journal, clock: "sandbox", key, log: (message) => log.push(message) });

/** Prints, trades, fees and a position; of a request under `k-1` the answer is kept. */
function told(version: number): readonly Entry[] {
  const world = new World("sandbox", version);
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", { kind: "layered", attachBps: 800, exhaustBps: 2000 });
  const [maker, taker] = [world.trader("maker", "1000"), world.trader("taker", "1000")];
  world.order(order(listing, "SELL", "10", "0.05"), maker, listing);
  world.order(order(listing, "BUY", "4", "0.05"), taker);
  const outcome = world.try(root, openAccount(1), { key: "k-1", digest: "d".repeat(64) });
  assert.ok(!isRejected(outcome));
  world.do(root, fund(7));
  return world.journal;
}

/** As one leader after another would have stored them; nothing is decided here. */
function sealed(entries: readonly Entry[]): readonly SealedEntry[] {
  const state = new State();
  let head = noEntries;
  return entries.map((entry) => {
    applyStored(state, entry);
    const stored = seal(head, entry, state);
    head = { size: stored.sequence, hash: stored.hash };
    return stored;
  });
}

/** The last entry with another outcome. */
function ending(entries: readonly Entry[], outcome: Entry["outcome"]): readonly Entry[] {
  return entries.map((entry, at) => (at === entries.length - 1 ? { ...entry, outcome } : entry));
}

const refusal = { rejection: { code: "MARKET_STATE" } } as const;

const older = (): readonly SealedEntry[] => sealed(ending(told(OLDER), refusal));

function stateAfter(entries: readonly SealedEntry[]): State {
  const state = new State();
  for (const { bytes } of entries) applyStored(state, readEntry(bytes));
  return state;
}

test("every entry is folded, and leaves what the older rules left", async () => {
  const entries = older();
  const journal = await journalOf(entries);
  const lead = await journal.lead(silent);
  const state = stateAfter(entries);
  await lead.keepSnapshot(sealSnapshot(key, origin, headOf(entries), state));
  await lead.release();
  const judged = await verifyJournal(journal, { key });
  assert.equal(judged.valid, true, judged.reason);
  assert.equal(judged.folded, entries.length, "none is decided again");
  assert.equal(judged.stateHash, stateHash(state));
  assert.equal(judged.snapshots, 1, "a snapshot that the older rules signed is passed");
  const found = await recover(journal, headOf(entries), key, origin, silent);
  assert.equal(found.snapshotSize, entries.length, "a start goes on from it");
  assert.equal(stateHash(found.state), stateHash(state));
  const taken = stateAfter(sealed(told(OLDER)));
  assert.equal(taken.balance("guarantee") - state.balance("guarantee"), 7_000_000n);
  assert.equal(state.positions.size, 2);
  assert.equal(state.marginQueue.size, 0, "folded, nobody is left to be judged");
});

test("it opens, is upgraded once, goes on under our rules, and opens again", async () => {
  const entries = older();
  const journal = await journalOf(entries);
  const engine = await open(journal);
  const [upgrade] = await journal.read(entries.length + 1, 1);
  const { envelope, outcome } = readEntry(upgrade?.bytes ?? new Uint8Array());
  assert.deepEqual(envelope.command, { type: "UpgradeRules", version: DECIDER_VERSION });
  assert.deepEqual([upgrade?.action, upgrade?.actor], ["rules.upgraded", "system"]);
  assert.equal(isRejected(outcome), false);
  assert.equal(envelope.timeMillis, entries.at(-1)?.timeMillis);
  answered(await engine.submit(request(openAccount(2))));
  await engine.stop();

  const again = await open(journal);
  const added = await journal.read(entries.length + 1, 100);
  assert.equal(added.filter(({ action }) => action === "rules.upgraded").length, 1);
  assert.ok(added.some(({ action }) => action === "account.opened"));
  await again.stop();
  const judged = await verifyJournal(journal, { key });
  assert.equal(judged.valid, true, judged.reason);
  assert.equal(judged.folded, entries.length);
});

test("a store of our rules is decided again, and never folded", async () => {
  const judged = await verifyJournal(await journalOf(sealed(told(DECIDER_VERSION))), { key });
  assert.equal(judged.valid, true, judged.reason);
  assert.equal(judged.folded, 0);
  const otherwise = await journalOf(sealed(ending(told(DECIDER_VERSION), refusal)));
  await assert.rejects(() => open(otherwise), /gives another outcome/);
});

test("after the upgrade an entry is decided again, and another outcome is refused", async () => {
  const journal = await journalOf(older());
  const engine = await open(journal);
  answered(await engine.submit(request(openAccount(2))));
  await engine.stop();
  const entries = await journal.read(1, 1_000);
  const state = new State();
  let head = noEntries;
  for (const stored of entries.slice(0, -1)) [head] = replay(state, head, stored);
  const last = readEntry(entries.at(-1)?.bytes ?? new Uint8Array());
  const changed = seal(head, { ...last, outcome: refusal }, state);
  assert.throws(() => replay(state, head, changed), /gives another outcome/);
});

test("a folded posting that does not add up is found, though every hash fits", async () => {
  const entries = told(OLDER);
  const last = entries.at(-1);
  assert.ok(last !== undefined && "events" in last.outcome);
  const events = last.outcome.events.map((event) =>
    event.type === "Posted" ? { ...event, toMicros: micros(event.toMicros * 2n) } : event,
  );
  const journal = await journalOf(unjudged(ending(entries, { events })));
  const judged = await verifyJournal(journal, { key });
  assert.equal(judged.brokenAt, entries.length);
  assert.match(judged.reason ?? "", /adds up/);
});

/** Sealed without being put in their places, as a forger would. */
function unjudged(entries: readonly Entry[]): readonly SealedEntry[] {
  const good = sealed(entries.slice(0, -1));
  const last = entries.at(-1);
  assert.ok(last !== undefined);
  return [...good, seal(headOf(good), last, stateAfter(good))];
}

test("a store of newer rules is refused, and its snapshot passed over", async () => {
  const newer = DECIDER_VERSION + 1;
  const said = `version ${newer}; this program has rules up to version ${DECIDER_VERSION}.`;
  const refused = { name: "JournalRefusal", message: new RegExp(said) };
  const world = new World("sandbox");
  const command: Command = { type: "UpgradeRules", version: newer };
  world.do(system, command);
  const entries = sealed(world.journal);
  const journal = await journalOf(entries);
  await assert.rejects(() => open(journal), refused);
  await assert.rejects(() => verifyJournal(journal, { key }), refused);

  // Its snapshot is of no use to our rules either: it is passed over, and the entry is met.
  const lead = await journal.lead(silent);
  await lead.keepSnapshot(sealSnapshot(key, origin, headOf(entries), world.state));
  await lead.release();
  const log: string[] = [];
  await assert.rejects(() => open(journal, log), refused);
  assert.match(log.join("\n"), /newer than ours/);
});

test("an idempotent answer of before the upgrade is given after it", async () => {
  const entries = told(OLDER);
  const opened = entries.find(({ envelope }) => envelope.idempotency?.key === "k-1");
  const engine = await open(await journalOf(sealed(entries)));
  const repeated = answered(await engine.submit(request(openAccount(1), "k-1")));
  assert.equal(repeated.replayed, true);
  assert.deepEqual(repeated.outcome, opened?.outcome);
  assert.ok(answered(await engine.submit(request(fund(2, "after")))).sequence !== null);
  await engine.stop();
});
