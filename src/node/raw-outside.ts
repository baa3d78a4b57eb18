// The object store of raw files, as the settings name it, with the folder that files wait in.
// Invariant: what a crash left in the folder leaves at the next start.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RawOutside } from "#ingest/raw-store.ts";
import { S3Store } from "#storage/s3-store.ts";
import type { RawSettings } from "./raw-settings.ts";

export async function rawOutside(
  settings: RawSettings | undefined,
  dataDir: string,
): Promise<RawOutside | undefined> {
  if (settings === undefined) return undefined;
  const { takesNew, ...address } = settings;
  const folder = join(dataDir, "uploads");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  return { objects: new S3Store(address), takesNew, folder };
}
