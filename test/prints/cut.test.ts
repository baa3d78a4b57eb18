// The cut in a file's name: other cuts are refused, and names nobody knows say nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutOf, refuseOtherCut } from "#prints/cut.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";

/** The message; undefined where the name is taken. */
function refused(index: "zhvi" | "zori", fileName: string | undefined): string | undefined {
  try {
    refuseOtherCut({ provider: "zillow", index, fileName });
    return undefined;
  } catch (fault) {
    assert.ok(fault instanceof ReleaseRefusal);
    assert.equal(fault.code, "OTHER_CUT");
    return fault.message;
  }
}

const levels = ["State", "Metro", "County", "City", "Neighborhood", "Zip"];

test("the series' own files pass by their names, of every level and age", () => {
  for (const level of levels) {
    for (const [index, name] of [
      ["zhvi", `${level}_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv`],
      ["zhvi", `${level}_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_mon.csv`],
      ["zhvi", `${level}_Zhvi_AllHomes.csv.gz`],
      ["zori", `${level}_zori_uc_sfrcondomfr_sm_month.csv`],
      ["zori", `${level}_zori_sm_month.csv`],
    ] as const) {
      assert.equal(refused(index, name), undefined, name);
      assert.equal(refused(index, `/data/2025-04/${name}`), undefined, name);
      assert.equal(refused(index, name.replace(".csv", " (1).csv")), undefined, name);
    }
  }
});

test("every other cut that is published is refused by its name, naming both", () => {
  const zhvi = [
    "uc_sfr_tier_0.33_0.67_sm_sa",
    "uc_condo_tier_0.33_0.67_sm_sa",
    "uc_sfrcondo_tier_0.0_0.33_sm_sa",
    "uc_sfrcondo_tier_0.67_1.0_sm_sa",
    "uc_sfrcondo_tier_0.33_0.67",
    ...[1, 2, 3, 4, 5].map((rooms) => `bdrmcnt_${rooms}_uc_sfrcondo_tier_0.33_0.67_sm_sa`),
  ];
  for (const cut of zhvi) {
    const message = refused("zhvi", `State_zhvi_${cut}_month.csv`);
    assert.ok(message?.includes(`"zhvi ${cut}"`), cut);
    assert.ok(message?.includes('"zhvi uc_sfrcondo_tier_0.33_0.67_sm_sa"'), cut);
    assert.ok(refused("zhvi", `2025-04 state_zhvi_${cut}_month (2).csv.gz`)?.includes(cut), cut);
  }
  for (const cut of ["uc_sfrcondomfr_sm_sa", "uc_sfr_sm", "uc_mfr_sm", "uc_mfr_sm_sa", "sm_sa"]) {
    const message = refused("zori", `Metro_zori_${cut}_month.csv`);
    assert.ok(message?.includes(`"zori ${cut}"`), cut);
    assert.ok(message?.includes('"zori uc_sfrcondomfr_sm"'), cut);
  }
});

test("old tiers, rent indices, sale prices and the other index are refused by their names", () => {
  for (const name of [
    "State_Zhvi_TopTier.csv",
    "County_Zhvi_BottomTier.csv",
    "Zip_Zhvi_SingleFamilyResidence.csv",
    "City_Zhvi_Condominum.csv",
    "Metro_Zhvi_3bedroom.csv",
    "Metro_Zhvi_5BedroomOrMore.csv",
    "State_ZhviPerSqft_AllHomes.csv",
    "State_MedianSoldPrice_AllHomes.csv",
    "Sale_Prices_State.csv",
    "Metro_median_sale_price_uc_sfrcondo_sm_sa_month.csv",
    "Metro_zori_uc_sfrcondomfr_sm_month.csv",
  ]) {
    assert.notEqual(refused("zhvi", name), undefined, name);
  }
  for (const name of [
    "Metro_Zri_AllHomesPlusMultifamily.csv",
    "State_ZriPerSqft_AllHomes.csv",
    "Zip_MedianRentalPrice_AllHomes.csv",
    "Metro_ZORI_AllHomesPlusMultifamily_SSA.csv",
    "Metro_zordi_uc_sfrcondomfr_month.csv",
    "Metro_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv",
  ]) {
    assert.notEqual(refused("zori", name), undefined, name);
  }
});

test("a name that nobody knows says nothing, and other providers have one cut", () => {
  for (const name of [
    undefined,
    "",
    "states.csv",
    "state_2025-04.csv",
    "state_zhvi_april.csv",
    "Zillow_Home_Value_Index_sample.csv",
    "estate_zhvi_uc_sfr_month.csv",
  ]) {
    assert.equal(refused("zhvi", name), undefined, name);
  }
  assert.equal(cutOf("zillow", "zhvi"), "uc_sfrcondo_tier_0.33_0.67_sm_sa");
  assert.equal(cutOf("zillow", "vacancy"), null);
  assert.equal(cutOf("sample", "zhvi"), null);
  const fileName = "State_zhvi_uc_sfr_tier_0.33_0.67_sm_sa_month.csv";
  refuseOtherCut({ provider: "sample", index: "zhvi", fileName });
});
