// The stream's source by itself: any cut and any pace give the same whole; nobody waits for others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as pause, setTimeout as sleep } from "node:timers/promises";
import type { Entry } from "#core/outcome.ts";
import { Feed, type FeedOptions, MOST_STREAMS } from "#http/stream/feed.ts";
import type { FeedFilter } from "#http/stream/feed-message.ts";
import { tellingOf } from "#http/stream/feed-message.ts";
import type { FeedReader } from "#http/stream/feed-reader.ts";
import { RandomTrading } from "#test/core/random-trading.ts";
import { at, textAt } from "#test/support/exchange.ts";
import { publicEventTypes } from "#views/public-events.ts";
import { entriesUpTo, eventsOf, lineOf, type ServerSent } from "./event-reader.ts";

const everything: FeedFilter = { markets: undefined, types: undefined };

interface Scope {
  after(end: () => void): void;
}

/** A journal that grows by hand, and the feed of it. */
class Source {
  readonly feed: Feed;
  readonly #journal: readonly Entry[];
  #durable = 0;
  reads = 0;

  constructor(t: Scope, journal: readonly Entry[], more: Partial<FeedOptions> = {}) {
    this.#journal = journal;
    this.feed = new Feed({
      history: { after: (sequence, limit) => this.#after(sequence, limit) },
      durableSequence: () => this.#durable,
      telling: (entry) => tellingOf(entry, (release) => `Data from the maker of ${release}`),
      onFault: assert.ifError,
      // A reader at the end of a journal hears of it by a heartbeat.
      heartbeatMillis: 20,
      ...more,
    });
    t.after(() => this.feed.end());
  }

  async #after(sequence: number, limit: number): Promise<readonly Entry[]> {
    this.reads += 1;
    await pause();
    return this.#journal.slice(sequence, Math.min(this.#durable, sequence + limit));
  }

  /** The next entries become durable, as one batch. */
  grow(count: number): void {
    const batch = this.#journal.slice(this.#durable, this.#durable + count);
    this.#durable += batch.length;
    for (const entry of batch) this.feed.take(entry);
  }

  open(after: number | undefined, filter = everything, owner = "key 1"): FeedReader {
    const opened = this.feed.open(owner, filter, after);
    assert.ok("reader" in opened, JSON.stringify(opened));
    return opened.reader;
  }
}

function journalOf(seed: number, commands: number): readonly Entry[] {
  const trading = new RandomTrading(seed);
  for (let count = 0; count < commands; count += 1) trading.next();
  return trading.world.journal;
}

/** Reads up to an entry, then leaves. */
async function read(reader: FeedReader, upTo: number): Promise<readonly ServerSent[]> {
  const entries = await entriesUpTo(eventsOf(reader), upTo);
  reader.destroy();
  return entries;
}

const lines = (entries: readonly ServerSent[]): readonly string[] => entries.map(lineOf);

test("resumed after any entry, what was read makes the whole", async (t) => {
  const journal = journalOf(13, 500);
  // At the end the newer half is still in memory, so that both are read, and across the seam.
  const source = new Source(t, journal, { waitingBytes: 20_000 });
  const live = read(source.open(undefined), journal.length);
  while (source.feed.durableSequence < journal.length) {
    source.grow(7);
    await pause();
  }
  const whole = lines(await live);
  assert.ok(whole.length > 100, "there was much to tell");
  assert.deepEqual(lines(await read(source.open(0), journal.length)), whole, "told from the start");
  assert.ok(source.feed.recent(0) === undefined && source.feed.recent(journal.length - 50), "seam");
  for (let cut = 0; cut <= journal.length; cut += 1) {
    const before = whole.filter((line) => Number.parseInt(line, 10) <= cut);
    const rest = lines(await read(source.open(cut), journal.length));
    assert.deepEqual([...before, ...rest], whole, `cut after ${cut}`);
  }
});

