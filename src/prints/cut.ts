// The cut of homes a series of files is made of, and the cut that a file's name tells.
// Invariant: a name can refuse a file and never vouches for one; a name nobody knows says nothing.
import type { IndexKind } from "#base/index-kind.ts";
import { ReleaseRefusal } from "./refusal.ts";
import type { ProviderId } from "./release.ts";

/** As Zillow's file names spell it: homes, tier, smoothing, season. */
const zillowCuts: Readonly<Partial<Record<IndexKind, string>>> = {
  zhvi: "uc_sfrcondo_tier_0.33_0.67_sm_sa",
  zori: "uc_sfrcondomfr_sm",
};

/** Earlier names of the same cuts. */
const formerly: Readonly<Record<string, string>> = {
  "zhvi allhomes": "uc_sfrcondo_tier_0.33_0.67_sm_sa",
  "zori sm": "uc_sfrcondomfr_sm",
};

/** Part of a series' definition; null where the provider has one cut only. */
export const cutOf = (provider: string, index: IndexKind): string | null =>
  provider === "zillow" ? (zillowCuts[index] ?? null) : null;

const LEVELS = "(?:state|metro|county|city|neighborhood|zip)";
const NOW = "(?:bdrmcnt_[1-5]_)?uc_[a-z]+(?:_tier_[0-9.]+_[0-9.]+)?(?:_sm)?(?:_sa)?|sm(?:_sa)?";
const BEFORE_2020 =
  "allhomes|singlefamilyresidence|condomini?um|toptier|bottomtier|[1-5]bedroom(?:ormore)?" +
  "|allhomesplusmultifamily[a-z_]*|summary[a-z_]*";
const OTHER_MEASURES =
  "zri[a-z]*|zordi|zhvf|zhvipersqft|medianvalue[a-z]*|mlp|invt|sales_count|sale_prices?" +
  "|(?:median|mean)_?(?:sale|sold|rental|list(?:ing)?)_?price";

const ownIndex = new RegExp(
  `(?:^|[^a-z])${LEVELS}_(zhvi|zori)_(${NOW}|${BEFORE_2020})(?:_mon|_month)?(?![a-z0-9_.])`,
);
const otherMeasure = new RegExp(
  `(?:^|[^a-z])(?:${LEVELS}_(${OTHER_MEASURES})(?![a-z])|(sale_prices?)_${LEVELS}(?![a-z]))`,
);

/** Without folder and endings; a browser may have put a number behind it. */
const plain = (fileName: string): string =>
  fileName
    .replace(/^.*[/\\]/, "")
    .toLowerCase()
    .replace(/(?:\.csv|\.gz)+$/, "");

/** The cut in the file's name, as `zhvi uc_sfr_…`; undefined where it has none. */
function namedCut(fileName: string): string | undefined {
  const name = plain(fileName);
  const [, index = "", cut = ""] = ownIndex.exec(name) ?? [];
  const named = `${index} ${cut}`;
  if (index !== "") return formerly[named] === undefined ? named : `${index} ${formerly[named]}`;
  const [, before, behind] = otherMeasure.exec(name) ?? [];
  return before ?? behind;
}

/** @throws ReleaseRefusal where the name is that of another cut, or of another measure */
export function refuseOtherCut(sent: {
  readonly provider: ProviderId;
  readonly index: IndexKind;
  readonly fileName?: string | undefined;
}): void {
  const { provider, index, fileName } = sent;
  const own = cutOf(provider, index);
  if (own === null || fileName === undefined) return;
  const named = namedCut(fileName);
  if (named === undefined || named === `${index} ${own}`) return;
  throw new ReleaseRefusal(
    "OTHER_CUT",
    {},
    `The file's name says "${named}", and this series is "${index} ${own}": prints of two cuts ` +
      "are not of one series. Download the file of the series' own cut.",
  );
}
