// Work on a data folder that the audit trail is to tell of: noted beside what it changed, a file
// each, and entered into the journal by the node when it leads.
// Invariant: a note leaves the folder only when the journal has it; it may then have it twice.
import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { keepSecret, readSecretFile, syncFolder } from "./secret-file.ts";

interface MaintenanceNote {
  readonly work: "loss_accepted" | "secret_changed" | "clock_accepted";
  readonly subject: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

/** The time first: names sort as notes were made. One that was cut off has a longer name. */
const fileName = /^maintenance\.\d{15}\.[0-9a-f-]{36}$/;

export async function noteMaintenance(dataDir: string, note: MaintenanceNote): Promise<void> {
  const millis = String(Date.now()).padStart(15, "0");
  const name = `maintenance.${millis}.${randomUUID()}`;
  await keepSecret(dataDir, name, () => JSON.stringify(note));
}

/** Has each note entered, and removed; one that is made meanwhile stays for the next time. */
export async function enterMaintenance(
  dataDir: string,
  enter: (note: MaintenanceNote) => Promise<void>,
): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => fileName.test(name)).sort();
  for (const name of names) {
    const path = join(dataDir, name);
    const note: unknown = JSON.parse((await readSecretFile(path)) ?? "null");
    if (isNote(note)) await enter(note);
    await rm(path);
  }
  if (names.length > 0) await syncFolder(dataDir);
}

const isNote = (value: unknown): value is MaintenanceNote =>
  typeof value === "object" && value !== null && "work" in value && "subject" in value;