test("a reader cut anywhere while the journal grows comes back to where it was", async (t) => {
  const journal = journalOf(12, 600);
  const source = new Source(t, journal, { waitingBytes: 20_000 });
  const other = read(source.open(0), journal.length);
  const growing = (async () => {
    while (source.feed.durableSequence < journal.length) {
      source.grow(1 + (source.feed.durableSequence % 5));
      await pause();
    }
  })();
  const got: string[] = [];
  let last = 0;
  for (let turn = 0; last < journal.length; turn += 1) {
    const reader = source.open(last);
    const pieces: ServerSent[] = [];
    for await (const one of eventsOf(reader)) {
      assert.notEqual(one.event, "error");
      pieces.push(one);
      last = Number(one.id ?? last);
      if (pieces.length > turn % 9 || last >= journal.length) break;
    }
    got.push(...lines(pieces.filter(({ event }) => event === "entry")));
    if (turn % 3 === 0) await pause();
  }
  await growing;
  assert.deepEqual(got, lines(await other));
});

test("a heartbeat comes at once and then from time to time, and can be resumed from", async (t) => {
  const journal = journalOf(13, 200);
  const source = new Source(t, journal, { heartbeatMillis: 5 });
  source.grow(40);
  await pause();
  const reader = source.open(undefined, {
    markets: new Set(["nowhere"]),
    types: new Set(["mark"]),
  });
  const beats: ServerSent[] = [];
  for await (const one of eventsOf(reader)) {
    assert.equal(one.event, "heartbeat", "nothing else is wanted");
    assert.equal(Number(one.id), at(one.data, "sequence"));
    if (beats.push(one) === 3) source.grow(10);
    if (at(one.data, "sequence") === 50) break;
  }
  assert.deepEqual(beats[0]?.data, { sequence: 40, head: 40 });
  assert.deepEqual(beats.at(-1)?.data, { sequence: 50, head: 50 });
});

test("a filter takes out what is not wanted and moves nothing", async (t) => {
  const journal = journalOf(14, 400);
  const source = new Source(t, journal);
  source.grow(journal.length);
  const whole = await read(source.open(0), journal.length);
  const ids = new Set(whole.flatMap(eventsIn).flatMap((event) => at(event, "marketId") ?? []));
  const [market] = ids;
  assert.ok(ids.size > 1 && typeof market === "string", "there are several markets");
  const choices = [undefined, ...publicEventTypes.map((type) => new Set([type]))];
  for (const types of choices) {
    for (const markets of [undefined, new Set([market])]) {
      const wanted = (event: unknown): boolean => {
        const [type, id] = [textAt(event, "type"), at(event, "marketId")];
        const fits = markets === undefined || id === undefined || id === market;
        return (
          fits && (types === undefined || publicEventTypes.some((t) => t === type && types.has(t)))
        );
      };
      const expected = whole.flatMap((one) => {
        const events = eventsIn(one).filter(wanted);
        return events.length === 0 ? [] : `${one.id} ${JSON.stringify(events)}`;
      });
      const got = await read(source.open(0, { markets, types }), journal.length);
      assert.deepEqual(lines(got), expected);
    }
  }
});

test("a filter set anew holds from the answered entry on, wherever the reader is", async (t) => {
  const journal = journalOf(18, 600);
  const types = publicEventTypes.map((type) => new Set([type]));
  for (let round = 0; round < 40; round += 1) {
    const source = new Source(t, journal, { waitingBytes: 20_000 });
    source.grow(round * 7);
    await pause();
    const isHeld = round % 3 === 0;
    const after = Math.min(round * 5, source.feed.durableSequence);
    const opened = source.feed.open("key 1", { ...everything, types: types[0] }, after, {
      id: `str-${round}`,
      isHeld,
    });
    assert.ok("reader" in opened);
    const { reader } = opened;
    const reading = read(reader, journal.length);
    const chosen = [{ from: isHeld ? Number.MAX_SAFE_INTEGER : after, types: types[0] }];
    for (let turn = round; source.feed.durableSequence < journal.length; turn += 1) {
      const next = types[turn % types.length];
      const from = source.feed.change(`str-${round}`, { ...everything, types: next });
      assert.ok(from !== undefined && from >= after && from <= source.feed.durableSequence);
      chosen.push({ from, types: next });
      source.grow(1 + (turn % 40));
      for (let pauses = turn % 4; pauses > 0; pauses -= 1) await pause();
    }
    const whole = await read(source.open(after), journal.length);
    const expected = whole.flatMap((one) => {
      const held = chosen.findLast(({ from }) => from < Number(one.id));
      const events = eventsIn(one).filter((event) =>
        publicEventTypes.some((type) => type === at(event, "type") && held?.types?.has(type)),
      );
      return events.length === 0 ? [] : `${one.id} ${JSON.stringify(events)}`;
    });
    assert.deepEqual(lines(await reading), expected, `round ${round}`);
    assert.equal(source.feed.change(`str-${round}`, everything), undefined, "it has ended");
  }
});

