// A small disk of its own for a test that fills it: a tmpfs, mounted over one folder.
// Invariant: it is gone after the test, whatever became of that; nothing else is ever full.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** False after having skipped the test with the reason: nobody but root can mount. */
export function canMount(t: TestContext): boolean {
  const folder = mkdtempSync(join(tmpdir(), "firstprint-mount-"));
  try {
    mount(folder, 1);
    execFileSync("umount", [folder]);
    return true;
  } catch (error) {
    t.skip(`needs to mount a small tmpfs, as root: ${error}`);
    return false;
  } finally {
    rmdirSync(folder);
  }
}

const mount = (folder: string, megabytes: number): void => {
  const options = `size=${megabytes}m`;
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "pipe" });
};

const FILLER = "filler";
const PIECE_BYTES = 4_096;

export class SmallDisk {
  readonly folder: string;

  /** Over a folder, whose content moves onto it, owners and modes included. */
  constructor(folder: string, megabytes: number) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    const { uid, gid, mode } = statSync(folder);
    const aside = mkdtempSync(join(tmpdir(), "firstprint-aside-"));
    execFileSync("cp", ["-a", `${folder}/.`, aside]);
    mount(folder, megabytes);
    execFileSync("cp", ["-a", `${aside}/.`, folder]);
    execFileSync("rm", ["-r", aside]);
    chownSync(folder, uid, gid);
    execFileSync("chmod", [(mode & 0o7777).toString(8), folder]);
  }

  /** Leaves `bytes` free, by pages; the folder's owner meets the same end as root. */
  async fill(bytes = 0): Promise<void> {
    const file = await open(join(this.folder, FILLER), "a");
    const piece = Buffer.alloc(PIECE_BYTES, 1);
    try {
      for (;;) await file.write(piece);
    } catch (error) {
      assert.ok(error instanceof Error && "code" in error && error.code === "ENOSPC", `${error}`);
      const { size } = await file.stat();
      await file.truncate(Math.max(0, size - bytes));
    } finally {
      await file.close();
    }
  }

  async free(): Promise<void> {
    await rm(join(this.folder, FILLER), { force: true });
  }

  remove(): void {
    execFileSync("umount", ["--lazy", this.folder]);
  }
}
