// Stores of older rules still open: what they decided is folded as it was stored, whatever rules
// decide from here on. `version-1/` to `version-6/` hold journals as those versions wrote them and
// `expected.json` what they made of them; all stand for stores that somebody keeps, so none is ever
// written anew. `version-3/limits` ends with an order that only those rules refuse,
// `version-4/claims` with claims that only those rules raise, `version-5/owed` with cash that only
// those rules pay out, and a proposal whose command they wrote without all but its owner,
// `version-6/older-print` with a fallback that only those rules take, of a print before the last.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sha256OfLines } from "#base/digest.ts";
import { micros } from "#base/money.ts";
import { apply, applyStored } from "#core/apply.ts";
import { encode } from "#core/codec.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import { nextDueMillis } from "#core/due.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { State } from "#core/state.ts";
import { openEngine } from "#engine/open.ts";
import { recover } from "#engine/recover.ts";
import { noEntries } from "#journal/chain.ts";
import type { Journal, SealedEntry } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { replay, seal } from "#journal/seal.ts";
import { sealSnapshot } from "#journal/snapshot.ts";
import { touchesOf } from "#journal/touches.ts";
import { verifyJournal } from "#journal/verify.ts";
import { answered, fund, openAccount, request } from "#test/engine/requests.ts";
import { readJournal } from "./journal-file.ts";

const names = ["levels", "margin", "operations", "premiums", "settlement", "trading"];
const more = ["governance", "standing", "defaults", "without-prints"];
const stores = [
  ...names.map((name) => `version-1/${name}`),
  ...[...names, "governance"].map((name) => `version-2/${name}`),
  ...[...names, ...more, "limits"].map((name) => `version-3/${name}`),
  ...[...names, ...more, "claims"].map((name) => `version-4/${name}`),
  ...[...names, ...more, "owed"].map((name) => `version-5/${name}`),
  ...[...names, ...more, "older-print"].map((name) => `version-6/${name}`),
];
const key = generateSigningKey();

/** The result of the first rules on a journal, in words that later records still have. */
interface Balances {
  readonly ledger: Readonly<Record<string, string>>;
  readonly positions: readonly string[];
  readonly orders: readonly string[];
  /** Digest of the answers kept, of volumes by day, and of the last time. */
  readonly beside: string;
  readonly nextDueMillis: number | null;
}

const expectedOf = (version: string): Readonly<Record<string, Balances>> =>
  JSON.parse(readFileSync(new URL(`${version}/expected.json`, import.meta.url), "utf8"));

function balancesOf(state: State): Balances {
  const { answers, dayVolumes, lastTimeMillis } = state;
  return {
    ledger: Object.fromEntries([...state.ledger].map(([name, micros]) => [name, String(micros)])),
    positions: [...state.positions.values()].map((position) => {
      const { accountId, marketId, heldLots, costMicros, realisedMicros, flowMicros } = position;
      return [accountId, marketId, heldLots, costMicros, realisedMicros, flowMicros].join(" ");
    }),
    orders: [...state.orders.values()].map(({ id, status, filledLots, amountLots }) =>
      [id, status, filledLots, amountLots].join(" "),
    ),
    beside: sha256OfLines([encode([[...answers], [...dayVolumes], lastTimeMillis])]),
    nextDueMillis: nextDueMillis(state) ?? null,
  };
}

/** Filed as the next leader files an older store before it appends; bytes and hashes stand. */
const older = (store: string): readonly SealedEntry[] =>
  readJournal(store).map((entry) => ({
    ...entry,
    touches: touchesOf(readEntry(entry.bytes)),
  }));

async function journalOf(entries: readonly SealedEntry[]): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  const lead = await journal.lead(() => undefined);
  await lead.append(entries);
  await lead.release();
  return journal;
}

const open = (journal: Journal, log: string[] = []) =>
  openEngine({ journal, clock: "sandbox", key, log: (message) => log.push(message) });

for (const store of stores) {
  test(`${store}: every entry is folded, and leaves what its own rules left`, async () => {
    const journal = await journalOf(older(store));
    const judged = await verifyJournal(journal, { key });
    assert.equal(judged.valid, true, judged.reason);
    assert.equal(judged.folded, judged.size, "none is decided again");
    const { state } = await recoverAll(journal);
    const [version = "", name = ""] = store.split("/");
    assert.deepEqual(balancesOf(state), expectedOf(version)[name]);
    assert.equal(state.marginQueue.size, 0);
  });

  test(`${store}: it opens, goes on under the new rules, and opens again`, async () => {
    const journal = await journalOf(older(store));
    const size = older(store).length;
    const engine = await open(journal);
    const [upgrade] = await journal.read(size + 1, 1);
    const { envelope, outcome } = readEntry(upgrade?.bytes ?? new Uint8Array());
    assert.deepEqual(envelope.command, { type: "UpgradeRules", version: DECIDER_VERSION });
    assert.deepEqual([upgrade?.action, upgrade?.actor], ["rules.upgraded", "system"]);
    assert.equal(isRejected(outcome), false);
    assert.equal(envelope.timeMillis, older(store).at(-1)?.timeMillis);
    answered(await engine.submit(request(openAccount(9_999))));
    await engine.stop();

    const again = await open(journal);
    const added = await journal.read(size + 1, 100);
    const upgrades = added.filter(({ action }) => action === "rules.upgraded");
    assert.equal(upgrades.length, 1, "it is upgraded once");
    // A command that had come due is told before the next command.
    assert.ok(added.some(({ action }) => action === "account.opened"));
    await again.stop();
    const judged = await verifyJournal(journal, { key });
    assert.equal(judged.valid, true, judged.reason);
    assert.equal(judged.folded, size);
  });
}

