// The diff that docs/internals/adding-a-command.md shows is true: applied to the core it compiles,
// and the command is decided, journalled and told in the trail.
// Invariant: a copy is changed, never the checkout; what the page leaves out, the copy lacks too.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const code = ["src", "test/core", "test/simulation", "test/support"];
const page = readFileSync(join(checkout, "docs/internals/adding-a-command.md"), "utf8");

/** Gives the command in a world of the core's own tests, which looks at every invariant. */
const given = `
  import { auditFacts } from "#core/audit.ts";
  import { entryBytes, readEntry } from "#core/entry-bytes.ts";
  import { root, World } from "#test/core/world.ts";
  const world = new World();
  const events = world.do(root, { type: "WriteNote", note: "seen" });
  const command = { type: "WriteNote", note: "seen" };
  const envelope = { timeMillis: 0, actor: root, requestId: null, idempotency: null, command };
  const entry = { sequence: 2, envelope, outcome: { events } };
  const again = readEntry(entryBytes(entry, "0".repeat(32)));
  const { action, resource } = auditFacts(again);
  console.log(JSON.stringify({ events, action, resource, command: again.envelope.command }));
`;

function copied(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "firstprint-command-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const path of [...code, "package.json", "tsconfig.json"]) {
    cpSync(join(checkout, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(checkout, "node_modules"), join(folder, "node_modules"));
  const core = { extends: "./tsconfig.json", include: ["src/core"] };
  writeFileSync(join(folder, "core.json"), JSON.stringify(core));
  writeFileSync(join(folder, "given.ts"), given);
  return folder;
}

test("a command is one row, one function that decides, and its events", (t) => {
  const [, diff] = /^```diff\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(diff !== undefined, "the page shows a diff");
  const folder = copied(t);
  const run = (program: string, ...argv: string[]): string =>
    execFileSync(program, argv, { cwd: folder, encoding: "utf8", stdio: "pipe" });

  writeFileSync(join(folder, "a.diff"), diff);
  run("git", "apply", "a.diff");
  run(process.execPath, "node_modules/typescript/bin/tsc", "--noEmit", "-p", "core.json");

  assert.deepEqual(JSON.parse(run(process.execPath, "given.ts")), {
    events: [{ type: "NoteWritten", note: "seen" }],
    action: "note.written",
    resource: "exchange",
    command: { type: "WriteNote", note: "seen" },
  });

  const rows = diff.match(/^\+ {2}[A-Z]\w+: \{$/gm) ?? [];
  assert.equal(rows.length, 1, "one row in the table of commands");
});
