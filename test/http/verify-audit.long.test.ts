// The verifier of exports against exports of the real server: whole, tampered with, and in part.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createPrivateKey, sign } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { commands } from "#core/command-table.ts";
import { inclusionRanges, leafHash, nodeHash } from "#journal/merkle.ts";
import { hashOf, hashOfPart } from "#test/support/entry-hash.ts";
import { at, numberAt, textAt } from "#test/support/exchange.ts";
import { type Exported, placeIn, spelledExports } from "#test/support/spelled-exports.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { actions } from "../../tools/audit-actions.ts";
import { verifyAudit } from "../../tools/verify-audit.ts";
import { until } from "../e2e/until.ts";
import { PublicWorld } from "./public-world.ts";
import { type Holder, order } from "./world.ts";

interface Judged {
  readonly code: number;
  readonly brokenAt: number | undefined;
  readonly text: string;
  readonly verdict: unknown;
}

class Auditor {
  readonly #folder: string;
  readonly key: string;
  /** The last command line. */
  words: readonly string[] = [];

  constructor(folder: string, key: string) {
    this.#folder = folder;
    this.key = key;
  }

  /** Text and bytes as they are, all else as JSON. */
  async judge(content: unknown, checkpoint?: string, ...more: string[]): Promise<Judged> {
    const file = join(this.#folder, "export.json");
    const isWritten = typeof content === "string" || Buffer.isBuffer(content);
    await writeFile(file, isWritten ? content : JSON.stringify(content));
    const signed = join(this.#folder, "checkpoint");
    if (checkpoint !== undefined) await writeFile(signed, checkpoint);
    const witness = checkpoint === undefined ? [] : ["--checkpoint", signed, "--key", this.key];
    this.words = [file, ...witness, ...more];
    const { code, text } = await verifyAudit([...this.words, "--json"]);
    const verdict: unknown = code === 2 ? undefined : JSON.parse(text);
    const brokenAt = at(verdict, "brokenAt");
    return { code, text, verdict, brokenAt: typeof brokenAt === "number" ? brokenAt : undefined };
  }
}

interface Case {
  readonly auditor: Auditor;
  readonly entries: readonly Exported[];
  /** Of one trader's own export: with gaps. */
  readonly own: readonly Exported[];
  /** Signed over all of them. */
  readonly note: string;
  readonly answer: string;
  /** Of the transparency log: one kept in the middle, and one over all of them. */
  readonly logHeads: readonly [kept: string, newest: string];
}

async function opened(t: TestContext): Promise<Case> {
  const { world } = await PublicWorld.open(t);
  const [a, b] = [await world.trader("a"), await world.trader("b")];
  const auditor = await world.account("c", "auditor");
  const marketId = await world.market();
  const head = async (size: number): Promise<string> => {
    const signed = async () => (await world.get("/api/log/checkpoint")).body;
    await until("the log is signed", async () => Number((await signed()).split("\n")[1]) >= size);
    return signed();
  };
  const kept = await head(world.engine.status().durableSequence);
  for (let placed = 0; placed < 6; placed += 1) {
    const who = placed % 2 === 0 ? a : b;
    await world.post(
      "/api/trading/orders",
      who.secret,
      order(marketId, { amount: `${placed + 1}` }),
    );
  }
  const exported = async ({ secret }: Holder): Promise<Exported[]> =>
    (await world.get("/api/audit/export", secret)).json().data;
  const newest = await head(world.engine.status().durableSequence);
  const entries = await exported(auditor);
  let answer: unknown;
  await until("all of it is signed", async () => {
    answer = (await world.get("/api/checkpoint")).json();
    return textAt(answer, "data", "note").includes(`\n${entries.length}\n`);
  });
  const folder = await temporaryFolder(t, "firstprint-verify-");
  return {
    auditor: new Auditor(folder, textAt(answer, "data", "verifierKey")),
    entries,
    own: await exported(a),
    note: textAt(answer, "data", "note"),
    answer: JSON.stringify(answer),
    logHeads: [kept, newest],
  };
}

/** Every hash made to fit again, as whoever holds the database can. */
function resealed(entries: readonly Exported[], start = "0".repeat(64)): readonly Exported[] {
  let previousHash = start;
  return entries.map((entry, at) => {
    const sequence = at + 1;
    const text = Buffer.from(entry.bytes, "base64").toString("utf8");
    const renumbered = text.replace(/"sequence":\d+/, `"sequence":${sequence}`);
    const bytes = Buffer.from(renumbered).toString("base64");
    const hash = hashOf(previousHash, sequence, bytes);
    const sealed = { ...entry, id: `aud-${sequence}`, sequence, previousHash, hash, bytes };
    previousHash = hash;
    return sealed;
  });
}

const altered = (entry: Exported, text: string, replacement: string): Exported => {
  const before = Buffer.from(entry.bytes, "base64").toString("utf8");
  assert.ok(before.includes(text), `${text} stands in the entry`);
  return { ...entry, bytes: Buffer.from(before.replace(text, replacement)).toString("base64") };
};

/** The last of the parts it shows that has the text, with another text. */
const alteredPart = (entry: Exported, text: string, replacement: string): Exported => {
  const place = entry.parts.findLastIndex((part) => clear(part).includes(text));
  assert.ok(place >= 0, `${text} stands in a part of the entry`);
  return {
    ...entry,
    parts: replaced(entry.parts, place, (part) => ({
      ...part,
      bytes: Buffer.from(clear(part).replace(text, replacement)).toString("base64"),
    })),
  };
};

/** One entry at another time, by some milliseconds: it and every later hash are others. */
const rewrittenAt = (entries: readonly Exported[], place: number): readonly Exported[] =>
  resealed(
    replaced(entries, place, (entry) => {
      const [time = ""] = /"timeMillis":\d+/.exec(clear(entry)) ?? [];
      return altered(
        entry,
        time,
        time.replace(/\d$/, (digit) => (digit === "5" ? "6" : "5")),
      );
    }),
  ).map((entry) => ({ ...entry, inclusion: null }));

/** Shown to be in the log, too, as it was made anew over these entries. */
function reproven(entries: readonly Exported[]): readonly Exported[] {
  const leaves = entries.map(({ hash }) => leafHash(Buffer.from(hash, "hex")));
  return entries.map((entry, index) => {
    const ranges = inclusionRanges(index, leaves.length);
    const proof = ranges.map((range) => rootOf(leaves.slice(...range)).toString("base64"));
    return { ...entry, inclusion: { index, treeSize: leaves.length, proof } };
  });
}

function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only = Buffer.alloc(0)] = leaves;
  if (leaves.length === 1) return only;
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return nodeHash(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

const clear = ({ bytes }: { readonly bytes: string }): string =>
  Buffer.from(bytes, "base64").toString("utf8");

const replaced = <T>(list: readonly T[], place: number, change: (one: T) => T): T[] =>
  list.map((one, at) => (at === place ? change(one) : one));

test("a whole export holds: as an array, as the answer itself, with its checkpoint", async (t) => {
  const { auditor, entries, note, answer } = await opened(t);
  for (const content of [
    entries,
    { data: entries },
    JSON.stringify({ success: true, data: entries, more: 1 }, null, 2),
  ]) {
    for (const checkpoint of [undefined, note, `${note}${note}`, answer]) {
      const { code, verdict, text } = await auditor.judge(content, checkpoint);
      assert.equal(code, 0, text);
      assert.equal(at(verdict, "entries"), entries.length);
      assert.equal(at(verdict, "head"), entries.at(-1)?.hash);
      assert.equal(at(verdict, "vouched"), checkpoint === undefined ? 0 : entries.length);
    }
  }
  const { verdict } = await auditor.judge(entries);
  assert.match(JSON.stringify(at(verdict, "notProven")), /rewritten chain or a cut tail/);
});

test("each way to tamper is found and named by its sequence", async (t) => {
  const { auditor, entries, note } = await opened(t);
  const size = entries.length;
  const place = entries.findIndex(({ action }) => action === "order.placed");
  const sequence = place + 1;
  const swap = entries.toSpliced(place, 2, ...entries.slice(place, place + 2).reverse());
  const flipped = replaced(entries, place, (entry) => altered(entry, '"bid"', '"ask"'));
  const otherParts = (change: (entry: Exported) => Exported["parts"]) =>
    replaced(entries, place, (entry) => ({ ...entry, parts: change(entry) }));
  const cases: readonly (readonly [string, unknown, number])[] = [
    ["a cut tail", entries.slice(0, -2), size - 1],
    ["an altered byte", flipped, sequence],
    [
      "an altered byte of a part",
      replaced(entries, place, (entry) => alteredPart(entry, '"BUY"', '"SEL"')),
      sequence,
    ],
    [
      "another salt",
      otherParts(({ parts }) => replaced(parts, 0, (part) => ({ ...part, salt: "0" }))),
      sequence,
    ],
    ["a part twice", otherParts(({ parts }) => [...parts, ...parts]), sequence],
    ["a part of another entry", otherParts(() => entries[place + 1]?.parts ?? []), sequence],
    ["a part that is none", otherParts(() => [{ salt: "", bytes: "%" }]), sequence],
    ["a swapped pair", swap, sequence],
    ["a dropped entry", entries.toSpliced(place, 1), sequence],
    [
      "a doubled entry",
      entries.toSpliced(place, 0, ...entries.slice(place, sequence)),
      sequence + 1,
    ],
    ["a rewritten chain", resealed(flipped), 1],
    ["a dropped entry, resealed", resealed(entries.toSpliced(place, 1)), size],
    ["an entry too many", resealed([...entries, ...entries.slice(-1)]), -1],
    ["a file that breaks off", JSON.stringify(entries).slice(0, -9), size],
    [
      "another action",
      replaced(entries, place, (e) => ({ ...e, action: "order.cancelled" })),
      sequence,
    ],
    ["another user", replaced(entries, place, (e) => ({ ...e, userId: "root" })), sequence],
    ["another time", replaced(entries, place, (e) => ({ ...e, timestamp: 1 })), sequence],
    ["another success", replaced(entries, place, (e) => ({ ...e, success: false })), sequence],
    ["another id", replaced(entries, place, (e) => ({ ...e, id: "aud-1" })), sequence],
    ["another link", replaced(entries, place, (e) => ({ ...e, previousHash: e.hash })), sequence],
    ["no zeros at the start", replaced(entries, 0, (e) => ({ ...e, previousHash: e.hash })), 1],
    ["another hash", replaced(entries, place, (e) => ({ ...e, hash: e.previousHash })), sequence],
    ["bytes that are no base64", replaced(entries, place, (e) => ({ ...e, bytes: "%" })), sequence],
    [
      "an entry without a sequence",
      replaced(entries, place, (e) => ({ ...e, sequence: 0.5 })),
      sequence,
    ],
  ];
  for (const [what, content, brokenAt] of cases) {
    const judged = await auditor.judge(content, note);
    if (brokenAt < 0) {
      // Nothing contradicts it, and it says that nobody vouches for the last one.
      assert.equal(judged.code, 0, `${what}: ${judged.text}`);
      assert.equal(at(judged.verdict, "vouched"), size);
      continue;
    }
    assert.equal(judged.code, 1, `${what}: ${judged.text}`);
    assert.equal(judged.brokenAt, brokenAt, `${what}: ${judged.text}`);
  }
});

test("an export may be spelled otherwise, and is not believed for it", async (t) => {
  const { auditor, entries, note } = await opened(t);
  const sequence = placeIn(entries) + 1;
  for (const { what, content, code } of spelledExports(entries)) {
    const judged = await auditor.judge(content, note);
    assert.equal(judged.code, code, `${what}: ${judged.text}`);
    assert.equal(judged.brokenAt, code === 1 ? sequence : undefined, `${what}: ${judged.text}`);
  }
});

test("a part is hashed with its salt as UTF-8, whatever salt it has", async (t) => {
  const { auditor, entries } = await opened(t);
  const place = placeIn(entries);
  for (const salt of ["é".repeat(64), "\u{1f3e0}".repeat(32), "0".repeat(63), "0".repeat(65), ""]) {
    const other = replaced(entries, place, (entry) => {
      const [part] = entry.parts;
      assert.ok(part !== undefined);
      const named = altered(entry, hashOfPart(part), hashOfPart({ ...part, salt }));
      return { ...named, parts: replaced(entry.parts, 0, () => ({ ...part, salt })) };
    });
    const { code, text } = await auditor.judge(resealed(other));
    assert.equal(code, 0, `${salt}: ${text}`);
  }
});

test("some of it is found without any checkpoint", async (t) => {
  const { auditor, entries } = await opened(t);
  const brokenOff = await auditor.judge(JSON.stringify(entries).slice(0, -9));
  assert.deepEqual([brokenOff.code, brokenOff.brokenAt], [1, entries.length], brokenOff.text);
  const elsewhere = await auditor.judge(resealed(entries, "1".repeat(64)));
  assert.deepEqual([elsewhere.code, elsewhere.brokenAt], [1, 1], elsewhere.text);
});

test("a note is believed only under the key in hand", async (t) => {
  const { auditor, entries, note } = await opened(t);
  const other = new Auditor(
    await temporaryFolder(t, "firstprint-verify-"),
    auditor.key.replace(/.{8}$/, "AAAAAAAA"),
  );
  assert.equal((await auditor.judge(entries, note.replace(/\n(\d+)\n/, "\n1\n"))).code, 1);
  assert.equal((await auditor.judge(entries, note.replace("firstprint/", "firstprint/x"))).code, 1);
  assert.equal((await auditor.judge(entries, "no note at all")).code, 1);
  // It says what the export says, but nobody signed that.
  const [origin = ""] = note.split("\n");
  const root = Buffer.from(entries[1]?.hash ?? "", "hex").toString("base64");
  const forged = `${origin}\n2\n${root}\n${note.slice(note.indexOf("\n\n") + 1)}`;
  assert.match((await auditor.judge(entries, forged)).text, /is not signed by/);
  assert.equal((await auditor.judge(entries, "")).code, 2);
  assert.equal((await other.judge(entries, note)).code, 2, "the id is of another key");
});

test("an account's own export is judged for what it can prove, and says so", async (t) => {
  const { auditor, own, note, entries } = await opened(t);
  const refused = await auditor.judge(own, note);
  const beforeGap = own.find(({ sequence }, at) => own[at + 1]?.sequence !== sequence + 1);
  assert.deepEqual([refused.code, refused.brokenAt], [1, Number(beforeGap?.sequence) + 1]);
  assert.match(refused.text, /--partial/);
  const { code, verdict, text } = await auditor.judge(own, note, "--partial");
  assert.equal(code, 0, text);
  assert.equal(at(verdict, "vouched"), 0);
  assert.match(JSON.stringify(at(verdict, "notProven")), /gaps.*not known.*begins at entry/);
  const place = own.findIndex(({ action }) => action === "order.placed");
  for (const changed of [
    replaced(own, place, (entry) => altered(entry, '"bid"', '"ask"')),
    replaced(own, place, (entry) => alteredPart(entry, '"BUY"', '"SEL"')),
  ]) {
    const judged = await auditor.judge(changed, note, "--partial");
    assert.deepEqual([judged.code, judged.brokenAt], [1, own[place]?.sequence]);
  }
  assert.ok(numberAt(verdict, "hidden") > 0);
  assert.match(JSON.stringify(at(verdict, "notProven")), /parts are of others/);
  const bare = own.map(({ bytes, ...entry }, at) => (at === place ? entry : { ...entry, bytes }));
  const lacking = await auditor.judge(bare, note, "--partial");
  assert.deepEqual([lacking.code, lacking.brokenAt], [1, own[place]?.sequence], "bytes are needed");

  const since = await auditor.judge(entries.slice(3), note);
  assert.equal(since.code, 0, since.text);
  assert.equal(at(since.verdict, "vouched"), entries.length - 3);
});

test("a kept head of the log vouches for what it covers, and finds a rewritten past", async (t) => {
  const { auditor, entries, own, logHeads } = await opened(t);
  const [kept, newest] = logHeads;
  const keptSize = Number(kept.split("\n")[1]);
  assert.ok(keptSize > 1 && keptSize < entries.length, "it was kept in the middle");
  const judged = async (content: unknown, head: string, ...more: string[]) => {
    const { code, brokenAt, verdict, text } = await auditor.judge(content, head, ...more);
    return { code, brokenAt, vouched: at(verdict, "vouched"), text };
  };
  assert.deepEqual(reproven(entries), entries, "the proofs of the test are those of the exchange");
  assert.equal((await judged(entries, kept)).vouched, keptSize);
  assert.equal((await judged(entries, newest)).vouched, entries.length);
  assert.equal((await judged(entries, kept + newest)).vouched, entries.length);
  assert.equal((await judged(own, newest, "--partial")).vouched, own.length, "gaps or not");
  assert.equal(
    (await judged(own, kept, "--partial")).vouched,
    0,
    "of another size than its proofs",
  );
  const unproven = entries.map((entry) => ({ ...entry, inclusion: null }));
  assert.equal((await judged(unproven, newest)).vouched, entries.length, "the entries are enough");
  const cut = await judged(entries.slice(0, -1), newest);
  assert.deepEqual([cut.code, cut.brokenAt], [1, entries.length], cut.text);

  const past = rewrittenAt(entries, 1);
  for (const [content, head, reason, ...more] of [
    [past, kept, /was rewritten/],
    [past, newest, /was rewritten/],
    [reproven(past), kept, /was rewritten/],
    [reproven(past), newest, /is not in the log/],
    [reproven(past).slice(1), newest, /is not in the log/, "--partial"],
  ] as const) {
    const told = await judged(content, head, ...more);
    assert.equal(told.code, 1, told.text);
    assert.match(told.text, reason);
  }
  const since = rewrittenAt(entries, keptSize);
  assert.equal((await judged(since, kept)).vouched, keptSize);
  assert.equal((await judged(since, kept + newest)).brokenAt, keptSize + 1);
});

test("what is no export is not judged, and the usage is held to", async (t) => {
  const { auditor, entries, note } = await opened(t);
  for (const content of ["", "{}", "nonsense", '{"rows":[]}', "[1]", "[] trailing", '{"data":[]']) {
    assert.equal((await auditor.judge(content)).code, 2, content);
  }
  assert.equal((await auditor.judge([])).code, 0, "an empty one holds, and proves nothing");
  assert.equal((await auditor.judge([], note)).code, 1, "but not beside a checkpoint");
  for (const words of [
    [],
    ["absent.json"],
    ["a", "b"],
    ["a", "--checkpoint", "b"],
    ["a", "--odd"],
  ]) {
    const { code, text } = await verifyAudit(words);
    assert.equal(code, 2, text);
    assert.match(text, /^Nothing could be judged: /);
  }
  const strings = entries.map((entry) => ({ odd: '\\"]}{[\\', nested: [{ a: "}" }], ...entry }));
  assert.equal((await auditor.judge(strings)).code, 0, "brackets in strings are no brackets");
});

test("the verifier knows every command by the name the exchange gives it", () => {
  const named = Object.entries(commands).map(([type, { action }]) => [type, action]);
  assert.deepEqual(Object.fromEntries(actions), Object.fromEntries(named));
});

test("the program runs on its own and says it in a sentence", async (t) => {
  const { auditor, entries, note } = await opened(t);
  await auditor.judge(entries, note);
  const program = new URL("../../tools/verify-audit.ts", import.meta.url).pathname;
  const { status, stdout } = spawnSync(process.execPath, [program, ...auditor.words], {
    encoding: "utf8",
    env: {},
  });
  assert.equal(status, 0);
  assert.match(stdout, new RegExp(`^The export holds: ${entries.length} entries from 1 to`));
  assert.match(stdout, new RegExp(`vouches for ${entries.length} of them\\.$`, "m"));
});

test("the command says of a kept head what the program says", async (t) => {
  const { auditor, entries, logHeads } = await opened(t);
  const command = fileURLToPath(import.meta.resolve("#cli/main.ts"));
  const check = async (content: unknown) => {
    await auditor.judge(content, logHeads[0]);
    const [file = "", , signed = ""] = auditor.words;
    const words = ["audit", "check", file, "--checkpoint", signed, "--verifier-key", auditor.key];
    const { PATH = "" } = process.env;
    const env = { PATH };
    return spawnSync(process.execPath, [command, ...words], { encoding: "utf8", env });
  };
  const honest = await check(entries);
  assert.equal(honest.status, 0, honest.stderr);
  const keptSize = logHeads[0].split("\n")[1];
  assert.match(honest.stdout, new RegExp(`vouches for ${keptSize} of them\\.$`, "m"));
  const past = await check(rewrittenAt(entries, 1));
  assert.deepEqual([past.status, past.stderr], [1, ""]);
  assert.match(past.stdout, /^The export does not hold\. Entry 1: .* head of the log .*rewritten/);
});

interface WorkedExample {
  readonly auditor: Auditor;
  readonly example: string;
  readonly note: string;
}

async function workedExample(t: TestContext): Promise<WorkedExample> {
  const file = new URL("../../docs/reference/audit.md", import.meta.url);
  const [, section = ""] = (await readFile(file, "utf8")).split("## A worked example");
  const [example = "", note = "", key = ""] = [
    ...section.matchAll(/^```(?:json)?\n(.*?)^```$/gms),
  ].map(([, block = ""]) => block);
  const folder = await temporaryFolder(t, "firstprint-verify-");
  return { auditor: new Auditor(folder, key.trim()), example, note };
}

test("two notes of one size over different heads betray their signer", async (t) => {
  const { auditor, example, note } = await workedExample(t);
  // Test key 1 of RFC 8032, the one that signed the example.
  const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const [origin = "", size = ""] = note.split("\n");
  const signed = Buffer.from(note.slice(note.lastIndexOf(" ") + 1).trim(), "base64");
  const text = `${origin}\n${size}\n${Buffer.alloc(32, 7).toString("base64")}\n`;
  const signature = Buffer.concat([signed.subarray(0, 4), sign(null, Buffer.from(text), key)]);
  const other = `${text}\n— ${origin} ${signature.toString("base64")}\n`;
  for (const notes of [note + other, other + note]) {
    const judged = await auditor.judge(example, notes);
    assert.deepEqual([judged.code, judged.brokenAt], [1, 2], judged.text);
    assert.match(judged.text, /signed over different heads/);
  }
  assert.match((await auditor.judge(example, other)).text, /was rewritten/);
});

test("the worked example of the reference holds, byte for byte", async (t) => {
  const { auditor, example, note } = await workedExample(t);
  const judged = await auditor.judge(example, note);
  assert.equal(judged.code, 0, judged.text);
  assert.equal(at(judged.verdict, "vouched"), 2);
  const entries: readonly Exported[] = JSON.parse(example).data;
  for (const { hash, previousHash, sequence, bytes } of entries) {
    assert.equal(hashOf(previousHash, sequence, bytes), hash, "by the widths of the page");
  }
});
