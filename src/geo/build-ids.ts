// Ids of cities and neighborhoods, made of their names, and kept from one build to the next.
// Invariant: a region that a known place already names keeps that place's id; no id is given twice.
import { type NodeId, nodeId } from "#base/ids.ts";
import { slugOf } from "./build-names.ts";
import { type GeoNode, isIdOfLevel } from "./node.ts";

/** Longer slugs are cut, and then carry the RegionID. */
const LONGEST_SLUG = 70;

export class PlaceIds {
  readonly #byProviderId = new Map<string, GeoNode>();
  readonly #taken = new Set<NodeId>();

  constructor(known: Iterable<GeoNode>) {
    for (const node of known) {
      this.#taken.add(node.id);
      for (const name of node.providerIds) this.#byProviderId.set(name, node);
    }
  }

  /**
   * Of regions with one name the first asked for gets the plain id, and the others theirs with
   * `-<regionId>`, which no plain id can have: it ends with the state.
   */
  idOf(
    level: "city" | "neighborhood",
    names: readonly string[],
    stateCode: string,
    region: { readonly regionId: string; readonly providerId: string },
  ): NodeId {
    const known = this.#byProviderId.get(region.providerId);
    if (known?.level === level) return known.id;
    const prefix = level === "city" ? "city" : "nbhd";
    const slug = names.map(slugOf).filter(isText).join("-");
    const state = stateCode.toLowerCase();
    const plain = nodeId(`${prefix}:${slug}-${state}`);
    const isPlainGood = slug !== "" && slug.length <= LONGEST_SLUG && isIdOfLevel(plain, level);
    const cut = slug.slice(0, LONGEST_SLUG).replace(/-$/, "");
    const parts = [cut, state, region.regionId].filter(isText);
    const id =
      isPlainGood && !this.#taken.has(plain) ? plain : nodeId(`${prefix}:${parts.join("-")}`);
    this.#taken.add(id);
    return id;
  }
}

const isText = (text: string): boolean => text !== "";