function eventsIn({ data }: ServerSent): readonly unknown[] {
  const events = at(data, "events");
  return Array.isArray(events) ? events : [];
}

test("who has caught up and then does not read is cut and told so; others are not", async (t) => {
  const journal = journalOf(15, 1_500);
  const source = new Source(t, journal, { waitingBytes: 30_000 });
  const prompt = read(source.open(0), journal.length);
  const slow = source.open(undefined);
  // Begins to read, so that it is live, and then reads no more than is handed to it at once.
  slow.read();
  await pause();
  while (source.feed.durableSequence < journal.length - 10) {
    source.grow(10);
    await pause();
  }
  const closed = new Promise((done) => slow.once("close", done));
  // The prompt one leaves with the last entry.
  assert.equal(source.feed.size, 2, "both are there");
  source.grow(journal.length - source.feed.durableSequence);
  await pause();
  const rest = [];
  for await (const one of eventsOf(slow)) {
    rest.push(one);
    if (at(one.data, "sequence") === journal.length) break;
  }
  await closed;
  assert.equal(rest.at(-1)?.event, "error");
  assert.equal(at(rest.at(-1)?.data, "code"), "SLOW_READER");

  const whole = lines(await prompt);
  const read1 = lines(rest.filter(({ event }) => event === "entry"));
  const last = rest.findLast(({ id }) => id !== undefined)?.id;
  assert.ok(read1.length < whole.length, "it missed something");
  const read2 = lines(await read(source.open(Number(last)), journal.length));
  assert.deepEqual([...read1, ...read2], whole, "and can read that after all");
});

test("a reader that is cut and still does not read is gone before long", async (t) => {
  const journal = journalOf(15, 1_500);
  const source = new Source(t, journal, { waitingBytes: 10_000 });
  const slow = source.open(undefined);
  slow.read();
  while (source.feed.durableSequence < journal.length) {
    source.grow(10);
    await pause();
  }
  const gone = new Promise((done) => slow.once("close", done));
  await Promise.race([gone, sleep(5_000).then(() => assert.fail("it is still there"))]);
  assert.equal(source.feed.size, 0);
});

test("idle readers hold what they have not read in common", async (t) => {
  const journal = journalOf(16, 1_200);
  const source = new Source(t, journal);
  const readers = Array.from({ length: 1_000 }, (_, at) =>
    source.open(undefined, everything, `key ${at % 20}`),
  );
  for (const reader of readers) reader.read();
  await pause();
  while (source.feed.durableSequence < journal.length) {
    source.grow(50);
    await pause();
  }
  const held = readers.map(({ readableLength }) => readableLength);
  assert.ok(Math.max(...held) < 200_000, `nobody holds more than a portion or two: ${held[0]}`);
  assert.equal(source.reads, 0, "nothing was read from the journal for them");
});

test("an address, a key and all together have so many streams; leaving frees one", async (t) => {
  const source = new Source(t, []);
  for (const [owner, most] of [
    ["ip 192.0.2.1", MOST_STREAMS.address],
    ["key 9", MOST_STREAMS.key],
  ] as const) {
    const mine = Array.from({ length: most }, () => source.open(undefined, everything, owner));
    assert.deepEqual(source.feed.open(owner, everything, undefined), { refused: "STREAM_LIMIT" });
    mine[0]?.destroy();
    await pause();
    source.open(undefined, everything, owner);
    assert.deepEqual(source.feed.open(owner, everything, undefined), { refused: "STREAM_LIMIT" });
  }
});

