// The downloader between a provider's server of our own and a real intake on a real PostgreSQL.
// Invariant tested: only whole files reach the intake, nobody waits for a slow server, and an end
// leaves nothing behind.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { InvariantBreach } from "#base/invariant.ts";
import type { DownloadSource } from "#ingest/downloads/plan.ts";
import { stateFile } from "#test/e2e/sample-files.ts";
import { until } from "#test/e2e/until.ts";
import { vintageOf } from "./climate-file.ts";
import { ProviderServer, whole } from "./download-server.ts";
import { DownloadsToIntake } from "./downloader-intake.ts";

const DAY_MILLIS = 86_400_000;
const newest = stateFile(0).text;
const older = stateFile(1).text;
const stamp = (millis: number): string => new Date(millis).toUTCString();

const sourceAt = (origin: string, changed: Partial<DownloadSource> = {}): DownloadSource => ({
  provider: "zillow",
  index: "zhvi",
  level: "state",
  url: new URL(`${origin}/state.csv?key=hidden`),
  everyHours: 1,
  ...changed,
});

/** Answers as a good server does: the file once, and then that it has not changed. */
const unlessKnown =
  (body: string | Uint8Array, etag: string, headers: Readonly<Record<string, string>> = {}) =>
  (...[response, asked]: Parameters<ReturnType<typeof whole>>): void => {
    if (asked.headers["if-none-match"] === etag) response.writeHead(304).end();
    else whole(body, { etag, ...headers })(response, asked);
  };

test("a file becomes a release once, and its next vintage the next one", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const published = Math.floor((Date.now() - DAY_MILLIS) / 1000) * 1000;
  const dated = { "last-modified": stamp(published) };
  const server = await ProviderServer.start(t, unlessKnown(older, '"1"', dated));
  const downloader = await intake.download(sourceAt(server.origin));
  await until("the first release", () => intake.releases.length === 1);
  const asked = server.asked.length;
  await until("it is asked again", () => server.asked.length > asked + 3);
  assert.equal(server.headerOf("if-none-match", asked + 1), '"1"');
  assert.equal(server.headerOf("if-modified-since", asked + 1), dated["last-modified"]);
  server.play = unlessKnown(newest, '"2"');
  const before = Date.now();
  await until("the second release", () => intake.releases.length === 2);
  await downloader.stop();

  const [first, second] = intake.releases;
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([first.provider, first.index, first.level], ["zillow", "zhvi", "state"]);
  assert.equal(first.publishedAtMillis, published, "as its server dates it");
  assert.ok(second.publishedAtMillis >= before, "undated: when it was downloaded");
  assert.equal(second.lastMonth, first.lastMonth + 1);
  assert.ok(second.firstPrints > 0);
  assert.equal(intake.says(/^info .*zillow with zhvi by state is release rel-\w+, \d+ rows$/), 2);
  assert.equal(intake.logged.length, 2, intake.logged.join("\n"));
  assert.deepEqual(intake.fatal, []);
  const commands = intake.entries.map(({ envelope }) => envelope);
  const accepting = commands.filter(({ command }) => command.type === "AcceptRelease");
  assert.deepEqual(
    accepting.map(({ actor, requestId }) => [actor.type, requestId]),
    [
      ["system", "download"],
      ["system", "download"],
    ],
  );
});

test("an address that ends in another cut's name brings nothing", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const server = await ProviderServer.start(t, unlessKnown(newest, '"1"'));
  const name = "State_zhvi_uc_sfr_tier_0.33_0.67_sm_sa_month.csv";
  const downloader = await intake.download(
    sourceAt(server.origin, { url: new URL(`${server.origin}/zhvi/${name}?t=1`) }),
  );
  await until("it is refused", () => intake.says(/was refused and stays out: OTHER_CUT/) === 1);
  await downloader.stop();
  assert.deepEqual(intake.releases, []);
});

test("gzip on the way and gzip at rest are the same file", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const packed = gzipSync(newest);
  const server = await ProviderServer.start(t, whole(packed, { "content-encoding": "gzip" }));
  const downloader = await intake.download(sourceAt(server.origin));
  await until("the release", () => intake.releases.length === 1);
  server.play = whole(packed, { "content-type": "application/gzip" });
  await until("it is known again", () => intake.says(/is release rel-\w+, which was here/) > 2);
  server.play = whole(newest);
  const asked = server.asked.length;
  await until("it is asked again", () => server.asked.length > asked + 2);
  await downloader.stop();
  assert.equal(await intake.raw(), 1);
  assert.equal(intake.releases.length, 1);
  assert.equal(existsSync(intake.folder), false);
});

