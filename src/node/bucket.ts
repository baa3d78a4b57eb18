// A bucket of an S3-compatible store, as settings name it; raw files and the archive have one key.
// Invariant: it is named whole, with its key, and its address has no credential in it.
import { isLoopbackHost } from "#http/server/hosts.ts";
import type { ObjectStoreAddress } from "#storage/s3-store.ts";
import { SettingsFault } from "./settings-fault.ts";

/** The key and the region of every bucket. */
export const bucketVariables = [
  "FIRSTPRINT_S3_REGION",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
] as const;

/** `name`: of the setting that has this address. @throws SettingsFault */
export function bucket(
  name: string,
  url: string,
  text: (name: string) => string | undefined,
): ObjectStoreAddress {
  if (!isBucket(url)) {
    throw new SettingsFault(
      `${name} must be the address of a bucket, such as https://s3.example/bucket or ` +
        "https://s3.example/bucket/prefix; http:// on this machine alone",
    );
  }
  const [region = "us-east-1", accessKeyId, secretAccessKey] = bucketVariables.map(text);
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new SettingsFault(`${name} must come with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`);
  }
  return { url, region, accessKeyId, secretAccessKey };
}

/** Prefixes are plain, so that an address, a signature and a list name them alike. */
function isBucket(text: string): boolean {
  if (!/^https?:\/\/[^\s?#/@]+(\/[a-z0-9][a-z0-9._-]*)+\/?$/i.test(text) || !URL.canParse(text)) {
    return false;
  }
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || isLoopbackHost(hostname);
}
