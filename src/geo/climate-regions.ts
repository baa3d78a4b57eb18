// States that share a climate: the nine regions NOAA compares the contiguous states by.
// Invariant: every state and DC is in exactly one region; Alaska and Hawaii are alone in theirs.

/** NOAA's regions (Karl and Koss, 1984). DC, which they leave out, stands with its neighbours. */
const regions: readonly (readonly string[])[] = [
  ["CT", "DC", "DE", "MA", "MD", "ME", "NH", "NJ", "NY", "PA", "RI", "VT"],
  ["IA", "MI", "MN", "WI"],
  ["IL", "IN", "KY", "MO", "OH", "TN", "WV"],
  ["AL", "FL", "GA", "NC", "SC", "VA"],
  ["MT", "ND", "NE", "SD", "WY"],
  ["AR", "KS", "LA", "MS", "OK", "TX"],
  ["AZ", "CO", "NM", "UT"],
  ["ID", "OR", "WA"],
  ["CA", "NV"],
  ["AK"],
  ["HI"],
];

/** The codes of the states that share the climate of this one, itself among them. */
export const climateRegionOf = (stateCode: string): readonly string[] =>
  regions.find((states) => states.includes(stateCode)) ?? [stateCode];
