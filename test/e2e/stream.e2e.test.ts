// A reader of the stream that is cut off again and again, of a server that is killed with it,
// under a load of orders: it sees each entry once, in order, and all that the journal has.
// `FIRSTPRINT_STREAM_LIVES=6 node --test test/e2e/stream.e2e.test.ts`: so many kills.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "#core/outcome.ts";
import { eventsOf } from "#test/http/event-reader.ts";
import { randomFrom } from "#test/ingest/wide-file.ts";
import { entryShown } from "#test/support/disclosed.ts";
import { at, Exchange, listAt, numberAt } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { publicEvents } from "#views/public-events.ts";
import { LoadClient } from "./load-client.ts";
import { furnish, type TradedWorld } from "./traded-world.ts";

const LIVES = sizeOfRun("FIRSTPRINT_STREAM_LIVES", 6);
const CUTS_A_LIFE = 35;
const CLIENTS = 4;
/** Enough that the reader never waits long. */
const PAUSE_MILLIS = 10;
const MOST_READ = 16;

/** A reader's record: the text of each entry, and the id it comes back with. */
class Reader {
  readonly entries: { readonly sequence: number; readonly text: string }[] = [];
  #last = 0;

  /** Reads so many messages, or up to an entry, and leaves in the middle of what is on its way. */
  async readSome({ exchange }: TradedWorld, most: number, upTo = Number.POSITIVE_INFINITY) {
    const cut = new AbortController();
    try {
      const response = await fetch(`${exchange.url}/api/stream`, {
        headers: { "last-event-id": String(this.#last) },
        signal: cut.signal,
      });
      assert.equal(response.status, 200);
      assert.ok(response.body !== null);
      let left = most;
      for await (const one of eventsOf(response.body)) {
        this.#keep(one.event, one.id, one.data);
        left -= 1;
        if (left <= 0 || this.#last >= upTo) break;
      }
    } catch (fault) {
      // The server was killed under us.
      if (fault instanceof assert.AssertionError) throw fault;
    } finally {
      cut.abort();
    }
  }

  #keep(event: string, id: string | undefined, data: unknown): void {
    assert.notEqual(event, "error", JSON.stringify(data));
    const sequence = Number(id);
    assert.ok(sequence >= this.#last, `${sequence} does not come after ${this.#last}`);
    if (event === "entry") {
      assert.ok(sequence > this.#last, `entry ${sequence} comes once`);
      this.entries.push({ sequence, text: JSON.stringify(data) });
    }
    this.#last = sequence;
  }

  get last(): number {
    return this.#last;
  }
}

/** The stream of every entry of the journal, from the bytes that are hashed. */
async function journalOf({ exchange, auditor }: TradedWorld): Promise<readonly Entry[]> {
  const exported = await exchange.get("/api/audit/export", { key: auditor.key });
  return listAt(exported.body, "data").map((item) => entryShown(item));
}

function shownBy(entries: readonly Entry[]) {
  return entries.flatMap((entry) => {
    const events = publicEvents(entry, () => "Data from a made-up market");
    return events.length === 0 ? [] : [{ sequence: entry.sequence, events }];
  });
}

const headOf = async ({ exchange }: TradedWorld): Promise<number> =>
  numberAt((await exchange.get("/api/status")).body, "durableSequence");

test("a stream reader killed and resumed sees every entry once, in order", async (t) => {
  const world = await furnish(
    await Exchange.start(t, { FIRSTPRINT_MAX_KEY_RATE: "1000000" }),
    ["CANARYONE Capital", "CANARYTWO Re"],
    "1000000",
    "CANARYAUDITOR",
  );
  const { exchange, traders, market } = world;
  const random = randomFrom(31);
  const draw = (bound: number): number => Math.floor(random() * bound);
  const reader = new Reader();
  let cuts = 0;
  for (let life = 1; life <= LIVES; life += 1) {
    const clients = Array.from({ length: CLIENTS }, (_, at) => {
      const trader = traders[at % traders.length];
      assert.ok(trader !== undefined);
      return new LoadClient(`life${life}-${at}`, trader, market, draw);
    });
    const runs = clients.map((client) => client.run(exchange, () => undefined, PAUSE_MILLIS));
    for (let count = 0; count < CUTS_A_LIFE; count += 1) {
      await reader.readSome(world, 1 + draw(MOST_READ));
      cuts += 1;
    }
    const reading = reader.readSome(world, Number.POSITIVE_INFINITY);
    await exchange.kill();
    await Promise.all([...runs, reading]);
    await exchange.up();
  }

  const head = await headOf(world);
  while (reader.last < head) await reader.readSome(world, MOST_READ, head);
  const whole = new Reader();
  while (whole.last < head) await whole.readSome(world, head, head);
  assert.deepEqual(
    reader.entries,
    whole.entries,
    "what was read in pieces is what is read at once",
  );

  const shown = shownBy(await journalOf(world));
  assert.ok(shown.length > cuts, `there was much to see: ${shown.length} entries`);
  const seen = reader.entries.map(({ text }) => JSON.parse(text));
  assert.deepEqual(
    seen.map((entry) => [at(entry, "sequence"), listAt(entry, "events").length]),
    shown.map(({ sequence, events }) => [sequence, events.length]),
    "nothing of the journal is missing",
  );
  const text = reader.entries.map((entry) => entry.text).join("\n");
  for (const { id, address, key } of [...traders, world.auditor]) {
    for (const canary of [`"${id}"`, address, key]) assert.ok(!text.includes(canary), canary);
  }
  assert.doesNotMatch(text, /CANARY|"(?:ord|key|acc)-\d/);
  t.diagnostic(`${seen.length} entries over ${cuts} cuts and ${LIVES} kills`);
});
