// Pages of the documentation, run as written: every fenced command, in one shell, on a fresh
// exchange.
// Only what the reader's machine gives is added: the port, an old Node, and the install that is
// already there.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { withClient } from "#storage/with-client.ts";
import { smallPartitions } from "#test/journal/small-partitions.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { checkout } from "#test/support/exchange.ts";
import { freePort } from "#test/support/free-port.ts";
import { pathWithOldNode } from "#test/support/old-node.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const commands = (document: string): string =>
  [...document.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? "").join("\n");

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** A walk that fails before its last command leaves no exchange running. */
const endAfterFailure =
  "trap '[ $? = 0 ] || for job in $(jobs -p); do kill -- \"-$job\"; done' EXIT\n";

function run(t: TestContext, script: string, cwd: string, port: number): Promise<Ran> {
  const child = spawn("bash", ["-euo", "pipefail"], {
    cwd,
    detached: true,
    env: {
      PATH: pathWithOldNode(t),
      HOME: process.env.HOME,
      PORT: String(port),
      FIRSTPRINT_URL: `http://127.0.0.1:${port}`,
      // Files that were compiled for other tests are not compiled again.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(`set -m\n${endAfterFailure}${script}`);
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

/** Ends the walk where nothing is ready within a minute. */
const ready =
  "curl -sf --retry 60 --retry-delay 1 --retry-all-errors -o /dev/null " +
  "$FIRSTPRINT_URL/api/health/ready";

/** The reader stands in the checkout; the test in a folder of links, to leave nothing there. */
async function read(t: TestContext, script: string, port?: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-docs-"));
  // A shell that waits for npm does not wait for the database it started.
  const removal = { recursive: true, force: true, maxRetries: 40, retryDelay: 250 };
  t.after(() => rm(folder, removal));
  for (const name of ["bin", "src", "tools", "package.json", "node_modules"]) {
    await symlink(join(checkout, name), join(folder, name));
  }
  const installed = script.replaceAll(/^npm ci$/gm, "true");
  const { code, output } = await run(t, installed, folder, port ?? (await freePort()));
  assert.equal(code, 0, output);
  return output;
}

const start = readFileSync(join(checkout, "docs/start.md"), "utf8");
const fifthStep = start.indexOf("## 5.");

/** The reader has an auditor's key and has pinned the verifier key. */
const asAuditor = `
AUDITOR=$(bin/firstprint account open auditor --role auditor --json)
export FIRSTPRINT_KEY=$(sed -E 's/.*"secret":"([^"]+)".*/\\1/' <<< "$AUDITOR")
NOTE=$(curl -s "$FIRSTPRINT_URL/api/checkpoint")
VERIFIER_KEY=$(sed -E 's/.*"verifierKey":"([^"]+)".*/\\1/' <<< "$NOTE")
`;

/** The auditor reads beside the two traders, in a shell inside theirs, and changes none of their figures. */
test("docs/start.md runs as written, with the figures it promises; in it docs/reference/audit.md", async (t) => {
  const audit = readFileSync(join(checkout, "docs/reference/audit.md"), "utf8");
  const [begun, settled] = [start.slice(0, fifthStep), start.slice(fifthStep)].map(commands);
  const output = await read(t, `${begun}\n(${asAuditor}\n${commands(audit)})\n${settled}`);
  assert.match(output, /^index +fell 6\.00 %$/m);
  assert.match(output, /^pays +50\.0 % of coverage$/m, "half of the layer is paid");
  assert.match(output, /^to be paid +\$5,000 to you$/m, "to the hedger");
  assert.match(output, /5[,]?497\.5/, "what the hedger has in the end");
  assert.match(output, /15[,]?500/, "what the seller has in the end");
  assert.match(output, /The export holds: \d+ entries from 1 to \d+, every hash recomputed/);
  assert.match(output, /A signed checkpoint vouches for \d+ of them/);
});

/** The output ends with the last process that writes to it, so the walk is over when all are. */
test("a walk that fails half-way ends what it had started", { timeout: 30_000 }, async (t) => {
  const script = "sleep 60 &\necho begun\nfalse\necho not reached\n";
  assert.deepEqual(await run(t, script, checkout, await freePort()), {
    code: 1,
    output: "begun\n",
  });
});

test("docs/concepts/orders.md continues it after step 4, with the figures it names", async (t) => {
  const begun = start.slice(0, fifthStep);
  const orders = readFileSync(join(checkout, "docs/concepts/orders.md"), "utf8");
  const end = "kill %1 && wait %1 || true\n";
  const output = await read(t, `${commands(begun)}\n${commands(orders)}\n${end}`);
  for (const figure of [
    /^fills +400 at 0\.06$/m,
    /^cost +24$/m,
    /^fee +0\.12$/m,
    /^required +28\.14$/m,
    /^available +497\.5$/m,
    /^available after +473\.38$/m,
    /^id +ord-4\n(?:.+\n)*contracts +60\n(?:.+\n)*filled +60$/m,
    /^contracts +10060$/m,
    /cancel_after\.fired/,
    /^tripped +yes$/m,
    /^tripped +no$/m,
  ]) {
    assert.match(output, figure);
  }
});

test("docs/operating/followers.md starts a follower, which takes no command", async (t) => {
  const page = readFileSync(join(checkout, "docs/operating/followers.md"), "utf8");
  const [port, other] = [await freePort(), await freePort()];
  const script = commands(page).replaceAll("4600", String(port)).replaceAll("4601", String(other));
  const output = await read(t, script, port);
  assert.match(output, /"mode":"follower","role":"follower","lagMillis":\d+/);
  assert.match(output, /^firstprint-sequence: \d+/m);
  assert.match(output, /^cache-control: public, max-age=\d+/m);
  assert.match(output, new RegExp(`LEADER_ONLY.*"leader":"http://127.0.0.1:${port}"`));
});

test("docs/operating/failover.md hands the lead from one node to another", async (t) => {
  const page = readFileSync(join(checkout, "docs/operating/failover.md"), "utf8");
  const [port, other] = [await freePort(), await freePort()];
  const tried = commands(page.slice(page.indexOf("## Try it"), page.indexOf("## How the lead")));
  const script = tried.replaceAll("4600", String(port)).replaceAll("4601", String(other));
  const database = urlOf(await createDatabase(t));
  const output = await read(t, `export DATABASE_URL='${database}'\n${script}`, port);
  const modes = [...output.matchAll(/"mode":"(\w+)"/g)].map(([, mode]) => mode);
  assert.deepEqual(modes, ["standby", "open", "open"]);
});

test("docs/operating/tls.md: an open address is refused, with the cure", async (t) => {
  const page = readFileSync(join(checkout, "docs/operating/tls.md"), "utf8");
  assert.match(await read(t, commands(page)), /^HOST must be .* FIRSTPRINT_PLAIN_HOST=0\.0\.0\.0/m);
});

const operating = (name: string): string =>
  readFileSync(join(checkout, `docs/operating/${name}.md`), "utf8");

/** The page with the reader's own names and places. */
const filledIn = (text: string, places: Readonly<Record<string, string>>): string =>
  Object.entries(places).reduce((said, [from, to]) => said.replaceAll(from, to), text);

/** So many accounts that a partition of eight entries is full. */
const accounts = `
SECRET="x-admin-secret: $(cat .firstprint/admin-secret)"
open() { curl -sf $FIRSTPRINT_URL/api/admin/accounts -H "$SECRET" \
  -H 'content-type: application/json' -d '{"name":"'$1'","role":"trader"}' > /dev/null; }
for name in a b c d e f g h i j k l m n o p q r s t; do open $name; done
sleep 2
`;

test("docs/operating/database.md with two roles, monitoring.md, then archive.md", async (t) => {
  const archive = await temporaryFolder(t, "firstprint-archive-");
  const administrator = await createDatabase(t);
  // The server of this file has a role and a database of the page's names already.
  const own = { "DATABASE firstprint": "DATABASE walk", firstprint_: "walk_", "…": "a-password" };
  const page = operating("database").split("### Two roles")[1] ?? "";
  const [, sql = ""] = /^```sql\n(.*?)^```$/ms.exec(page) ?? [];
  await withClient({ ...administrator }, async (client) => {
    for (const one of filledIn(sql, own).split(/;\n/).filter(Boolean)) await client.query(one);
  });
  const owner = {
    ...administrator,
    ...{ user: "walk_owner", password: "a-password", database: "walk" },
  };
  await smallPartitions(owner, 8);
  const [, place = ""] = /(\?.*)$/.exec(urlOf(owner)) ?? [];

  const [port, operators] = [await freePort(), await freePort()];
  const served = filledIn(commands(page), own).replaceAll("@db/firstprint", `@/walk${place}`);
  const watched = commands(operating("monitoring")).replaceAll("4601", String(operators));
  const [, moving = ""] = operating("archive").split("In a database of your own");
  const moved = filledIn(commands(moving), {
    "<that of the owner>": `'${urlOf(owner)}'`,
    "/var/lib/firstprint-archive": archive,
    "_DAYS=90": "_DAYS=0",
  });
  const script = [
    `export FIRSTPRINT_OPERATOR_LISTEN=${operators}`,
    served.replaceAll(/(DATABASE_URL=)(\S+)/g, "$1'$2'"),
    ready,
    ...[accounts, watched, `export DATABASE_URL='${urlOf(owner)}'`, moved],
    "kill -TERM -- -$! && wait $! || true\n",
  ];
  const output = await read(t, script.join("\n"), port);
  assert.match(output, /^firstprint_leads 1$/m);
  assert.match(output, /^entries 2 to 8 are in the archive, and no longer stored$/m);
  assert.match(output, /^journal +holds$/m);
  assert.match(output, /^archived +entries 2 to \d+$/m);
});

test("docs/operating/backups.md, security.md, upgrade.md: from start to start the store holds", async (t) => {
  const pages = ["backups", "security", "upgrade"].map((name) => commands(operating(name)));
  const [backups, security, upgrade] = pages;
  const [, inside = ""] = operating("database").split("### Looking inside");
  const looked = existsSync("/usr/bin/psql") ? commands(inside.split("### Backup")[0] ?? "") : "";
  // No page is about the sample, which takes seconds to play.
  const started = `export FIRSTPRINT_SAMPLE=0\nnpm start > exchange.log 2>&1 &\n${ready}`;
  // npm ends with its shell, and the node of its group some time after both.
  const gone = "while kill -0 -- -$! 2> /dev/null; do sleep 0.2; done";
  const ended = `kill -TERM -- -$! && wait $! || true\n${gone}`;
  const script = [started, looked, backups, security, ended, upgrade].join("\n");
  const output = await read(t, `${script}\n`);
  assert.match(output, /^restored to +a folder that is removed again/m);
  assert.match(output, /^The key of checkpoints is new; the old one signs beside it until /m);
  assert.match(output, /"mode":"open"/);
  assert.equal(output.match(/^journal +holds$/gm)?.length, 2, "the backup, and what goes on");
});
