// The providers' own files, beside the checkout where there are any; never a part of the project.
// Invariant: a test that needs a file which is not there gets a made-up one of the same layout, or
// says what it lacks and is skipped.
import { existsSync } from "node:fs";
import type { TestContext } from "node:test";
import { isMadeOnly, madeFileUrl } from "./made-files.ts";

const folder = new URL("../../../shared/data/", import.meta.url);

/** The file, or undefined after having skipped the test with the reason. */
export function providerFile(t: TestContext, path: string): URL | undefined {
  const file = new URL(path, folder);
  if (existsSync(file) && !isMadeOnly) return file;
  const made = madeFileUrl(path);
  if (made === undefined) t.skip(`needs the provider's file ${path} under ../shared/data`);
  return made;
}

export const zhviState = (month: string): string =>
  `zhvi/state/${month}/State_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz`;
