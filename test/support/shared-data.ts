// The providers' own files, beside the checkout where there are any; never a part of the project.
// Invariant: a test that needs a file which is not there says so and is skipped.
import { existsSync } from "node:fs";
import type { TestContext } from "node:test";

const folder = new URL("../../../shared/data/", import.meta.url);

/** The file, or undefined after having skipped the test with the reason. */
export function providerFile(t: TestContext, path: string): URL | undefined {
  const file = new URL(path, folder);
  if (existsSync(file)) return file;
  t.skip(`needs the provider's file ${path} under ../shared/data`);
  return undefined;
}

export const zhviState = (month: string): string =>
  `zhvi/state/${month}/State_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz`;
