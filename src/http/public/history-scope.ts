// The places and months that a bulk history is asked for.
// Invariant: a place that is named stands for itself and everything that lies in it.
import { type Static, Type } from "typebox";
import type { NodeId } from "#base/ids.ts";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { type Month, parseMonth } from "#base/month.ts";
import { type GeoLevel, geoLevels, nation } from "#geo/node.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { FormatAsked } from "../records/table-text.ts";
import { invalidField, type Refused, refuse } from "../route/errors.ts";
import { closed } from "../route/route.ts";
import { placeAsked } from "./place.ts";

const month = (description: string) =>
  Type.Optional(Type.String({ pattern: "^[0-9]{4}-[0-9]{2}$", description }));

export const historyQuery = {
  index: Type.Optional(Type.Enum([...indexKinds], { default: "zhvi" })),
  level: Type.Optional(Type.Enum([...geoLevels], { description: "places of this level alone" })),
  place: Type.Optional(Type.String({ description: "this place and those that lie in it" })),
  from: month("the first month, YYYY-MM"),
  to: month("the last month, YYYY-MM"),
  format: FormatAsked,
};
const asked = closed(historyQuery);

export interface HistoryScope {
  readonly index: IndexKind;
  readonly from: Month | undefined;
  readonly to: Month | undefined;
  has(node: NodeId): boolean;
}

export function scopeAsked(
  { exchange }: { readonly exchange: ExchangeView },
  query: Omit<Static<typeof asked>, "format">,
): HistoryScope | Refused {
  const { index = "zhvi", level, place } = query;
  const [from, to] = [monthOf(query.from), monthOf(query.to)];
  if (from === null) return invalidField("from", "must be a month, YYYY-MM");
  if (to === null) return invalidField("to", "must be a month, YYYY-MM");
  if (from !== undefined && to !== undefined && to < from) {
    return invalidField("to", "must not be before from");
  }
  const root = place === undefined ? undefined : placeAsked({ exchange }, place);
  if (place !== undefined && root === undefined) {
    return refuse("NOT_FOUND", { message: "No such place", field: "place" });
  }
  // Every place lies in the nation, which is no node of the hierarchy.
  const isAll = root === undefined || root === nation.id;
  const inside = isAll ? undefined : exchange.geo.within(root);
  const has = (node: NodeId): boolean =>
    (inside === undefined || inside.has(node)) && isOfLevel(exchange, node, level);
  return { index, from, to, has };
}

const monthOf = (text: string | undefined): Month | null | undefined =>
  text === undefined ? undefined : (parseMonth(text) ?? null);

const isOfLevel = ({ geo }: ExchangeView, node: NodeId, level: GeoLevel | undefined): boolean =>
  level === undefined || geo.get(node)?.level === level;
