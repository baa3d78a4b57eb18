// A PATH as a reader's machine has it: an old Node first, which runs no TypeScript.
// Invariant: the PATH names no program of this checkout, however this test was started.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

interface Scope {
  after(end: () => void): void;
}

/** Like Node 20 it says its version and refuses a file of types; anything else it runs. */
const oldNode = `#!/bin/sh
case " $* " in
  *process.versions.node*) echo 20; exit 0 ;;
  *.ts\\ *) echo "TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension .ts" >&2; exit 1 ;;
esac
exec "${process.execPath}" "$@"
`;

export function pathWithOldNode(t: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), "firstprint-node-20-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "node"), oldNode, { mode: 0o755 });
  const machine = (process.env.PATH ?? "").split(delimiter);
  return [folder, ...machine.filter((one) => !one.endsWith("node_modules/.bin"))].join(delimiter);
}
