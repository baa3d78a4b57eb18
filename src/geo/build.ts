// Builds a hierarchy from a provider's files and the Census Bureau's lists: places, their ids,
// their other names, what they lie in and how many homes they hold.
// Invariant: the same rows give the same hierarchy in whatever order they come, and every node of
// it is one that readHierarchy takes.
import { type NodeId, nodeId } from "#base/ids.ts";
import { CityFinder, CountyFinder } from "./build-finders.ts";
import { PlaceIds } from "./build-ids.ts";
import { aliasesOf, spokenKey } from "./build-names.ts";
import { type Region, type RegionRow, regionsOf } from "./build-regions.ts";
import { coarseness, type GeoLevel, type GeoNode } from "./node.ts";
import { builtInStates } from "./states.ts";
import { plainName } from "./tree.ts";

/** A county of the Census gazetteer. */
export interface CountyRow {
  /** Five digits. */
  readonly fips: string;
  readonly name: string;
  readonly housingUnits: number;
}

/** Where a list says that a zip lies. */
export interface ZipRow {
  readonly zip: string;
  readonly stateCode: string;
  readonly county: string;
  /** Empty where the list does not say. */
  readonly city: string;
}

export interface HierarchySources {
  /** As it stands before its ids: `zillow`. */
  readonly provider: string;
  readonly regions: Iterable<RegionRow>;
  readonly counties: Iterable<CountyRow>;
  readonly zips: Iterable<ZipRow>;
  /** Zips with homes; of those that only a list names, no others become places. */
  readonly zctas?: ReadonlySet<string> | undefined;
  readonly homesByZip: ReadonlyMap<string, number>;
  /** The hierarchy built before, whose ids and aliases are kept. */
  readonly known: readonly GeoNode[];
}

export interface HierarchyBuild {
  /** Coarsest first, then by id; states only where the provider names them. */
  readonly nodes: readonly GeoNode[];
  /** Cities, neighborhoods and zips that hang under their state alone. */
  readonly withoutCounty: readonly NodeId[];
  /** Regions outside the 50 states and DC, or without what their level needs. */
  readonly leftOut: readonly string[];
  /** FIPS of listed counties in states where the provider knows none of them, but others. */
  readonly otherCounties: readonly string[];
}

export function buildHierarchy(sources: HierarchySources): HierarchyBuild {
  const build = new Build(sources);
  const regions = regionsOf(sources.regions);
  const of = (level: GeoLevel): Region[] => regions.filter((region) => region.level === level);
  build.states(of("state"));
  build.counties(of("county"), sources.counties);
  build.cities(of("city"));
  build.neighborhoods(of("neighborhood"));
  build.zips(of("zip"), sources);
  return build.result();
}

const stateByCode = new Map(builtInStates.map((state) => [state.stateCode, state]));
const stateByFips = new Map(builtInStates.map((state) => [state.fips, state]));
const stateByName = new Map(builtInStates.map((state) => [plainName(state.name), state]));

interface Surroundings {
  readonly state: GeoNode;
  readonly countyId: NodeId | undefined;
  readonly cityId: NodeId | undefined;
}

class Build {
  readonly #nodes = new Map<NodeId, GeoNode>();
  readonly #provider: string;
  readonly #ids: PlaceIds;
  readonly #known: ReadonlyMap<NodeId, GeoNode>;
  readonly #counties = new CountyFinder();
  readonly #cities = new CityFinder();
  readonly #withoutCounty = new Set<NodeId>();
  readonly #leftOut: string[] = [];
  readonly #otherCounties = new Set<string>();

  constructor({ provider, known }: HierarchySources) {
    this.#provider = provider;
    this.#ids = new PlaceIds(known);
    this.#known = new Map(known.map((node) => [node.id, node]));
  }

