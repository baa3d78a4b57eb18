// The providers: names as they stand in an attribution, and when a print is expected.
import assert from "node:assert/strict";
import { test } from "node:test";
import { monthOf } from "#base/month.ts";
import {
  attributionOf,
  expectedPublicationMillis,
  isChained,
  isPrintLevel,
  isProviderId,
  providerIds,
  providers,
} from "#prints/release.ts";

test("an attribution names the provider as the licence asks", () => {
  assert.deepEqual(providerIds.map(attributionOf), [
    "Data from Zillow",
    "Data from U.S. Census Bureau",
    "Data from FRED, Federal Reserve Bank of St. Louis",
    "Data from NOAA National Centers for Environmental Information",
    "Data from Firstprint Sample Data",
  ]);
  for (const id of providerIds) assert.equal(providers[id].id, id);
});

test("Zillow's print is expected on the 20th of the month after, also over a year's end", () => {
  for (const provider of ["zillow", "sample"] as const) {
    assert.equal(
      new Date(expectedPublicationMillis(provider, monthOf(2025, 9))).toISOString(),
      "2025-10-20T00:00:00.000Z",
    );
    assert.equal(
      new Date(expectedPublicationMillis(provider, monthOf(2025, 12))).toISOString(),
      "2026-01-20T00:00:00.000Z",
    );
  }
});

test("what is no provider, level or chained index is known as such", () => {
  assert.deepEqual(["zillow", "Zillow", "redfin", ""].map(isProviderId), [
    true,
    false,
    false,
    false,
  ]);
  assert.deepEqual(["metro", "nation", "us", "zip"].map(isPrintLevel), [true, true, false, true]);
  assert.deepEqual((["zhvi", "zori", "vacancy", "weather"] as const).map(isChained), [
    true,
    true,
    false,
    false,
  ]);
});
