// Every place the exchange knows, and how places lie in one another.
// Invariant: put replaces a node whole; children and provider ids always agree with the nodes.
import { type NodeId, nodeId } from "#base/ids.ts";
import { coarseness, type GeoLevel, type GeoNode } from "./node.ts";
import { type FoundPlaces, type GeoQuery, GeoSearch } from "./search.ts";
import { builtInStates } from "./states.ts";

export class GeoTree {
  readonly #nodes = new Map<NodeId, GeoNode>();
  readonly #children = new Map<NodeId, Set<NodeId>>();
  readonly #byProviderId = new Map<string, NodeId>();
  /** By level, state and plain name: places of one name are common, thousands of regions ask. */
  readonly #byName = new Map<string, Set<NodeId>>();
  readonly #search = new GeoSearch();
  #version = 0;

  /** The built-in states and DC. */
  static builtIn(): GeoTree {
    const tree = new GeoTree();
    for (const state of builtInStates) tree.put(state);
    return tree;
  }

  /** Changes with every `put`: a reader that keeps an answer of many places knows it is stale. */
  get version(): number {
    return this.#version;
  }

  put(node: GeoNode): void {
    this.#version += 1;
    const before = this.#nodes.get(node.id);
    if (before !== undefined) this.#forget(before);
    this.#nodes.set(node.id, node);
    for (const parent of node.parentIds) addTo(this.#children, parent, node.id);
    for (const name of node.providerIds) this.#byProviderId.set(name, node.id);
    for (const name of nameKeys(node)) addTo(this.#byName, name, node.id);
    this.#search.put(node);
  }

  #forget(node: GeoNode): void {
    for (const parent of node.parentIds) this.#children.get(parent)?.delete(node.id);
    for (const name of node.providerIds) {
      if (this.#byProviderId.get(name) === node.id) this.#byProviderId.delete(name);
    }
    for (const name of nameKeys(node)) this.#byName.get(name)?.delete(node.id);
  }

  /** Matched without regard to case. */
  get(id: string): GeoNode | undefined {
    return this.#nodes.get(nodeId(id));
  }

  nodes(): Iterable<GeoNode> {
    return this.#nodes.values();
  }

  get size(): number {
    return this.#nodes.size;
  }

  byProviderId(name: string): GeoNode | undefined {
    const id = this.#byProviderId.get(name);
    return id === undefined ? undefined : this.#nodes.get(id);
  }

  /** The places of a level that bear the name, or have it as an alias, within a state. */
  named(level: GeoLevel, stateCode: string, name: string): GeoNode[] {
    const ids = this.#byName.get(nameKey(level, stateCode, name)) ?? [];
    return [...ids].flatMap((id) => this.#nodes.get(id) ?? []);
  }

  /** The one search of page, API and CLI; the order is told at `GeoSearch.find`. */
  search(query: GeoQuery): FoundPlaces {
    return this.#search.find(query, this);
  }

  /** Places and names that searches have looked at: what they cost, counted. */
  get searchLooks(): number {
    return this.#search.looks;
  }

  /** Nodes that name it as a parent. */
  childCount(id: NodeId): number {
    return this.#children.get(id)?.size ?? 0;
  }

  /** Everything it lies in, coarsest first; within a level in the order of ids. */
  ancestors(id: NodeId): GeoNode[] {
    const found = new Map<NodeId, GeoNode>();
    const open = [...(this.#nodes.get(id)?.parentIds ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const node = this.#nodes.get(next);
      if (node === undefined || found.has(next)) continue;
      found.set(next, node);
      open.push(...node.parentIds);
    }
    return [...found.values()].sort(coarsestFirst);
  }

  /** The place and everything that lies in it, however deep. */
  within(root: NodeId): ReadonlySet<NodeId> {
    const found = new Set([root]);
    for (const id of found) for (const child of this.#children.get(id) ?? []) found.add(child);
    return found;
  }

  /** The state it lies in, or is. */
  stateOf(node: GeoNode): GeoNode | undefined {
    return this.get(`state:${node.stateCode}`);
  }
}

function addTo<K>(map: Map<K, Set<NodeId>>, key: K, id: NodeId): void {
  const ids = map.get(key) ?? new Set();
  map.set(key, ids.add(id));
}

const nameKey = (level: GeoLevel, stateCode: string, name: string): string =>
  `${level}|${stateCode}|${plainName(name)}`;

const nameKeys = ({ level, stateCode, name, aliases }: GeoNode): string[] =>
  [name, ...aliases].map((each) => nameKey(level, stateCode, each));

/** Letters and digits only, without case or accents: providers differ in the rest. */
export const plainName = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");

const coarsestFirst = (a: GeoNode, b: GeoNode): number =>
  coarseness(a.level) - coarseness(b.level) || (a.id < b.id ? -1 : 1);