test("a refused file is told once, and does not stand in the way of a good one", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const server = await ProviderServer.start(t, whole("no such layout\n1,2\n"));
  await intake.download(sourceAt(server.origin));
  await until("it comes several times", () => server.asked.length > 4);
  server.play = unlessKnown("another bad one\n1,2\n", '"1"');
  const asked = server.asked.length;
  await until("the other comes several times", () => server.asked.length > asked + 4);
  assert.equal(
    intake.says(/^warn .* was refused and stays out: [A-Z_]+: .*SHA-256 [0-9a-f]{64}/),
    2,
  );
  assert.equal(intake.logged.length, 2, intake.logged.join("\n"));
  assert.equal(intake.releases.length, 0);
  await until(
    "the newest alone lies there",
    async () => (await readdir(intake.folder)).length === 1,
  );
  await until("none is in the archive", async () => (await intake.raw()) === 0);
  server.play = unlessKnown(newest, '"2"');
  await until("the good one", () => intake.releases.length === 1);
  await until("nothing lies there", async () => (await readdir(intake.folder)).length === 0);
});

test("what the exchange would not have now is offered again without a download", async (t) => {
  let refusals = 2;
  const intake = await DownloadsToIntake.open(t, {
    between: (submit) => async (command) => {
      refusals -= 1;
      return refusals >= 0 ? { refused: "OVERLOADED" } : submit(command);
    },
  });
  let sent = 0;
  const server = await ProviderServer.start(t, (response, asked) => {
    sent += asked.headers["if-none-match"] === undefined ? 1 : 0;
    unlessKnown(newest, '"1"')(response, asked);
  });
  await intake.download(sourceAt(server.origin));
  await until("the release", () => intake.releases.length === 1);
  assert.equal(sent, 1);
  assert.equal(intake.says(/NOT_APPLIED: the exchange answered OVERLOADED/), 2);
});

test("a kept file that is gone is fetched anew", async (t) => {
  let isFirst = true;
  const intake = await DownloadsToIntake.open(t, {
    between: (submit) => async (command) => {
      if (!isFirst) return submit(command);
      isFirst = false;
      for (const name of await readdir(intake.folder)) await rm(join(intake.folder, name));
      return { refused: "OVERLOADED" };
    },
  });
  const server = await ProviderServer.start(t, unlessKnown(newest, '"1"'));
  await intake.download(sourceAt(server.origin));
  await until("the release", () => intake.releases.length === 1);
  assert.equal(intake.says(/FAULT: ENOENT/), 1);
});

/** Every value of the newest month half as high again: nobody's houses do that in a month. */
const leaping = newest
  .split("\n")
  .map((line, at) => (at === 0 ? line : line.replace(/[\d.]+$/, (value) => String(+value * 1.5))))
  .join("\n");

test("a file held back is told, and an operator's no stands over a restart", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const server = await ProviderServer.start(t, unlessKnown(older, '"1"'));
  const downloader = await intake.download(sourceAt(server.origin));
  await until("the first release", () => intake.releases.length === 1);
  server.play = whole(leaping);
  await until("it is held and known again", () => intake.says(/held back.*which was here/) > 1);
  assert.match(intake.logged[1] ?? "", /^warn .* is held back as release rel-\w+: [A-Z_]+/);
  const held = [...intake.ports.durable.quarantine.values()];
  assert.deepEqual(
    held.map(({ status }) => status),
    ["quarantined"],
  );
  await downloader.stop();

  const [releaseId] = held.map(({ id }) => id);
  assert.ok(releaseId !== undefined);
  await intake.command({ type: "RejectRelease", releaseId, reason: "a slip" });
  const asked = server.asked.length;
  const before = intake.entries.length;
  await intake.download(sourceAt(server.origin));
  await until("it comes several times", () => server.asked.length > asked + 4);
  assert.equal(intake.says(/was rejected by an operator and stays out: a slip/), 1);
  assert.equal(intake.entries.length, before, "nothing was put to the exchange");
  server.play = whole(newest);
  await until("the corrected file is taken", () => intake.releases.length === 2);
});

test("what lay in the folder of downloads is gone with the next start", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  await mkdir(intake.folder);
  await writeFile(join(intake.folder, `${"0".repeat(64)}.gz`), "left by a crash");
  const server = await ProviderServer.start(t, () => undefined);
  await intake.download(sourceAt(server.origin));
  assert.deepEqual(await readdir(intake.folder), []);
});

