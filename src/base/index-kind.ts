// The four kinds of index a contract may settle on.
// Invariant: closed; a new kind is a new methodology, never a parameter.

export const indexKinds = ["zhvi", "zori", "vacancy", "weather"] as const;
export type IndexKind = (typeof indexKinds)[number];

export const isIndexKind = (text: string): text is IndexKind =>
  (indexKinds as readonly string[]).includes(text);
