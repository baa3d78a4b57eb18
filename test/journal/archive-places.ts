// The places an archive may lie in, for tests that hold for each: a folder, and a bucket of an
// S3-compatible store.
// Invariant: in both an object is a file that a test may alter; both go with their test.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectStore } from "#storage/object-folder.ts";
import { type ObjectPlace, objectStoreAt } from "#storage/object-place.ts";
import { ObjectServer } from "#test/support/object-server.ts";
import { ObjectWay } from "#test/support/object-way.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

interface Scope {
  after(end: () => Promise<void>): void;
}

export interface ArchivePlace {
  readonly store: ObjectStore;
  /** The variables that name it to a program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Of all objects, sorted. */
  names(): Promise<readonly string[]>;
  /** The file that has an object's bytes. */
  pathOf(name: string): string;
}

export interface BucketPlace extends ArchivePlace {
  readonly way: ObjectWay;
}

export const folder = (t: Scope): Promise<string> => temporaryFolder(t, "firstprint-archive-");

export async function inFolder(t: Scope): Promise<ArchivePlace> {
  const path = await folder(t);
  return { ...placeAt(path, path, ""), environment: { FIRSTPRINT_ARCHIVE: path } };
}

export async function inBucket(t: Scope): Promise<BucketPlace> {
  const server = await ObjectServer.start(t);
  const way = await ObjectWay.start(t, server);
  const { url, accessKeyId, secretAccessKey } = way.address;
  const environment = {
    FIRSTPRINT_ARCHIVE: url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  return { ...placeAt(way.address, server.objects, "._S3rver_object"), environment, way };
}

export const places = [
  { place: "a folder", open: inFolder },
  { place: "a bucket", open: inBucket },
] as const;

function placeAt(
  place: ObjectPlace,
  root: string,
  ending: string,
): Omit<ArchivePlace, "environment"> {
  return {
    store: objectStoreAt(place),
    pathOf: (name) => join(root, `${name}${ending}`),
    names: async () => {
      const files = await readdir(root, { recursive: true }).catch(() => []);
      return files
        .filter((file) => /\.(zst|json)$/.test(withoutEnding(file, ending)))
        .map((file) => withoutEnding(file, ending))
        .sort();
    },
  };
}

const withoutEnding = (file: string, ending: string): string =>
  file.endsWith(ending) ? file.slice(0, file.length - ending.length) : "";