  #providerId(region: Region): string {
    return `${this.#provider}:${region.regionId}`;
  }

  /** A region of a place that another region made already only adds its id and spellings. */
  #put(node: Omit<GeoNode, "aliases" | "fips" | "active">, spellings: Iterable<string>): void {
    const known = this.#known.get(node.id);
    const all = [...spellings, ...(known === undefined ? [] : [known.name, ...known.aliases])];
    const before = this.#nodes.get(node.id);
    if (before !== undefined) {
      const providerIds = [...before.providerIds, ...node.providerIds];
      const aliases = aliasesOf(before.name, [...before.aliases, node.name, ...all]);
      this.#nodes.set(node.id, { ...before, providerIds, aliases });
      return;
    }
    const fips = node.level === "county" ? node.id.slice("county:".length) : null;
    this.#nodes.set(node.id, { ...node, fips, aliases: aliasesOf(node.name, all), active: true });
  }

  #stateOf(region: Region): GeoNode | undefined {
    const state = stateByCode.get(region.stateCode ?? "");
    if (state === undefined) this.#leftOut.push(this.#providerId(region));
    return state;
  }

  /** Built in; a row is needed only to tell what the provider calls it. */
  states(regions: readonly Region[]): void {
    for (const region of regions) {
      const state = stateByName.get(plainName(region.name));
      if (state === undefined) {
        this.#leftOut.push(this.#providerId(region));
        continue;
      }
      const { providerIds } = this.#nodes.get(state.id) ?? state;
      const names = [...providerIds, this.#providerId(region)];
      this.#nodes.set(state.id, { ...state, providerIds: names });
    }
  }

  /**
   * The gazetteer's names are whole and rightly spelled, so they go first. Where it has none of the
   * provider's counties of a state (planning regions took their place in Connecticut), its own
   * would only stand empty beside those.
   */
  counties(regions: readonly Region[], rows: Iterable<CountyRow>): void {
    const regionsByFips = new Map<string, Region[]>();
    for (const region of regions) {
      const fips = region.countyFips ?? "";
      if (stateByFips.has(fips.slice(0, 2))) pushTo(regionsByFips, fips, region);
      else this.#leftOut.push(this.#providerId(region));
    }
    const listed = [...rows].sort(byFips);
    const shared = statesOf(listed.map(({ fips }) => fips).filter((it) => regionsByFips.has(it)));
    const divided = statesOf([...regionsByFips.keys()]).difference(shared);
    for (const { fips, name, housingUnits } of listed) {
      if (divided.has(fips.slice(0, 2))) {
        this.#otherCounties.add(fips);
        continue;
      }
      this.#county(fips, name, housingUnits, regionsByFips.get(fips) ?? []);
      regionsByFips.delete(fips);
    }
    for (const [fips, [first, ...others]] of regionsByFips) {
      if (first !== undefined) this.#county(fips, first.name, 0, [first, ...others]);
    }
  }

  #county(fips: string, name: string, units: number, regions: readonly Region[]): void {
    const state = stateByFips.get(fips.slice(0, 2));
    if (state === undefined) return;
    const id = nodeId(`county:${fips}`);
    const spellings = regions.flatMap((region) => [...region.spellings]);
    // As an alias a bare "Austin" would put Austin County before the city of that name.
    const bare = spokenKey(name.replace(countyKind, ""));
    for (const each of [name, ...spellings]) this.#counties.add(id, state.stateCode, each);
    this.#put(
      {
        id,
        level: "county",
        name,
        stateCode: state.stateCode,
        parentIds: [state.id],
        housingUnits: units,
        providerIds: regions.map((region) => this.#providerId(region)),
      },
      spellings.filter((spelling) => spokenKey(spelling) !== bare),
    );
  }

  cities(regions: readonly Region[]): void {
    for (const region of regions) {
      const state = this.#stateOf(region);
      if (state === undefined) continue;
      const countyId = this.#counties.find(state.stateCode, region.county);
      const id = this.#slugged("city", [region.name], state, region);
      for (const name of region.spellings) {
        this.#cities.add({ id, countyId }, state.stateCode, name);
      }
      this.#place(id, region, { state, countyId, cityId: undefined });
    }
  }

  neighborhoods(regions: readonly Region[]): void {
    for (const region of regions) {
      const state = this.#stateOf(region);
      if (state === undefined) continue;
      const names = region.city === null ? [region.name] : [region.name, region.city];
      const id = this.#slugged("neighborhood", names, state, region);
      this.#place(id, region, this.#around(region, state));
    }
  }

  #slugged(
    level: "city" | "neighborhood",
    names: readonly string[],
    { stateCode }: GeoNode,
    region: Region,
  ): NodeId {
    const { regionId } = region;
    const providerId = this.#providerId(region);
    return this.#ids.idOf(level, names, stateCode, { regionId, providerId });
  }

  #around(region: Region, state: GeoNode): Surroundings {
    const { stateCode } = state;
    const countyId = this.#counties.find(stateCode, region.county);
    const cityId = this.#cities.find(stateCode, region.city, countyId, { onlyInCounty: false });
    return { state, countyId, cityId };
  }

  #place(id: NodeId, region: Region, around: Surroundings, housingUnits = 0): void {
    const { level, name, spellings } = region;
    this.#put(
      {
        id,
        level,
        name,
        stateCode: around.state.stateCode,
        parentIds: this.#parentsOf(id, around),
        housingUnits,
        providerIds: [this.#providerId(region)],
      },
      spellings,
    );
  }

  #parentsOf(id: NodeId, { state, countyId, cityId }: Surroundings): NodeId[] {
    if (countyId === undefined) this.#withoutCounty.add(id);
    return [countyId ?? state.id, ...(cityId === undefined ? [] : [cityId])];
  }

  /** Adds zips; the provider's facts about a zip go before those of a list. */
  zips(regions: readonly Region[], sources: HierarchySources): void {
    const told = new Set<string>();
    for (const region of regions) {
      const state = this.#stateOf(region);
      if (state === undefined) continue;
      told.add(region.name);
      const units = sources.homesByZip.get(region.name);
      this.#place(nodeId(`zip:${region.name}`), region, this.#around(region, state), units);
    }
    for (const row of bestByZip(sources.zips).values()) {
      const state = stateByCode.get(row.stateCode);
      if (told.has(row.zip) || state === undefined) continue;
      if (sources.zctas !== undefined && !sources.zctas.has(row.zip)) continue;
      this.#listedZip(row, state, sources.homesByZip.get(row.zip) ?? 0);
    }
  }

  /** Post offices name their zips after towns that need not be the provider's cities. */
  #listedZip({ zip, county, city }: ZipRow, state: GeoNode, housingUnits: number): void {
    const id = nodeId(`zip:${zip}`);
    const { stateCode } = state;
    const countyId = this.#counties.find(stateCode, county);
    const cityId = this.#cities.find(stateCode, city, countyId, { onlyInCounty: true });
    const parentIds = this.#parentsOf(id, { state, countyId, cityId });
    const node = { id, level: "zip", name: zip, stateCode, parentIds, housingUnits } as const;
    this.#put({ ...node, providerIds: [] }, []);
  }

  /**
   * Known places whose region has become another place, a city say: it may have only one, so the
   * known one stays without it.
   */
  #givenUp(nodes: readonly GeoNode[]): GeoNode[] {
    const given = new Set(nodes.flatMap(({ providerIds }) => providerIds));
    return [...this.#known.values()].flatMap((node) => {
      const kept = node.providerIds.filter((name) => !given.has(name));
      const isTouched = !this.#nodes.has(node.id) && kept.length < node.providerIds.length;
      return isTouched ? [{ ...node, providerIds: kept }] : [];
    });
  }

  /** A city's homes are estimated: those of the zips that name it as their city. */
  result(): HierarchyBuild {
    const homes = new Map<NodeId, number>();
    for (const { level, parentIds, housingUnits } of this.#nodes.values()) {
      if (level !== "zip") continue;
      for (const id of parentIds) homes.set(id, (homes.get(id) ?? 0) + housingUnits);
    }
    const nodes = [...this.#nodes.values()].map((node) =>
      node.level === "city" ? { ...node, housingUnits: homes.get(node.id) ?? 0 } : node,
    );
    return {
      nodes: [...nodes, ...this.#givenUp(nodes)].sort(
        (a, b) => coarseness(a.level) - coarseness(b.level) || (a.id < b.id ? -1 : 1),
      ),
      withoutCounty: [...this.#withoutCounty].sort(),
      leftOut: this.#leftOut.toSorted(),
      otherCounties: [...this.#otherCounties],
    };
  }
}

const statesOf = (fips: readonly string[]): ReadonlySet<string> =>
  new Set(fips.map((it) => it.slice(0, 2)));

const countyKind = / (County|Parish|Borough|Census Area|Municipality|City and Borough|city)$/;

function pushTo<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Where two editions are given, the one that counts homes, or more of them, goes first. */
function byFips(a: CountyRow, b: CountyRow): number {
  if (a.fips !== b.fips) return a.fips < b.fips ? -1 : 1;
  return b.housingUnits - a.housingUnits || (a.name < b.name ? -1 : 1);
}

/** A zip that lies in several counties or states goes by the line that names its city. */
function bestByZip(rows: Iterable<ZipRow>): ReadonlyMap<string, ZipRow> {
  const best = new Map<string, ZipRow>();
  for (const row of rows) {
    const before = best.get(row.zip);
    if (/^[0-9]{5}$/.test(row.zip) && (before === undefined || isBetter(row, before))) {
      best.set(row.zip, row);
    }
  }
  return best;
}

function isBetter(row: ZipRow, before: ZipRow): boolean {
  if ((row.city === "") !== (before.city === "")) return row.city !== "";
  const text = ({ stateCode, county, city }: ZipRow): string =>
    [stateCode, county, city].join("\n");
  return text(row) < text(before);
}
