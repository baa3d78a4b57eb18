// Vintages of a month: the first print by its own record, later files as they have it, one at a
// time, each read once, and no more waited for than there is room.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { ReleaseId } from "#base/ids.ts";
import { monthOf, parseMonth } from "#base/month.ts";
import { parsePrintValue } from "#base/print-value.ts";
import type { ReleaseIntakePort } from "#http/ports.ts";
import type { MonthRow } from "#prints/first-prints.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";

const unused = (): never => assert.fail("vintages alone are read");

/** Each release carries 1,000 times its number for every month of 2024; the third carries none. */
class Files {
  readonly read: ReleaseId[] = [];
  most = 0;
  #now = 0;
  #hold: Promise<void> = Promise.resolve();

  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hold = promise;
    return resolve;
  }

  port(): ReleaseIntakePort {
    return {
      ...{ ingest: unused, approve: unused, approvePlace: unused, rejectPlace: unused },
      ...{ renamePlace: unused, diff: unused },
      vintage: (release) => this.#vintage(release),
    };
  }

  async #vintage(release: ReleaseId): Promise<MonthRow | undefined> {
    this.read.push(release);
    this.#now += 1;
    this.most = Math.max(this.most, this.#now);
    await this.#hold;
    this.#now -= 1;
    const number = Number(release.slice("rel-".length));
    const value = parsePrintValue(String(1_000 * number));
    assert.ok(value !== undefined);
    return number === 3
      ? undefined
      : { firstMonth: monthOf(2024, 1), values: Array.from({ length: 12 }, () => value) };
  }
}

async function opened(t: Parameters<typeof PublicWorld.open>[0]) {
  const files = new Files();
  const world = await PublicWorld.open(t, { intakeOf: () => files.port() });
  await world.printStates("zhvi");
  for (const [at, state] of ["state:ca", "state:ny", "state:tx"].entries()) {
    await world.admin("POST", "clock", { setTo: `2024-12-${20 + at}T00:00:00Z` });
    await world.printNext("zhvi", state, "250000");
  }
  const list = async (query: string): Promise<unknown> => {
    const { status, body } = await world.get(`/api/index/state:tx/vintages?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return { world, files, list };
}

const SHOWN = ["releaseId", "value", "isFirstPrint", "revised"];
const rows = (answer: unknown): unknown[] =>
  listAt(answer, "data").map((item) => SHOWN.map((name) => at(item, name)));

test("the first print stands first, and each later file with what it carries", async (t) => {
  const { world, files, list } = await opened(t);
  const first = await list("month=2024-10&limit=5");
  const prints = (await world.get("/api/index/state:tx/prints?limit=2")).body;
  const printed = listAt(prints, "data").find((one) => at(one, "month") === "2024-10");
  assert.deepEqual(rows(first), [
    ["rel-1", textAt(printed, "value"), true, false],
    ["rel-2", "2000", false, true],
    ["rel-3", null, false, false],
    ["rel-4", "4000", false, true],
  ]);
  assert.deepEqual(files.read, ["rel-2", "rel-3", "rel-4"], "the print's own file is not read");
  assert.match(textAt(first, "data", 1, "attribution"), /^Data from /);
  assert.equal(at(first, "data", 1, "ingestedAt"), "2024-12-20T00:00:00.000Z");

  // Months of a line that was read cost no file; a line that was not there is looked for again.
  assert.equal(rows(await list("month=2024-09&limit=5")).length, 4);
  assert.deepEqual(files.read.slice(3), ["rel-3"]);
  assert.deepEqual(rows(await list("month=2024-11")), [["rel-4", "250000", true, false]]);
  const second = await list("month=2024-10&limit=1&page=2");
  assert.deepEqual(rows(second), [["rel-2", "2000", false, true]]);
  assert.equal(at(second, "pagination", "total"), 4);
});

test("one file is read at a time, and beyond ten none is waited for", async (t) => {
  const { world, files } = await opened(t);
  const release = files.hold();
  const states = ["ca", "ny", "tx", "fl"];
  const urls = states.map((state) => `/api/index/state:${state}/vintages?month=2024-10&limit=5`);
  const asked = urls.map((url) => world.get(url));
  // Three are under way with three files each: the fourth is told so.
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  assert.equal(files.read.length, 1);
  release();
  const answers = await Promise.all(asked);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 503]);
  const refused = answers.find(({ status }) => status === 503);
  assert.equal(at(refused?.body, "code"), "OVERLOADED");
  assert.equal(files.most, 1);
  assert.equal((await world.get(urls[3] ?? "")).status, 200, "there is room again");
});

test("a month without a print, a wrong query and no place are refused by name", async (t) => {
  const { world, files } = await opened(t);
  assert.ok(parseMonth("2030-01") !== undefined);
  for (const [url, status, code, field] of [
    ["state:tx/vintages", 400, "INVALID_REQUEST", "month"],
    ["state:tx/vintages?month=2024-13", 400, "INVALID_REQUEST", "month"],
    ["state:tx/vintages?month=2024-10&limit=6", 400, "INVALID_REQUEST", "limit"],
    ["state:tx/vintages?month=2024-10&index=cpi", 400, "INVALID_REQUEST", "index"],
    ["state:tx/vintages?month=2030-01", 422, "NO_INDEX_DATA", undefined],
    ["state:tx/vintages?month=2024-10&index=zori", 422, "NO_INDEX_DATA", undefined],
    ["state:zz/vintages?month=2024-10", 404, "NOT_FOUND", undefined],
  ] as const) {
    const answer = await world.get(`/api/index/${url}`);
    const { body } = answer;
    assert.deepEqual(
      [answer.status, at(body, "code"), at(body, "error", "field")],
      [status, code, field],
      url,
    );
  }
  assert.deepEqual(files.read, []);
});
