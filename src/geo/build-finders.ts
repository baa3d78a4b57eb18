// Counties and cities by the names that files give them within a state.
// Invariant: a name leads to one place or to none; where it could be two it is none.
import type { NodeId } from "#base/ids.ts";
import { spokenKey } from "./build-names.ts";

/** In the order in which a bare name is taken: `Baltimore` is the county before the city. */
const countyKinds = [
  "county",
  "parish",
  "borough",
  "censusarea",
  "municipality",
  "cityandborough",
  "city",
];
const countyKind = new RegExp(`(${countyKinds.toReversed().join("|")})$`);

export class CountyFinder {
  readonly #ids = new Map<string, Set<NodeId>>();

  add(id: NodeId, stateCode: string, name: string): void {
    const key = `${stateCode}|${spokenKey(name)}`;
    this.#ids.set(key, (this.#ids.get(key) ?? new Set()).add(id));
  }

  /** `Travis` is Travis County, `Charles City` may be Charles City County. */
  find(stateCode: string, name: string | null): NodeId | undefined {
    if (name === null) return undefined;
    const said = spokenKey(name);
    const bare = said.replace(countyKind, "");
    const keys = [said, ...countyKinds.map((kind) => said + kind)];
    const looser = [bare, ...countyKinds.map((kind) => bare + kind)];
    for (const key of [...keys, ...looser]) {
      const ids = [...(this.#ids.get(`${stateCode}|${key}`) ?? [])];
      if (ids.length > 0) return ids.length === 1 ? ids[0] : undefined;
    }
    return undefined;
  }
}

interface FoundCity {
  readonly id: NodeId;
  readonly countyId: NodeId | undefined;
}

export class CityFinder {
  readonly #cities = new Map<string, Map<NodeId, FoundCity>>();

  add(city: FoundCity, stateCode: string, name: string): void {
    const key = `${stateCode}|${spokenKey(name)}`;
    this.#cities.set(key, (this.#cities.get(key) ?? new Map()).set(city.id, city));
  }

  /**
   * The city of the name in the county. Cities reach over county lines, so where none is in the
   * county the only one of the name in the state is taken, unless `onlyInCounty`.
   */
  find(
    stateCode: string,
    name: string | null,
    countyId: NodeId | undefined,
    { onlyInCounty }: { readonly onlyInCounty: boolean },
  ): NodeId | undefined {
    if (name === null) return undefined;
    const named = [...(this.#cities.get(`${stateCode}|${spokenKey(name)}`)?.values() ?? [])];
    const here = named.filter((city) => countyId !== undefined && city.countyId === countyId);
    const fitting = here.length > 0 || onlyInCounty ? here : named;
    return fitting.length === 1 ? fitting[0]?.id : undefined;
  }
}
