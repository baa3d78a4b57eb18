// GET /api/admin/downloads, and the row of a source that needs a person in the queue.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DownloadSourceState, DownloadsPort } from "#http/ports.ts";
import { at, listAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";

const SINCE = Date.UTC(2026, 10, 20, 8);

const source = (changed: Partial<DownloadSourceState> = {}): DownloadSourceState => ({
  ...{ provider: "noaa", index: "weather", level: "state", everyHours: 24 },
  file: "https://files.example.org/climdiv-tmpcst-v1.0.0-{date}",
  address: "https://files.example.org/climdiv-tmpcst-v1.0.0-20261106",
  ...{ askedAtMillis: SINCE, cameAtMillis: null, dueAtMillis: SINCE + 3_600_000 },
  ...{ failures: 0, failingSinceMillis: null, fault: null, refusal: null },
  ...{ release: null, nextPrint: null, wrongSinceMillis: null },
  ...changed,
});

const failing = source({
  ...{ failures: 3, failingSinceMillis: SINCE, wrongSinceMillis: SINCE },
  fault: { code: "BAD_STATUS", message: "files.example.org answers 503." },
});

const asked: Awaited<ReturnType<DownloadsPort["check"]>> = [
  { outcome: "unchanged", address: "https://files.example.org/a" },
  { outcome: "fault", code: "STALLED", message: "it sent nothing" },
];

const downloads: DownloadsPort = {
  states: () => [source(), failing],
  check: async () => asked,
};

test("an operator reads each source, and what a check was answered", async (t) => {
  const world = await PublicWorld.open(t, { downloads });
  const { status, body } = await world.admin("GET", "downloads");
  assert.equal(status, 200, JSON.stringify(body));
  const [good, bad] = listAt(body, "data");
  assert.deepEqual(
    [at(good, "dueAt"), at(good, "failures"), at(good, "fault"), at(good, "checked")],
    ["2026-11-20T09:00:00.000Z", 0, null, null],
  );
  assert.deepEqual(
    [at(bad, "failingSince"), at(bad, "fault", "code"), at(bad, "cameAt")],
    ["2026-11-20T08:00:00.000Z", "BAD_STATUS", null],
  );
  const checked = listAt((await world.admin("GET", "downloads?check=true")).body, "data");
  assert.deepEqual(
    checked.map((one) => at(one, "checked", "outcome")),
    ["unchanged", "fault"],
  );
  assert.equal(at(checked[1], "checked", "fault", "code"), "STALLED");
});

test("a source that fails, or whose print is late, waits in the queue, and a good one does not", async (t) => {
  const world = await PublicWorld.open(t, { downloads });
  const { body } = await world.admin("GET", "queue?kind=download");
  const rows = listAt(body, "data");
  assert.equal(rows.length, 1);
  assert.deepEqual(
    [at(rows[0], "kind"), at(rows[0], "since"), at(rows[0], "download", "file")],
    ["download", "2026-11-20T08:00:00.000Z", failing.file],
  );
  assert.equal(at(body, "counts", "download"), 1);
});
