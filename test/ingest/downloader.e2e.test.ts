// The whole server with a download file, beside a provider's server of our own.
// Invariant tested: a downloaded release is like any other, and the audit says who brought it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { runFile } from "#test/e2e/program.ts";
import { stateFile } from "#test/e2e/sample-files.ts";
import { until } from "#test/e2e/until.ts";
import { at, Exchange, listAt, textAt } from "#test/support/exchange.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { ProviderServer, whole } from "./download-server.ts";

async function planFile(t: TestContext, origin: string, everyHours: unknown): Promise<string> {
  const folder = await temporaryFolder(t, "firstprint-plan-");
  const url = `${origin}/state.csv`;
  const source = { provider: "zillow", index: "zhvi", level: "state", url, everyHours };
  const path = join(folder, "downloads.json");
  await writeFile(path, JSON.stringify({ allow: [origin], sources: [source] }));
  return path;
}

test("a configured file becomes a release, and the audit names the exchange itself", async (t) => {
  const published = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000);
  const dated = { "last-modified": published.toUTCString() };
  const server = await ProviderServer.start(t, whole(stateFile().text, dated));
  const path = await planFile(t, server.origin, 24);
  const exchange = await Exchange.start(t, { FIRSTPRINT_DOWNLOADS: path });
  const releases = async () =>
    listAt((await exchange.get("/api/admin/releases", { admin: true })).body, "data");
  await until("the release", async () => (await releases()).length === 1);
  const [release] = await releases();
  assert.equal(textAt(release, "provider"), "zillow");
  assert.equal(textAt(release, "publishedAt"), published.toISOString());
  const state = await exchange.get("/api/index/state:tx");
  assert.equal(state.status, 200, state.text);

  const { key } = await exchange.trader("auditor", "0", "auditor");
  const logs = await exchange.get("/api/audit/logs?action=release.accepted", { key });
  const [entry] = listAt(logs.body, "data");
  assert.equal(textAt(entry, "userId"), "system");
  assert.equal(textAt(entry, "resource"), textAt(release, "id"));
  assert.equal(at(entry, "details", "sha256"), at(release, "sha256"));

  assert.equal(await exchange.stop(), 0);
  const asked = server.asked.length;
  server.play = (response) => response.writeHead(304).end();
  await exchange.up();
  await until("it is asked for after the start", () => server.asked.length > asked);
  assert.equal(server.headerOf("if-modified-since", asked), dated["last-modified"]);
});

test("an operator sees a source that fails, in the list, in a check and in the metrics", async (t) => {
  const server = await ProviderServer.start(t, (response) => response.writeHead(503).end());
  const path = await planFile(t, server.origin, 24);
  const socketPath = join(await temporaryFolder(t, "fp-"), "operator.sock");
  const exchange = await Exchange.start(t, {
    FIRSTPRINT_DOWNLOADS: path,
    FIRSTPRINT_OPERATOR_LISTEN: socketPath,
  });
  const listed = async (query = "") =>
    listAt((await exchange.get(`/api/admin/downloads${query}`, { admin: true })).body, "data")[0];
  await until("it has failed", async () => Number(at(await listed(), "failures")) > 0);
  const failed = await listed();
  assert.equal(at(failed, "fault", "code"), "BAD_STATUS");
  assert.equal(at(failed, "file"), `${server.origin}/state.csv`);
  assert.ok(Date.parse(textAt(failed, "dueAt")) > Date.now());
  const labels = 'provider="zillow",index="zhvi",level="state",file="state.csv"';
  const numbers = async () => {
    const answer = new Promise<string>((resolve, reject) => {
      const asked = request({ socketPath, path: "/metrics" }, (response) => {
        text(response).then(resolve, reject);
      });
      asked.on("error", reject).end();
    });
    return (await answer).split("\n");
  };
  assert.ok((await numbers()).includes(`firstprint_download_failures{${labels}} 1`));

  server.play = whole(stateFile().text);
  const checked = await listed("?check=true");
  assert.equal(at(checked, "checked", "outcome"), "new");
  assert.equal(at(checked, "release"), null, "a check takes nothing");
  assert.equal(await exchange.stop(), 0);
  await exchange.up();
  await until("the release", async () => at(await listed(), "release") !== null);
  const after = await numbers();
  assert.ok(after.includes(`firstprint_download_failures{${labels}} 0`));
  assert.ok(after.some((line) => line.startsWith(`firstprint_print_overdue_seconds{${labels}} `)));
  const age = 'firstprint_print_age_seconds{index="zhvi",level="state",variable=""} ';
  const shown = after.find((line) => line.startsWith(age));
  assert.ok(Number(shown?.slice(age.length)) > 0, shown);
});

test("SIGTERM in the middle of a download ends the node and leaves nothing of it", async (t) => {
  const server = await ProviderServer.start(t, (response) => {
    response.writeHead(200).write(stateFile().text.slice(0, 20_000));
  });
  const path = await planFile(t, server.origin, 24);
  const exchange = await Exchange.start(t, { FIRSTPRINT_DOWNLOADS: path });
  const folder = join(exchange.dataDir, "downloads");
  const lies = async () => (existsSync(folder) ? await readdir(folder) : []);
  await until("half of it is here", async () => (await lies()).length === 1);
  const reply = await exchange.get("/api/status");
  assert.equal(reply.status, 200, "it serves meanwhile");
  assert.equal(await exchange.stop(), 0);
  assert.equal(existsSync(folder), false);
});

test("a mistake in the download file stops the start by the name of its field", async (t) => {
  const path = await planFile(t, "https://files.example.org", 0);
  const dataDir = join(await mkdtemp(join(tmpdir(), "firstprint-start-")), "data");
  t.after(() => rm(join(dataDir, ".."), { recursive: true, force: true }));
  const { code, output } = await runFile("src/main.ts", {
    PORT: "0",
    FIRSTPRINT_SAMPLE: "0",
    FIRSTPRINT_DATA_DIR: dataDir,
    FIRSTPRINT_DOWNLOADS: path,
  });
  assert.equal(code, 78, output);
  assert.match(output, /^FIRSTPRINT_DOWNLOADS \(.*\): sources\[0\]\.everyHours must be .*\n$/);
  assert.equal(existsSync(dataDir), false, "nothing was made");
});
