// The settings of raw files: in the database, or in an S3-compatible store beside it.
// Invariant: a store is named whole, with its key, or not at all.
import { isLoopbackHost } from "#http/server/hosts.ts";
import type { ObjectStoreAddress } from "#ingest/object-store.ts";
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
  if (!isBucket(url)) {
    throw new SettingsFault(
      "FIRSTPRINT_S3_URL must be the address of a bucket, such as https://s3.example/bucket or " +
        "https://s3.example/bucket/prefix; http:// on this machine alone",
    );
  }
  const [accessKeyId, secretAccessKey] = [text("AWS_ACCESS_KEY_ID"), text("AWS_SECRET_ACCESS_KEY")];
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new SettingsFault(
      "FIRSTPRINT_S3_URL must come with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    );
  }
  const region = text("FIRSTPRINT_S3_REGION") ?? "us-east-1";
  return { url, region, accessKeyId, secretAccessKey, takesNew: place === "s3" };
}

/** The variables by which a program finds raw files. */
export const rawVariables = [
  ...["FIRSTPRINT_RAW_FILES", "FIRSTPRINT_S3_URL", "FIRSTPRINT_S3_REGION"],
  ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
];

/** Prefixes are plain, so that an address, a signature and a list name them alike. */
function isBucket(text: string): boolean {
  if (!/^https?:\/\/[^\s?#/@]+(\/[a-z0-9][a-z0-9._-]*)+\/?$/i.test(text) || !URL.canParse(text)) {
    return false;
  }
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || isLoopbackHost(hostname);
}
