// The providers' own files, beside the checkout where there are any; never a part of the project.
// Invariant: a test that needs a file which is not there gets a made-up one of the same layout; one
// that is about what was published says what it lacks and is skipped, and no other is.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { TestContext } from "node:test";
import { isMadeOnly, madeFileUrl } from "./made-files.ts";

const folder = new URL("../../../shared/data/", import.meta.url);

/** The file, or undefined after having skipped the test with the reason. */
export function providerFile(t: TestContext, path: string): URL | undefined {
  const file = publishedOrMade(path);
  if (file === undefined) t.skip(`needs the provider's file ${path} under ../shared/data`);
  return file;
}

/** The file of a scenario that must run in any clone: one that is not made up here fails it. */
export function scenarioFile(path: string): URL {
  const file = publishedOrMade(path);
  assert.ok(file !== undefined, `${path} is made up where it is not at hand`);
  return file;
}

function publishedOrMade(path: string): URL | undefined {
  const file = new URL(path, folder);
  return existsSync(file) && !isMadeOnly ? file : madeFileUrl(path);
}

export const zhviState = (month: string): string =>
  `zhvi/state/${month}/State_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz`;