async function recoverAll(journal: MemoryJournal) {
  const [last] = (await journal.read(1, 100_000)).slice(-1);
  assert.ok(last !== undefined);
  return recover(journal, { size: last.sequence, hash: last.hash }, key, "", () => undefined);
}

/** The same chain, with one entry's text changed and every later hash made to fit. */
function resealed(
  entries: readonly SealedEntry[],
  at: number,
  change: (entry: Entry) => Entry,
): readonly SealedEntry[] {
  const state = new State();
  let head = noEntries;
  return entries.map(({ bytes }, index) => {
    const stored = readEntry(bytes);
    applyStored(state, stored);
    const sealed = seal(head, index === at ? change(stored) : stored, state);
    head = { size: sealed.sequence, hash: sealed.hash };
    return sealed;
  });
}

test("rules that decide otherwise now do not change what a store has decided", async () => {
  // A rejection that these rules would never give stands for any decision of other rules.
  const entries = older("version-1/trading");
  const at = entries.findIndex(({ action }) => action === "account.funded");
  const otherwise = resealed(entries.slice(0, at + 1), at, (entry) => ({
    ...entry,
    outcome: { rejection: { code: "MARKET_STATE" } },
  }));
  const engine = await open(await journalOf(otherwise));
  assert.equal(engine.status().durableSequence, at + 2);
  await engine.stop();
});

test("after the upgrade an entry is decided again, and another outcome is refused", async () => {
  const journal = await journalOf(older("version-1/operations"));
  const engine = await open(journal);
  answered(await engine.submit(request(openAccount(9_999))));
  await engine.stop();
  const entries = await journal.read(1, 100_000);
  const state = new State();
  let head = noEntries;
  for (const stored of entries.slice(0, -1)) [head] = replay(state, head, stored);
  const last = readEntry(entries.at(-1)?.bytes ?? new Uint8Array());
  const changed: Entry = { ...last, outcome: { rejection: { code: "MARKET_STATE" } } };
  assert.throws(() => replay(state, head, seal(head, changed, state)), /gives another outcome/);
});

test("a folded posting that does not add up is found, though every hash fits", async () => {
  const entries = older("version-1/trading");
  const at = entries.findIndex(({ action }) => action === "account.funded");
  const more = resealed(entries.slice(0, at + 1), at, (entry) => {
    assert.ok("events" in entry.outcome);
    const events = entry.outcome.events.map((event) =>
      event.type === "Posted" ? { ...event, toMicros: micros(event.toMicros * 2n) } : event,
    );
    return { ...entry, outcome: { events } };
  });
  const judged = await verifyJournal(await journalOf(more), { key });
  assert.equal(judged.brokenAt, at + 1);
  assert.match(judged.reason ?? "", /adds up/);
});

test("a store of newer rules is refused, and its snapshot passed over", async () => {
  const newer = DECIDER_VERSION + 1;
  const said = `version ${newer}; this program has rules up to version ${DECIDER_VERSION}.`;
  const refusal = { name: "JournalRefusal", message: new RegExp(said) };
  const engine = await open(await journalOf(older("version-1/levels")));
  await engine.stop();

  const state = new State();
  const entries: SealedEntry[] = [];
  let head = noEntries;
  const put = (command: Entry["envelope"]["command"]): void => {
    const sequence = head.size + 1;
    const actor = { type: "system" } as const;
    const envelope = { timeMillis: 1, actor, requestId: null, idempotency: null, command };
    const outcome = apply(state, envelope, sequence);
    const sealed = seal(head, { sequence, envelope, outcome }, state);
    head = { size: sequence, hash: sealed.hash };
    entries.push(sealed);
  };
  const [founding] = older("version-1/levels");
  put(readEntry(founding?.bytes ?? new Uint8Array()).envelope.command);
  put({ type: "UpgradeRules", version: newer });
  const journal = await journalOf(entries);
  await assert.rejects(() => open(journal), refusal);
  await assert.rejects(() => verifyJournal(journal, { key }), refusal);

  // Its snapshot is of no use to older rules either: it is passed over, and the entry is met.
  const lead = await journal.lead(() => undefined);
  const { chainId } = state.exchange ?? { chainId: "" };
  await lead.keepSnapshot(sealSnapshot(key, `firstprint/${chainId}`, head, state));
  await lead.release();
  const log: string[] = [];
  await assert.rejects(() => open(journal, log), refusal);
  assert.match(log.join("\n"), /newer than ours/);
});

test("an idempotent answer of before the upgrade is given after it", async () => {
  const journal = await journalOf(older("version-1/levels").slice(0, 1));
  const under = { idempotency: { key: "k-1", digest: "d".repeat(64) } };
  const engine = await open(journal);
  const opened = answered(await engine.submit({ ...request(openAccount(1)), ...under }));
  await engine.stop();
  // The same entries as the first rules would have left them: without the upgrade.
  const entries = await journal.read(1, 3);
  const state = new State();
  let head = noEntries;
  const before = [entries[0], entries[2]].map((stored, at) => {
    assert.ok(stored !== undefined);
    const entry = { ...readEntry(stored.bytes), sequence: at + 1 };
    applyStored(state, entry);
    const sealed = seal(head, entry, state);
    head = { size: sealed.sequence, hash: sealed.hash };
    return sealed;
  });
  const upgraded = await open(await journalOf(before));
  const repeated = answered(await upgraded.submit({ ...request(openAccount(1)), ...under }));
  assert.equal(repeated.replayed, true);
  assert.deepEqual(repeated.outcome, opened.outcome);
  assert.ok(answered(await upgraded.submit(request(fund(2, "after")))).sequence !== null);
  await upgraded.stop();
});
