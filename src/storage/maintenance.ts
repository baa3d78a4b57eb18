// Work on a data folder that the audit trail is to tell of: noted beside what it changed, and
// entered into the journal by the node when it leads.
// Invariant: a note leaves the folder only when the journal has it; it may then have it twice.
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "./secret-file.ts";

interface MaintenanceNote {
  readonly work: "loss_accepted" | "secret_changed";
  readonly subject: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

const FILE = "maintenance";

export async function noteMaintenance(dataDir: string, note: MaintenanceNote): Promise<void> {
  const file = await open(join(dataDir, FILE), "a", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(note)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dataDir);
}

/** Has each note entered, and the notes removed. */
export async function enterMaintenance(
  dataDir: string,
  enter: (note: MaintenanceNote) => Promise<void>,
): Promise<void> {
  const path = join(dataDir, FILE);
  const text = await readFile(path, "utf8").catch(() => "");
  // A line without its end is of work that was cut off before it changed anything.
  for (const line of text.split("\n").slice(0, -1)) {
    const note: unknown = JSON.parse(line);
    if (isNote(note)) await enter(note);
  }
  await rm(path, { force: true });
}

const isNote = (value: unknown): value is MaintenanceNote =>
  typeof value === "object" && value !== null && "work" in value && "subject" in value;
