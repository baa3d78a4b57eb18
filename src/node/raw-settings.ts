// The settings of raw files: in the database, or in an S3-compatible store beside it.
// Invariant: a store is named whole, with its key, or not at all.
import type { ObjectStoreAddress } from "#storage/s3-store.ts";
import { bucket, bucketVariables } from "./bucket.ts";
import { SettingsFault } from "./settings-fault.ts";

export interface RawSettings extends ObjectStoreAddress {
  /** Otherwise the store is only read, and what is there moves back. */
  readonly takesNew: boolean;
}

/** `text`: a variable of the environment; undefined where it is not set or empty. */
export function rawSettings(text: (name: string) => string | undefined): RawSettings | undefined {
  const [place = "database", url] = [text("FIRSTPRINT_RAW_FILES"), text("FIRSTPRINT_S3_URL")];
  if (place !== "database" && place !== "s3") {
    throw new SettingsFault("FIRSTPRINT_RAW_FILES must be database or s3");
  }
  if (url === undefined) {
    if (place === "database") return undefined;
    throw new SettingsFault(
      "FIRSTPRINT_RAW_FILES must not be s3 without FIRSTPRINT_S3_URL, the address of the bucket",
    );
  }
  return { ...bucket("FIRSTPRINT_S3_URL", url, text), takesNew: place === "s3" };
}

/** The variables by which a program finds raw files. */
export const rawVariables = ["FIRSTPRINT_RAW_FILES", "FIRSTPRINT_S3_URL", ...bucketVariables];
