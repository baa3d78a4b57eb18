// The hierarchy an operator loads: rows of the documented table, read into nodes or refused.
// Invariant: a reading holds every row or none; a node that is read has parents that exist and are
// coarser, so that no place can lie in itself.
import { type NodeId, nodeId } from "#base/ids.ts";
import {
  coarseness,
  type GeoLevel,
  type GeoNode,
  geoLevels,
  isGeoLevel,
  isIdOfLevel,
  placeOf,
} from "./node.ts";
import type { GeoTree } from "./tree.ts";

export const hierarchyColumns = [
  "id",
  "level",
  "name",
  "stateCode",
  "fips",
  "aliases",
  "parentIds",
  "housingUnits",
  "providerIds",
] as const;
type HierarchyColumn = (typeof hierarchyColumns)[number];

/** `row` as a person counts them: the header is row 1. */
interface HierarchyRefusal {
  readonly code: "BAD_HIERARCHY" | "NOT_UTF8";
  readonly row: number;
  readonly column: string | null;
  readonly message: string;
}

type HierarchyReading =
  | { readonly nodes: readonly GeoNode[]; readonly added: number; readonly changed: number }
  | { readonly refusal: HierarchyRefusal };

type Cells = Readonly<Record<HierarchyColumn, string>>;

/** Thrown inside this file only, and turned into a refusal with its row. */
class BadCell extends Error {
  readonly column: HierarchyColumn;

  constructor(column: HierarchyColumn, message: string) {
    super(message);
    this.column = column;
  }
}

/**
 * Reads a table whose first row is the header. Columns may stand in any order, none may be missing
 * or unknown. Lists are separated by `|`. A node that is already known is replaced (upsert by id).
 */
export function readHierarchy(
  table: readonly (readonly string[])[],
  known: GeoTree,
): HierarchyReading {
  const [header = [], ...rows] = table;
  const headerFault = faultOfText(table, header) ?? faultOfHeader(header);
  if (headerFault !== undefined) return { refusal: headerFault };
  if (rows.length === 0) {
    const message = "The table has no rows below its header";
    return { refusal: { code: "BAD_HIERARCHY", row: 1, column: null, message } };
  }

  const nodes: GeoNode[] = [];
  const read = new Map<NodeId, { readonly node: GeoNode; readonly row: number }>();
  for (const [at, cells] of rows.entries()) {
    const row = at + 2;
    const refusal = refusing(row, () => {
      const node = nodeOf(cellsOf(header, cells));
      const duplicate = read.get(node.id);
      if (duplicate !== undefined) {
        throw new BadCell("id", `${node.id} stands in row ${duplicate.row} already`);
      }
      read.set(node.id, { node, row });
      nodes.push(node);
    });
    if (refusal !== undefined) return { refusal };
  }
  const all = (id: NodeId): GeoNode | undefined => read.get(id)?.node ?? known.get(id);
  const names = new Map<string, NodeId>();
  for (const { node, row } of read.values()) {
    const refusal = refusing(row, () => {
      checkState(node, all(nodeId(`state:${node.stateCode}`)));
      for (const parent of node.parentIds) checkParent(node, parent, all(parent));
      for (const name of node.providerIds) checkProviderId(node, name, names, known, read);
    });
    if (refusal !== undefined) return { refusal };
  }
  const changed = nodes.filter(({ id }) => known.get(id) !== undefined).length;
  return { nodes, added: nodes.length - changed, changed };
}

function refusing(row: number, check: () => void): HierarchyRefusal | undefined {
  try {
    check();
    return undefined;
  } catch (fault) {
    if (!(fault instanceof BadCell)) throw fault;
    return {
      code: "BAD_HIERARCHY",
      row,
      column: fault.column,
      message: `Row ${row}, column ${fault.column}: ${fault.message}`,
    };
  }
}

/** Stands for bytes that are no UTF-8: of a name saved in another encoding a letter is lost. */
const LOST = "\uFFFD";

function faultOfText(
  table: readonly (readonly string[])[],
  header: readonly string[],
): HierarchyRefusal | undefined {
  for (const [at, cells] of table.entries()) {
    const place = cells.findIndex((cell) => cell.includes(LOST));
    if (place < 0) continue;
    const [row, column] = [at + 1, header[place] ?? `number ${place + 1}`];
    const where = `Row ${row}, column ${column}: "${cells[place]}" `;
    const message = `${where}holds a letter that is not UTF-8; save the file as CSV UTF-8`;
    return { code: "NOT_UTF8", row, column, message };
  }
  return undefined;
}

function faultOfHeader(header: readonly string[]): HierarchyRefusal | undefined {
  const refuse = (column: string, what: string): HierarchyRefusal => ({
    code: "BAD_HIERARCHY",
    row: 1,
    column,
    message: `Row 1, column ${column}: ${what}; the columns are ${hierarchyColumns.join(", ")}`,
  });
  for (const [at, name] of header.entries()) {
    if (!hierarchyColumns.some((column) => column === name)) return refuse(name, "is not known");
    if (header.indexOf(name) !== at) return refuse(name, "stands twice");
  }
  const missing = hierarchyColumns.find((column) => !header.includes(column));
  return missing === undefined ? undefined : refuse(missing, "is missing");
}

