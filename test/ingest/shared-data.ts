// Where the providers' own files are, for tests only; they are no part of this repository.
// Invariant: where they are absent the test says so and is skipped.
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const folder = new URL("../../../shared/data/", import.meta.url);

/** For the options of a test: false where the files are there, else why it is skipped. */
export const skipWithoutData: string | false = existsSync(folder)
  ? false
  : "the providers' files (../shared/data beside the checkout) are not on this machine";

/** The decompressed bytes of a file of `shared/data`. */
export const sharedFile = (path: string): Buffer => gunzipSync(readFileSync(new URL(path, folder)));

const ZHVI = "zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz";
const ZORI = "zori_uc_sfrcondomfr_sm_month.csv.gz";

/** `zhvi/state/2025-09` → the file the provider published there. */
export function providerFile(vintage: string): Buffer {
  const [index = "", level = ""] = vintage.split("/");
  const prefix = `${level.charAt(0).toUpperCase()}${level.slice(1)}`;
  return sharedFile(`${vintage}/${prefix}_${index === "zhvi" ? ZHVI : ZORI}`);
}
