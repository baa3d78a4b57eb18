// NOAA's own numbers for the places of nClimDiv's statewide, regional and national files.
// Invariant: these are not FIPS codes: 001 to 048 are the contiguous states in order of their name.

/** The contiguous states by NOAA's number, from 001 on. */
const contiguous =
  "AL AZ AR CA CO CT DE FL GA ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT " +
  "NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY";

const stateCodes: ReadonlyMap<string, string> = new Map([
  ...contiguous
    .split(" ")
    .map((state, index): [string, string] => [String(index + 1).padStart(3, "0"), state]),
  // From 1991 (Hawaii) and 1925 (Alaska) on, in files that have them at all; the Capital has none.
  ["049", "HI"],
  ["050", "AK"],
]);

/** The contiguous 48 states together: what stands here for the nation. */
export const NATION_CODE = "110";

/** Two letters, or undefined for the nation, climate regions, river basins and crop belts. */
export const stateOfCode = (code: string): string | undefined => stateCodes.get(code);

/** The places every file holds: the contiguous states, the nine climate regions, the nation. */
export const requiredCodes: readonly string[] = [
  ...[...stateCodes.keys()].filter((code) => code < "049"),
  ..."101 102 103 104 105 106 107 108 109".split(" "),
  NATION_CODE,
];
