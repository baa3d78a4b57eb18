// A provider's history as a replay takes it in: places, and the first print of each month.
// Invariant: links and levels are those the exchange itself would have decided month by month.
import { type NodeId, nodeId, type ReleaseId, releaseId } from "#base/ids.ts";
import { addMonths, formatMonth, type Month } from "#base/month.ts";
import type { PrintValue } from "#base/print-value.ts";
import { type GeoLevel, type GeoNode, nation } from "#geo/node.ts";
import { builtInStates } from "#geo/states.ts";
import { GeoTree } from "#geo/tree.ts";
import type { PricedIndex, PricingLevel } from "#pricing/constants.ts";
import { decideNode, type NewPrint } from "#prints/first-prints.ts";

/** A region's line of a wide file. */
export interface HistoryRow {
  readonly name: string;
  /** Two capital letters, or a state's name; undefined where the file does not say. */
  readonly state: string | undefined;
  /** Five digits, of a county. */
  readonly fips: string | undefined;
  readonly isNation: boolean;
  /** One a month from the history's first on. */
  readonly values: readonly (PrintValue | null)[];
}

/** Plain data: it is handed to worker threads. */
export interface ProviderHistory {
  readonly index: PricedIndex;
  readonly level: PricingLevel;
  readonly firstMonth: Month;
  readonly rows: readonly HistoryRow[];
}

export interface PastPlace {
  readonly nodeId: NodeId;
  readonly prints: ReadonlyMap<Month, NewPrint>;
}

export interface RecordedPast {
  readonly index: PricedIndex;
  readonly geo: GeoTree;
  readonly firstMonth: Month;
  readonly lastMonth: Month;
  /** Tradable, in the order of the file. */
  readonly places: readonly (PastPlace & { readonly node: GeoNode })[];
  readonly byNode: ReadonlyMap<NodeId, PastPlace>;
  readonly nation: PastPlace | undefined;
}

/** @throws Error where a row's state is not known, or two rows are one place */
export function pastOf({ index, level, firstMonth, rows }: ProviderHistory): RecordedPast {
  const geo = GeoTree.builtIn();
  const printsOf = ({ values }: HistoryRow): ReadonlyMap<Month, NewPrint> => {
    const { newPrints } = decideNode(undefined, { firstMonth, values }, true);
    return new Map(newPrints.map((print) => [print.month, print]));
  };

  const places = rows.flatMap((row, at) => {
    const state = stateOf(row);
    if (row.isNation) return [];
    if (state === undefined) throw new Error(`"${row.name}": its state is not known`);
    const node = level === "state" ? state : nodeOf(level, row, state, at);
    return { node, nodeId: node.id, prints: printsOf(row) };
  });
  const byNode = new Map(places.map((place) => [place.nodeId, place]));
  if (byNode.size < places.length) throw new Error("the file has two rows of one place");
  for (const { node } of places) geo.put(node);
  const whole = rows.find((row) => row.isNation);
  const months = rows[0]?.values.length ?? 0;
  return {
    index,
    geo,
    firstMonth,
    lastMonth: addMonths(firstMonth, months - 1),
    places,
    byNode,
    nation: whole === undefined ? undefined : { nodeId: nation.id, prints: printsOf(whole) },
  };
}

/** By its two letters or its name, as the file has it. */
export const stateOf = ({ state, name }: HistoryRow): GeoNode | undefined =>
  statesByName.get(state ?? name);

const statesByName: ReadonlyMap<string, GeoNode> = new Map(
  builtInStates.flatMap((one) => [one.name, one.stateCode].map((name) => [name, one])),
);

/** The exchange has no metros; a metro counts as a county, whose constants are the same. */
function nodeOf(
  level: Exclude<PricingLevel, "state">,
  { name, fips }: HistoryRow,
  { id, stateCode }: GeoNode,
  at: number,
): GeoNode {
  const number = String(at + 1).padStart(5, "0");
  const digits = fips ?? (level === "zip" ? name.padStart(5, "0") : number);
  const { prefix, of } = levels[level];
  return {
    id: nodeId(`${prefix}:${digits}`),
    level: of,
    name,
    stateCode,
    fips: fips ?? null,
    aliases: [],
    parentIds: [id],
    housingUnits: 0,
    active: true,
    providerIds: [],
  };
}

const levels: Readonly<
  Record<Exclude<PricingLevel, "state">, { readonly prefix: string; readonly of: GeoLevel }>
> = {
  nation: { prefix: "county", of: "county" },
  county: { prefix: "county", of: "county" },
  metro: { prefix: "county", of: "county" },
  city: { prefix: "city", of: "city" },
  neighborhood: { prefix: "nbhd", of: "neighborhood" },
  zip: { prefix: "zip", of: "zip" },
};

/** The release that first carried a month. */
export const releaseOf = (month: Month): ReleaseId => releaseId(`rel-${formatMonth(month)}`);
