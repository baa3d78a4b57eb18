// The place a path or a list of ids names: one of the hierarchy, or the nation.
// Invariant: the nation has prints and nothing else; it is read here and traded nowhere.
import type { NodeId } from "#base/ids.ts";
import { nation } from "#geo/node.ts";
import type { ExchangeView } from "#views/exchange.ts";

/** Matched without regard to case; undefined where there is no such place. */
export const placeAsked = (
  { exchange }: { readonly exchange: ExchangeView },
  id: string,
): NodeId | undefined => (id.toLowerCase() === nation.id ? nation.id : exchange.geo.get(id)?.id);
