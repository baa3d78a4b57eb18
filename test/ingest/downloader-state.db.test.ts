// A source as an operator sees it: failures, a refused file, a print that is late, and a check of
// it. Invariant tested: a check takes nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReleaseId } from "#base/ids.ts";
import { addMonths, monthEndMillis, monthOf, parseMonth } from "#base/month.ts";
import type { AcceptedRelease } from "#core/records.ts";
import type { DownloadSource } from "#ingest/downloads/plan.ts";
import { noVisits, stateOf } from "#ingest/downloads/state.ts";
import { expectedPublicationMillis } from "#prints/release.ts";
import { stateFile } from "#test/e2e/sample-files.ts";
import { until } from "#test/e2e/until.ts";
import { ProviderServer, whole } from "./download-server.ts";
import { DownloadsToIntake } from "./downloader-intake.ts";

const DAY_MILLIS = 86_400_000;

const sourceAt = (origin: string): DownloadSource => ({
  ...{ provider: "zillow", index: "zhvi", level: "state", everyHours: 1 },
  url: new URL(`${origin}/state.csv?key=hidden`),
});

test("a source that fails three times, or whose file is refused, is told until it is well", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const server = await ProviderServer.start(t, (response) => response.writeHead(503).end());
  const downloader = await intake.download(sourceAt(server.origin));
  const state = () => downloader.states()[0] ?? assert.fail("no source");
  assert.equal(state().wrongSinceMillis, null);
  await until("it failed three times", () => state().failures >= 3);
  assert.equal(state().file, `${server.origin}/state.csv`, "the query is nobody's to read");
  assert.equal(state().fault?.code, "BAD_STATUS");
  assert.equal(state().wrongSinceMillis, state().failingSinceMillis);
  assert.equal(state().cameAtMillis, null);

  server.play = whole("no such layout\n1,2\n");
  await until("the file is refused", () => state().refusal !== null);
  assert.deepEqual([state().failures, state().fault], [0, null]);
  assert.equal(state().refusal?.code, "OTHER_PROVIDER");
  assert.equal(state().wrongSinceMillis, state().refusal?.atMillis);

  server.play = whole(stateFile().text);
  await until("it is well", () => state().release !== null && state().refusal === null);
  assert.equal(state().release?.id, intake.releases[0]?.id);
  assert.ok((state().cameAtMillis ?? 0) <= Date.now());
  assert.equal(state().address, `${server.origin}/state.csv`);
});

test("a check says what there is, and takes nothing", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const text = stateFile().text;
  const modified = "Mon, 02 Nov 2026 10:00:00 GMT";
  const server = await ProviderServer.start(t, (response) => response.writeHead(404).end());
  intake.leads = false;
  const downloader = await intake.download(sourceAt(server.origin));
  assert.deepEqual(await downloader.check(), [
    {
      outcome: "fault",
      code: "BAD_STATUS",
      message: `${server.origin}/state.csv answers 404.`,
    },
  ]);
  server.play = whole(text, {
    "content-length": String(Buffer.byteLength(text)),
    "last-modified": modified,
  });
  const bytes = Buffer.byteLength(text);
  const address = `${server.origin}/state.csv`;
  assert.deepEqual(await downloader.check(), [
    { outcome: "new", address, bytes, lastModified: modified },
  ]);
  assert.equal(await intake.raw(), 0);
  assert.deepEqual(intake.releases, []);
  intake.leads = true;
  await until("the release", () => intake.releases.length === 1);
  server.play = (response) => response.writeHead(304).end();
  assert.deepEqual(await downloader.check(), [{ outcome: "unchanged", address }]);
});

test("a check of a name with a year finds last year's where this year has none", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const year = new Date().getUTCFullYear();
  const server = await ProviderServer.start(t, (response, { path }) => {
    response.writeHead(path === `/${year - 1}.csv` ? 200 : 404).end();
  });
  intake.leads = false;
  const url = new URL(`${server.origin}/{year}.csv`);
  const downloader = await intake.download({ ...sourceAt(server.origin), url });
  const [asked] = await downloader.check();
  assert.ok(asked?.outcome === "new", JSON.stringify(asked));
  assert.equal(asked.address, `${server.origin}/${year - 1}.csv`);
});

const releaseTo = (lastMonth: string, more: Partial<AcceptedRelease> = {}) => {
  const release = {
    ...{ id: `rel-${lastMonth}`, index: "zhvi", level: "state", provider: "zillow" },
    ...{ lastMonth: parseMonth(lastMonth), ...more },
  } as unknown as AcceptedRelease;
  return [release.id, release] as const;
};

test("a print is late two weeks after the day it is usually there, by the newest release", () => {
  const source = sourceAt("https://files.example.org");
  const at = (nowMillis: number, releases: ReadonlyMap<ReleaseId, AcceptedRelease>) =>
    stateOf(source, noVisits(), releases, 0, nowMillis);
  const known = new Map([
    releaseTo("2026-08"),
    releaseTo("2026-07"),
    releaseTo("2026-10", { level: "zip" }),
  ]);
  const september = monthOf(2026, 9);
  const expectedAtMillis = expectedPublicationMillis("zillow", september);
  assert.equal(expectedAtMillis, monthEndMillis(september) + 19 * DAY_MILLIS);
  const late = expectedAtMillis + 14 * DAY_MILLIS;
  const early = at(late - 1, known);
  assert.deepEqual(
    [early.nextPrint?.month, early.nextPrint?.expectedAtMillis, early.wrongSinceMillis],
    [september, expectedAtMillis, null],
  );
  assert.equal(at(late, known).wrongSinceMillis, late);
  assert.equal(at(late, new Map()).nextPrint, null, "nothing is late before the first release");

  const vacancy: DownloadSource = { ...source, provider: "census", index: "vacancy" };
  const quarter = new Map([releaseTo("2026-06", { index: "vacancy" })]);
  const next = stateOf(vacancy, noVisits(), quarter, 0, late).nextPrint;
  assert.equal(next?.month, addMonths(september, 0), "a quarter's print is that of its last month");
});
