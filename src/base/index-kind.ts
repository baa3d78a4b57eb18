// The four kinds of index a contract may settle on.
// Invariant: closed; a new kind is a new methodology, never a parameter.

export const indexKinds = ["zhvi", "zori", "vacancy", "weather"] as const;
export type IndexKind = (typeof indexKinds)[number];

export const isIndexKind = (text: string): text is IndexKind =>
  (indexKinds as readonly string[]).includes(text);

/**
 * How many months lie between two prints of one series: a quarter has one print, in its last month,
 * and so has a calendar window of a year. Months between them are no gap.
 */
export const periodMonths: Readonly<Record<IndexKind, number>> = {
  zhvi: 1,
  zori: 1,
  vacancy: 3,
  weather: 12,
};
