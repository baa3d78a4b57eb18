// A program's folder with the SDK built and installed, and commands run in it.
// Invariant: a program finds the SDK as a package of its own, with nothing of this checkout but its
// two dependencies.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { checkout } from "#test/support/exchange.ts";

interface Ran {
  readonly status: number;
  readonly output: string;
}

/** Without the Node of the lockfile: the SDK has to do with an older one. */
const machinePath = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((one) => !one.endsWith("node_modules/.bin"))
  .join(delimiter);

export function run(
  command: string,
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, PATH: machinePath, ...env } };
    execFile(command, words, options, (error, stdout, stderr) => {
      const status = typeof error?.code === "number" ? error.code : error === null ? 0 : 1;
      resolve({ status, output: stdout + stderr });
    });
  });
}

/** The folder; it goes with the test. */
export async function installedSdk(t: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "firstprint-recipes-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const installed = join(folder, "node_modules/@firstprint/sdk");
  mkdirSync(installed, { recursive: true });
  cpSync(join(checkout, "sdk/package.json"), join(installed, "package.json"));
  const build = ["-p", join(checkout, "sdk"), "--outDir", join(installed, "dist")];
  const built = await run(join(checkout, "node_modules/.bin/tsc"), build, checkout);
  assert.equal(built.status, 0, built.output);
  for (const name of [
    "openapi-fetch",
    "openapi-typescript-helpers",
    "eventsource-parser",
    "@types",
  ])
    symlinkSync(join(checkout, "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  return folder;
}
