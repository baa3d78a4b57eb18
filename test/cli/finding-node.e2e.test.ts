// bin/firstprint by itself: which Node it takes, from where it may be called, what `up` becomes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { root, runProcess } from "./recorder.ts";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "firstprint-bin-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A checkout as `git clone` leaves it: without node_modules. */
function clone(t: TestContext): string {
  const checkout = join(folder(t), "a checkout");
  mkdirSync(checkout);
  for (const part of ["bin", "src/cli", "src/base", "sdk/src", "package.json"]) {
    cpSync(join(root, part), join(checkout, part), { recursive: true });
  }
  return checkout;
}

/** The shell's own tools and nothing else, but for the Node that is given. */
function pathWith(t: TestContext, node: "none" | "20" | "this"): string {
  const tools = folder(t);
  for (const tool of ["sh", "readlink", "dirname"]) {
    const found = execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim();
    symlinkSync(found, join(tools, tool));
  }
  if (node === "this") symlinkSync(process.execPath, join(tools, "node"));
  if (node === "20") writeFileSync(join(tools, "node"), "#!/bin/sh\necho 20\n", { mode: 0o755 });
  return tools;
}

function installed(checkout: string): void {
  mkdirSync(join(checkout, "node_modules/.bin"), { recursive: true });
  symlinkSync(process.execPath, join(checkout, "node_modules/.bin/node"));
}

describe("finding Node", { concurrency: 2 }, () => {
  test("the checkout's own Node comes before a Node 20 on PATH, from any folder", async (t) => {
    const checkout = clone(t);
    installed(checkout);
    const env = { PATH: pathWith(t, "20") };
    const program = join(checkout, "bin/firstprint");
    const ran = await runProcess(["help"], { program, env, cwd: folder(t) });
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /^firstprint: the command line/);
  });

  test("through a chain of symlinks, relative ones too", async (t) => {
    const checkout = clone(t);
    installed(checkout);
    const elsewhere = folder(t);
    symlinkSync(join(checkout, "bin/firstprint"), join(elsewhere, "direct"));
    symlinkSync("direct", join(elsewhere, "firstprint"));
    const env = { PATH: pathWith(t, "20") };
    const ran = await runProcess(["help"], { program: join(elsewhere, "firstprint"), env });
    assert.equal(ran.status, 0, ran.stderr);
  });

  test("without node_modules a new enough Node on PATH will do", async (t) => {
    const program = join(clone(t), "bin/firstprint");
    const ran = await runProcess(["help"], { program, env: { PATH: pathWith(t, "this") } });
    assert.equal(ran.status, 0, ran.stderr);
  });

  for (const node of ["20", "none"] as const) {
    test(`without node_modules and with Node ${node} on PATH it says what to do`, async (t) => {
      const checkout = clone(t);
      const program = join(checkout, "bin/firstprint");
      const ran = await runProcess(["help"], { program, env: { PATH: pathWith(t, node) } });
      assert.equal(ran.status, 2);
      assert.equal(ran.stdout, "");
      assert.match(ran.stderr, /^firstprint: this needs Node 24\. Run `npm ci` in .*a checkout,/);
    });
  }

  test("`up` becomes the server: same process, environment, folder and exit status", async (t) => {
    const checkout = clone(t);
    installed(checkout);
    const server =
      "console.log(process.pid, process.env.FIRSTPRINT_CLOCK, process.cwd(), " +
      "process.argv.length);\nprocess.exit(7);\n";
    writeFileSync(join(checkout, "src/main.ts"), server);
    const cwd = folder(t);
    const env = { PATH: pathWith(t, "none"), FIRSTPRINT_CLOCK: "sandbox" };
    const ran = await runProcess(["up"], { program: join(checkout, "bin/firstprint"), env, cwd });
    assert.deepEqual([ran.stdout, ran.status], [`${ran.pid} sandbox ${cwd} 2\n`, 7], ran.stderr);
  });
});

const hasTerminal = (): boolean => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
};

test("on a terminal: colours, unless NO_COLOR is set", async (t) => {
  if (!hasTerminal()) return t.skip("no `script` of util-linux here to make a terminal");
  const line = `${join(root, "bin/firstprint")} status --url http://127.0.0.1:9`;
  const shown = async (env: Record<string, string>): Promise<string> => {
    const path = process.env.PATH ?? "";
    const terminal = { PATH: path, TERM: "xterm-256color", SHELL: "/bin/sh", ...env };
    const args = ["--quiet", "--return", "--command", line, "/dev/null"];
    const ran = await runProcess(args, { program: "script", env: terminal });
    assert.equal(ran.status, 1);
    return ran.stdout;
  };
  assert.ok((await shown({})).includes("\u001b[31mfirstprint:\u001b[39m no exchange answers"));
  const plain = await shown({ NO_COLOR: "1" });
  assert.match(plain, /^firstprint: no exchange answers/);
  assert.ok(!plain.includes("\u001b"));
});
