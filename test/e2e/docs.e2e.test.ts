// docs/start.md, run as written: every fenced command, in one shell, on a fresh exchange.
// Only what the reader's machine gives is added: the port, and the install that is already there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "#test/support/exchange.ts";

const commands = (document: string): string =>
  [...document.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? "").join("\n");

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close((error) => (error === undefined ? resolve(port) : reject(error)));
    });
  });
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

function run(script: string, cwd: string, port: number): Promise<Ran> {
  const child = spawn("bash", ["-euo", "pipefail"], {
    cwd,
    detached: true,
    env: {
      PATH: `${join(checkout, "node_modules/.bin")}:${process.env.PATH ?? ""}`,
      HOME: process.env.HOME,
      PORT: String(port),
      FIRSTPRINT_URL: `http://127.0.0.1:${port}`,
    },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(`set -m\n${script}`);
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

test("docs/start.md runs as written and ends with the figures it promises", async (t) => {
  const document = readFileSync(join(checkout, "docs/start.md"), "utf8");
  const script = commands(document).replace(/^npm ci$/m, "true");
  const folder = await mkdtemp(join(tmpdir(), "firstprint-docs-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  // The reader stands in the checkout; the test in a folder of links to it, to leave nothing there.
  for (const name of ["bin", "src", "package.json", "node_modules"]) {
    await symlink(join(checkout, name), join(folder, name));
  }
  const { code, output } = await run(script, folder, await freePort());

  assert.equal(code, 0, output);
  assert.match(output, /0\.5\b/, "half of the layer is paid");
  assert.match(output, /5[,]?497\.5/, "what the hedger has in the end");
  assert.match(output, /15[,]?500/, "what the seller has in the end");
});