test("a server that is down is asked until it is up", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const down = await ProviderServer.start(t, whole(newest));
  await down.end();
  await intake.download(sourceAt(down.origin));
  await until("several failures", () => intake.says(/NOT_CONNECTED.*ECONNREFUSED/) > 2);
  assert.equal(
    intake.says(/could not be downloaded, next attempt in \d+ min/),
    intake.logged.length,
  );
  assert.equal(intake.says(/hidden/), 0, "a key in an address is not told");
  await ProviderServer.start(t, whole(newest), { port: down.port });
  await until("the release", () => intake.releases.length === 1);
});

test("a dripping server is cut off, and the next source has its turn", async (t) => {
  const intake = await DownloadsToIntake.open(t, { wholeMillis: 300 });
  const dripping = await ProviderServer.start(t, (response) => {
    response.writeHead(200, { "content-length": String(newest.length) });
    const drip = setInterval(() => response.write("x"), 10);
    response.once("close", () => clearInterval(drip));
  });
  const good = await ProviderServer.start(t, whole(newest));
  const slow = sourceAt(dripping.origin, { level: "zip" });
  await intake.download(slow, sourceAt(good.origin));
  await until("the release of the other", () => intake.releases.length === 1);
  assert.ok(intake.says(/TOO_SLOW: It took longer than 300 ms/) >= 1);
  assert.equal(intake.releases[0]?.level, "state");
});

test("a file that grows beyond the limit when unpacked leaves nothing behind", async (t) => {
  const intake = await DownloadsToIntake.open(t, { unpackedBytes: 100_000 });
  const bomb = gzipSync(Buffer.alloc(5_000_000, "x"));
  assert.ok(bomb.length < 100_000);
  const server = await ProviderServer.start(t, whole(bomb));
  const downloader = await intake.download(sourceAt(server.origin));
  await until("several refusals", () => intake.says(/TOO_LARGE: The file is, decompressed/) > 1);
  server.play = whole(gzipSync(newest).subarray(0, 500));
  await until("a truncated one", () => intake.says(/TRUNCATED/) > 0);
  server.play = whole("");
  await until("an empty one", () => intake.says(/EMPTY_FILE/) > 0);
  await until("nothing lies there", async () => (await readdir(intake.folder)).length === 0);
  await downloader.stop();
  assert.equal(await intake.raw(), 0);
});

test("a node that does not lead fetches nothing, and breaks off what it fetches", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  intake.leads = false;
  const server = await ProviderServer.start(t, whole(older));
  const downloader = await intake.download(sourceAt(server.origin));
  await sleep(300);
  assert.equal(server.asked.length, 0, "it asks nobody");

  let sent = 0;
  server.play = (response) => {
    response.writeHead(200, { "content-type": "text/csv" });
    const dripping = setInterval(() => {
      sent += 1;
      response.write("RegionID,");
    }, 20);
    response.on("close", () => clearInterval(dripping));
  };
  intake.leads = true;
  await until("the file is on its way", () => sent > 3);
  intake.leads = false;
  const last = () => intake.logged.at(-1) ?? "";
  await until("the download is broken off", () => /lost the lead/.test(last()));
  const asked = server.asked.length;
  await sleep(300);
  assert.equal(server.asked.length, asked, "it asks nobody again");
  assert.deepEqual(await readdir(intake.folder), []);
  assert.deepEqual(intake.releases, []);

  server.play = whole(older);
  intake.leads = true;
  await until("the release, once it leads", () => intake.releases.length === 1);
  await downloader.stop();
});

test("one file at a time, and nobody else waits for it", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  let isOpen = false;
  const held: (() => void)[] = [];
  const server = await ProviderServer.start(t, (response) => {
    assert.equal(isOpen, false, "never two at a time");
    isOpen = true;
    response.writeHead(200).write(newest.slice(0, 5000));
    const more = setInterval(() => response.write("\n"), 50);
    response.once("close", () => {
      clearInterval(more);
      isOpen = false;
    });
    held.push(() => response.end());
  });
  await intake.download(sourceAt(server.origin), sourceAt(server.origin, { level: "zip" }));
  await until("a download is under way", () => held.length === 1);
  const meta = { provider: "zillow", index: "zhvi", level: "state" } as const;
  const upload = ReadableStream.from([Buffer.from(older)]);
  const publishedAtMillis = Date.now();
  const byHand = await intake.ports.intake.ingest(
    upload,
    { ...meta, publishedAtMillis },
    intake.ports.submit,
  );
  assert.ok("release" in byHand, "an operator's file goes through meanwhile");
  assert.equal(held.length, 1, "the other source waits for its turn");
  for (const finish of held.splice(0)) finish();
  await until("the other source's turn", () => held.length === 1);
});

