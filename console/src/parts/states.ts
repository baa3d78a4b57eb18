// The states by their FIPS code, as the map's shapes name them.
// Invariant: every shape of the map of states that the exchange has a place for stands here.

const codes =
  "01AL 02AK 04AZ 05AR 06CA 08CO 09CT 10DE 11DC 12FL 13GA 15HI 16ID 17IL 18IN 19IA 20KS 21KY " +
  "22LA 23ME 24MD 25MA 26MI 27MN 28MS 29MO 30MT 31NE 32NV 33NH 34NJ 35NM 36NY 37NC 38ND 39OH " +
  "40OK 41OR 42PA 44RI 45SC 46SD 47TN 48TX 49UT 50VT 51VA 53WA 54WV 55WI 56WY";

const byFips = new Map(codes.split(" ").map((one) => [one.slice(0, 2), one.slice(2)] as const));

/** The place of a shape: two digits are a state, five a county. */
export function placeIdOf(fips: string): string | undefined {
  if (fips.length === 5) return `county:${fips}`;
  const code = byFips.get(fips);
  return code === undefined ? undefined : `state:${code.toLowerCase()}`;
}

/** The postal code of a state's shape: "TX". */
export const stateCodeOf = (fips: string): string => byFips.get(fips) ?? "";