function cellsOf(header: readonly string[], cells: readonly string[]): Cells {
  if (cells.length !== header.length) {
    throw new BadCell("id", `the row has ${cells.length} cells and the header ${header.length}`);
  }
  const cell = (name: HierarchyColumn): string => {
    const text = cells[header.indexOf(name)] ?? "";
    if (text.trim() !== text) throw new BadCell(name, "has blanks before or after its text");
    return text;
  };
  return {
    id: cell("id"),
    level: cell("level"),
    name: cell("name"),
    stateCode: cell("stateCode"),
    fips: cell("fips"),
    aliases: cell("aliases"),
    parentIds: cell("parentIds"),
    housingUnits: cell("housingUnits"),
    providerIds: cell("providerIds"),
  };
}

function nodeOf(cells: Cells): GeoNode {
  const { level, name, stateCode } = cells;
  if (!isGeoLevel(level)) throw new BadCell("level", `must be one of ${geoLevels.join(", ")}`);
  const id = nodeId(cells.id);
  if (!isIdOfLevel(id, level)) {
    throw new BadCell("id", `"${cells.id}" is not the id of a ${level}, such as ${example[level]}`);
  }
  if (name === "" || name.length > 200) throw new BadCell("name", "must have 1 to 200 characters");
  if (!/^[A-Z]{2}$/.test(stateCode)) {
    throw new BadCell("stateCode", `"${stateCode}" is not two capital letters`);
  }
  return {
    id,
    level,
    name,
    stateCode,
    fips: fipsOf(cells.fips, level, id),
    aliases: listOf(cells.aliases, "aliases"),
    parentIds: listOf(cells.parentIds, "parentIds").map(nodeId),
    housingUnits: housingUnitsOf(cells.housingUnits),
    active: true,
    providerIds: listOf(cells.providerIds, "providerIds").map(providerIdOf),
  };
}

const example: Readonly<Record<GeoLevel, string>> = {
  state: "state:tx",
  county: "county:48201",
  city: "city:houston-tx",
  neighborhood: "nbhd:montrose-houston-tx",
  zip: "zip:77006",
};

/** A county's id is its FIPS, so an empty cell says nothing new and another code is a slip. */
function fipsOf(text: string, level: GeoLevel, id: NodeId): string | null {
  if (text !== "" && !/^[0-9]{2,11}$/.test(text)) {
    throw new BadCell("fips", `"${text}" is not 2 to 11 digits`);
  }
  if (level !== "county") return text === "" ? null : text;
  if (text !== "" && text !== placeOf(id))
    throw new BadCell("fips", `${text} is not that of ${id}`);
  return placeOf(id);
}

function listOf(text: string, column: HierarchyColumn): string[] {
  if (text === "") return [];
  const items = text.split("|");
  for (const [at, item] of items.entries()) {
    if (item.trim() !== item || item === "") {
      throw new BadCell(column, "has an empty or padded item between |");
    }
    if (items.indexOf(item) !== at) throw new BadCell(column, `names ${item} twice`);
  }
  return items;
}

function housingUnitsOf(text: string): number {
  if (text === "") return 0;
  if (!/^(0|[1-9][0-9]{0,8})$/.test(text)) {
    throw new BadCell("housingUnits", `"${text}" is not a whole number of at most 9 digits`);
  }
  return Number(text);
}

function providerIdOf(text: string): string {
  if (!/^[a-z]+:[A-Za-z0-9._-]{1,64}$/.test(text)) {
    throw new BadCell("providerIds", `"${text}" is not of the form zillow:9`);
  }
  return text;
}

function checkState(node: GeoNode, state: GeoNode | undefined): void {
  if (state === undefined) throw new BadCell("stateCode", `${node.stateCode} is no known state`);
  if (node.level === "state" && node.id !== state.id) {
    throw new BadCell("stateCode", `${node.stateCode} is not the code of ${node.id}`);
  }
}

function checkParent(node: GeoNode, parentId: NodeId, parent: GeoNode | undefined): void {
  if (parent === undefined) {
    throw new BadCell("parentIds", `${parentId} is neither known nor in this table`);
  }
  if (coarseness(parent.level) >= coarseness(node.level)) {
    throw new BadCell("parentIds", `${parentId} is not of a coarser level than ${node.id}`);
  }
}

/** One provider id means one place, or a release would print the wrong one. */
function checkProviderId(
  node: GeoNode,
  name: string,
  names: Map<string, NodeId>,
  known: GeoTree,
  read: ReadonlyMap<NodeId, unknown>,
): void {
  const holder = known.byProviderId(name)?.id;
  const kept = holder !== undefined && !read.has(holder) ? holder : undefined;
  const other = names.get(name) ?? kept;
  if (other !== undefined && other !== node.id) {
    throw new BadCell("providerIds", `${name} is ${other} already`);
  }
  names.set(name, node.id);
}
