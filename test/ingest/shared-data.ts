// Where the providers' own files are, for tests only; they are no part of this repository.
// Invariant: where they are absent, every test reads made-up files of the same layout; only a test
// about what a provider published says so and is skipped. CONTRIBUTING.md lists those.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { isMadeOnly, madeFile } from "#test/support/made-files.ts";

const folder = new URL("../../../shared/data/", import.meta.url);

/** True where the files below are the providers' own, whose figures are known. */
export const isGenuine = existsSync(folder) && !isMadeOnly;

/** For the options of a test of what a provider published: false, or why it is skipped. */
export const genuineOnly: string | false = isGenuine
  ? false
  : "about the providers' own files (../shared/data beside the checkout), which are not here";

/** The decompressed bytes of a file of `shared/data`, or of a made-up one where there is none. */
export function sharedFile(path: string): Buffer {
  const packed = isGenuine ? readFileSync(new URL(path, folder)) : madeFile(path);
  assert.ok(packed !== undefined, `${path} is neither at hand nor made up`);
  return gunzipSync(packed);
}

const ZHVI = "zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz";
const ZORI = "zori_uc_sfrcondomfr_sm_month.csv.gz";

/** `zhvi/state/2025-09` → the file the provider published there. */
export function providerFile(vintage: string): Buffer {
  const [index = "", level = ""] = vintage.split("/");
  const prefix = `${level.charAt(0).toUpperCase()}${level.slice(1)}`;
  return sharedFile(`${vintage}/${prefix}_${index === "zhvi" ? ZHVI : ZORI}`);
}