test("half of the streams are kept for accounts' keys, whoever takes the others", async (t) => {
  const source = new Source(t, []);
  const open = (owner: string) => source.feed.open(owner, everything, undefined);
  for (let at = 0; source.feed.size < MOST_STREAMS.strangers; at += 1) {
    const ofAddress = `ip 192.0.2.${Math.floor(at / MOST_STREAMS.address)}`;
    const ofPublicKey = `public key ${Math.floor(at / MOST_STREAMS.key)}`;
    const owner = at < 500 ? ofAddress : ofPublicKey;
    source.open(undefined, everything, owner);
  }
  assert.deepEqual(open("ip 203.0.113.9"), { refused: "OVERLOADED" });
  assert.deepEqual(open("public key 99"), { refused: "OVERLOADED" });
  let ofKey: ReturnType<typeof source.open> | undefined;
  for (let at = 0; source.feed.size < MOST_STREAMS.all; at += 1) {
    ofKey = source.open(undefined, everything, `key ${Math.floor(at / MOST_STREAMS.key)}`);
  }
  assert.deepEqual(open("key 99"), { refused: "OVERLOADED" });

  // A place that a key leaves is a key's.
  ofKey?.destroy();
  await pause();
  assert.deepEqual(open("ip 203.0.113.9"), { refused: "OVERLOADED" });
  source.open(undefined, everything, "key 99");
});

test("an id still to come is refused; at the end every reader is told", async (t) => {
  const source = new Source(t, journalOf(17, 60));
  source.grow(10);
  assert.deepEqual(source.feed.open("key 1", everything, 11), { refused: "SEQUENCE_AHEAD" });
  const reader = source.open(10);
  const changeable = { id: "str-1", isHeld: false };
  source.feed.open("key 1", everything, 10, changeable);
  assert.equal(source.feed.change("str-1", everything), 10);
  source.feed.end();
  assert.equal(source.feed.change("str-1", everything), undefined, "it is ending");
  const events = [];
  for await (const one of eventsOf(reader)) events.push(one);
  assert.equal(at(events.at(-1)?.data, "code"), "STOPPING");
  assert.deepEqual(source.feed.open("key 1", everything, 10), { refused: "STOPPING" });
});

test("a journal that cannot be read ends the stream with a reason, and is reported", async (t) => {
  const faults: unknown[] = [];
  const history = { after: () => Promise.reject(new Error("out of reach")) };
  const onFault = (error: unknown): void => void faults.push(error);
  const source = new Source(t, journalOf(18, 60), { history, onFault });
  source.grow(20);
  await pause();
  const events = [];
  for await (const one of eventsOf(source.open(3))) events.push(one);
  assert.deepEqual(
    events.map(({ event }) => event),
    ["heartbeat", "error"],
  );
  assert.equal(at(events[1]?.data, "code"), "INTERRUPTED");
  assert.match(String(faults[0]), /out of reach/);
});

test("an entry that cannot be told cuts the readers there, and those after it are told", async (t) => {
  const journal = journalOf(9, 300);
  const [odd, faults] = [150, [] as unknown[]];
  const telling: FeedOptions["telling"] = (entry) => {
    if (entry.sequence === odd) throw new Error("a message of ours that cannot be made");
    return tellingOf(entry, () => "");
  };
  const onFault = (error: unknown): void => void faults.push(error);
  const source = new Source(t, journal, { telling, onFault });
  source.grow(100);
  const cut = eventsOf(source.open(undefined));
  source.grow(journal.length);
  const events = await Array.fromAsync(cut);
  assert.equal(textAt(events.at(-1)?.data, "code"), "INTERRUPTED");
  assert.match(String(faults[0]), /no stream can tell entry 150 of request/);

  const whole = new Source(t, journal);
  whole.grow(journal.length);
  const after = (from: Source) => entriesUpTo(eventsOf(from.open(odd)), journal.length);
  const [later, expected] = [await after(source), await after(whole)];
  assert.ok(expected.length > 0);
  assert.deepEqual(later.map(idOf), expected.map(idOf));
  assert.equal(faults.length, 1, "told once");
});

const idOf = ({ id }: ServerSent): string | undefined => id;
