// Where the journal's archive is, and the environment of programs that use it beside a node.
// Invariant: a program is given the key of a bucket only where the archive is one.
import { resolve } from "node:path";
import type { ObjectPlace } from "#storage/object-place.ts";
import { bucket } from "./bucket.ts";

/** A folder, or the address of a bucket. `text`: a variable of the environment. */
export function archivePlace(
  named: string | undefined,
  text: (name: string) => string | undefined,
): ObjectPlace | undefined {
  if (named === undefined) return undefined;
  // An address of another kind is no folder, either.
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(named);
  return isAddress ? bucket("FIRSTPRINT_ARCHIVE", named, text) : resolve(named);
}

interface StoreLocation {
  readonly dataDir: string;
  /** Undefined = the embedded server under the folder. */
  readonly databaseUrl: string | undefined;
  readonly archive: ObjectPlace | undefined;
}

/** Names the stores of a node to a program that it starts. */
export const storeVariables = ({
  dataDir,
  databaseUrl,
  archive,
}: StoreLocation): Record<string, string> => ({
  FIRSTPRINT_DATA_DIR: dataDir,
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  ...(archive === undefined ? {} : archiveVariables(archive)),
});

function archiveVariables(place: ObjectPlace): Record<string, string> {
  if (typeof place === "string") return { FIRSTPRINT_ARCHIVE: place };
  return {
    FIRSTPRINT_ARCHIVE: place.url,
    FIRSTPRINT_S3_REGION: place.region,
    AWS_ACCESS_KEY_ID: place.accessKeyId,
    AWS_SECRET_ACCESS_KEY: place.secretAccessKey,
  };
}
