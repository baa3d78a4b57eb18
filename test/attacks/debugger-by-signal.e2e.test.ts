// Anybody who may signal the server's process opened a debugger in it, and read the signing key,
// the pepper and every balance from its memory: SIGUSR1 is enough, no option of the server was
// needed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/** The flags `npm start` gives Node, before the program. */
function flagsOfStart(): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  const start = /"start":"node (.*) src\/main\.ts"/.exec(JSON.stringify(manifest))?.[1] ?? "";
  return start.split(" ").filter((flag) => flag !== "");
}

/** The output of a Node under these flags when it is asked for a debugger, and how it ends. */
async function signalled(flags: readonly string[]): Promise<{ said: string; code: number | null }> {
  const script = 'process.stdout.write("up"); process.stdin.once("data", () => process.exit(7));';
  const child = spawn(process.execPath, [...flags, "-e", script], { stdio: "pipe" });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  await new Promise((done) => child.stdout.once("data", done));
  child.kill("SIGUSR1");
  const opened = new Promise((done) => child.stderr.once("data", done));
  await Promise.race([opened, new Promise((done) => setTimeout(done, 1_000))]);
  child.stdin.write("end");
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { said, code };
}

test("a signal opens no debugger in the server, and does not end it", async (t) => {
  const before = await signalled([]);
  assert.match(before.said, /Debugger listening/, "without our flags it does");
  const flags = flagsOfStart();
  const after = await signalled(flags);
  assert.deepEqual(after, { said: "", code: 7 });
  const cli = readFileSync("src/cli/server.ts", "utf8");
  for (const flag of flags) assert.ok(cli.includes(`"${flag}"`), `firstprint up gives ${flag}`);
  t.diagnostic(`after: ${after.said === "" ? "nothing listens" : after.said}, under ${flags[1]}`);
});