test("a new start asks only for what is newer than the newest release", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const published = Math.floor((Date.now() - DAY_MILLIS) / 1000) * 1000;
  const dated = { "last-modified": stamp(published) };
  const server = await ProviderServer.start(t, whole(newest, dated));
  const first = await intake.download(sourceAt(server.origin));
  await until("the release", () => intake.releases.length === 1);
  await first.stop();
  const asked = server.asked.length;
  server.play = (response) => response.writeHead(304).end();
  await intake.download(sourceAt(server.origin), sourceAt(server.origin, { index: "zori" }));
  await until("both are asked for", () => server.asked.length > asked + 1);
  assert.equal(server.headerOf("if-modified-since", asked), stamp(published));
  assert.equal(server.headerOf("if-none-match", asked), undefined);
  assert.equal(server.headerOf("if-modified-since", asked + 1), undefined, "of the other index");
});

test("of weather each file is asked for at a start: a release may be of another", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  const rain = await ProviderServer.start(t, whole(vintageOf("precipitation", "2005-08")));
  const warm = await ProviderServer.start(t, whole(vintageOf("temperature", "2005-08")));
  const sources = [rain, warm].map(({ origin }) =>
    sourceAt(origin, { provider: "noaa", index: "weather", level: "state" }),
  );
  const first = await intake.download(...sources);
  await until("both releases", () => intake.releases.length === 2);
  await first.stop();
  assert.deepEqual(intake.releases.map(({ variable }) => variable).toSorted(), [
    "precipitation",
    "temperature",
  ]);
  const asked = rain.asked.length;
  const known = intake.says(/which was here/);
  await intake.download(...sources);
  await until("both are known", () => intake.says(/which was here/) > known + 1);
  assert.equal(rain.headerOf("if-modified-since", asked), undefined);
  assert.equal(intake.releases.length, 2);
});

test("an end in the middle of a download leaves nothing behind", async (t) => {
  const intake = await DownloadsToIntake.open(t);
  let isClosed = false;
  const server = await ProviderServer.start(t, (response) => {
    response.writeHead(200).write(newest.slice(0, newest.length / 2));
    response.once("close", () => {
      isClosed = true;
    });
  });
  const downloader = await intake.download(sourceAt(server.origin));
  await until("half of it is here", async () => (await readdir(intake.folder)).length === 1);
  await downloader.stop();
  assert.equal(existsSync(intake.folder), false);
  assert.equal(await intake.raw(), 0);
  await until("the server sees the connection end", () => isClosed);
  assert.deepEqual([intake.releases, intake.logged, intake.fatal], [[], [], []]);
  assert.equal(server.asked.length, 1, "nothing is begun after the end");
});

test("an end while the exchange decides waits for its decision", async (t) => {
  const decide = Promise.withResolvers<void>();
  let isAsked = false;
  const intake = await DownloadsToIntake.open(t, {
    between: (submit) => async (command) => {
      isAsked = true;
      await decide.promise;
      return submit(command);
    },
  });
  const server = await ProviderServer.start(t, whole(newest));
  const downloader = await intake.download(sourceAt(server.origin));
  await until("the exchange is asked", () => isAsked);
  let isStopped = false;
  const stopped = downloader.stop().then(() => {
    isStopped = true;
  });
  // An end that does not wait needs a few milliseconds.
  await Promise.race([stopped, sleep(200)]);
  assert.equal(isStopped, false);
  decide.resolve();
  await stopped;
  assert.equal(intake.releases.length, 1);
});

test("our own mistake is not retried, it stops the node", async (t) => {
  const breach = new InvariantBreach("the stored lines are not those the journal accepted");
  const intake = await DownloadsToIntake.open(t, { ingest: () => Promise.reject(breach) });
  const server = await ProviderServer.start(t, whole(newest));
  await intake.download(sourceAt(server.origin));
  await until("it is told", () => intake.fatal.length > 0);
  assert.deepEqual(intake.fatal, [breach]);
  assert.equal(server.asked.length, 1);
});
