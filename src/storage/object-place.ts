// The store that a setting names: a folder, or a bucket of an S3-compatible store.
// Invariant: both keep an object under the same name, so one is a copy of the other.
import { ObjectFolder, type ObjectStore } from "./object-folder.ts";
import { type ObjectStoreAddress, S3Store } from "./s3-store.ts";

/** The path of a folder, or a bucket with its key. */
export type ObjectPlace = string | ObjectStoreAddress;

export const objectStoreAt = (place: ObjectPlace): ObjectStore =>
  typeof place === "string" ? new ObjectFolder(place) : new S3Store(place);
