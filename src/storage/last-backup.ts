// When the newest backup of a data folder was taken, for those who watch the node.
// Invariant: it is noted once the backup is whole, and says when that one began.
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "last-backup";

export const noteBackup = (dataDir: string, takenAt: string): Promise<void> =>
  writeFile(join(dataDir, FILE), `${takenAt}\n`, { mode: 0o600 });

/** Seconds since 1970; 0 where none was taken from this folder. */
export function lastBackupSeconds(dataDir: string): number {
  try {
    return Date.parse(readFileSync(join(dataDir, FILE), "utf8").trim()) / 1000 || 0;
  } catch {
    return 0;
  }
}
