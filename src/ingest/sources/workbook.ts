// The sheets of an .xlsx workbook as cells with their places: text as shown, numbers as stored.
// Invariant: no declared entity is ever expanded, and reading ends at the limits, whatever is sent.
import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SaxesParser } from "saxes";
import { ReleaseRefusal } from "#prints/refusal.ts";
import {
  damaged,
  readZipParts,
  tooLarge,
  type WorkbookLimits,
  workbookLimits,
} from "./zip-parts.ts";

export interface Cell {
  /** `A`, `B` … */
  readonly column: string;
  readonly text: string;
  /** `other`: a truth value, an error or a date. */
  readonly kind: "text" | "number" | "other";
  /** The value was computed in the workbook. */
  readonly isFormula: boolean;
}

/** Only cells that hold something. */
export interface SheetRow {
  /** 1-based, as the sheet numbers it. */
  readonly row: number;
  readonly cells: ReadonlyMap<string, Cell>;
}

export interface Sheet {
  readonly name: string;
  /** Only rows that hold something, from the top. */
  readonly rows: readonly SheetRow[];
}

interface WorkbookReading {
  readonly parts: ReadonlyMap<string, Buffer>;
  readonly limits: WorkbookLimits;
  readonly startedMillis: number;
}

/** @throws ReleaseRefusal EMPTY_FILE, TOO_LARGE, BAD_WORKBOOK, OTHER_PROVIDER */
export async function readWorkbook(
  source: AsyncIterable<Uint8Array>,
  limits: WorkbookLimits = workbookLimits,
): Promise<readonly Sheet[]> {
  const parts = await readZipParts(source, limits);
  const reading = { parts, limits, startedMillis: performance.now() };
  try {
    const strings = await readStrings(reading);
    const sheets: Sheet[] = [];
    const cells = { count: 0 };
    for (const { name, part } of await readSheetList(reading)) {
      sheets.push({ name, rows: await readRows(reading, part, strings, cells) });
    }
    return sheets;
  } catch (error) {
    throw error instanceof ReleaseRefusal ? error : damaged(error);
  }
}

type Attributes = Readonly<Record<string, string>>;

interface Handler {
  open?(element: string, attributes: Attributes): void;
  close?(element: string): void;
  text?(text: string): void;
}

const CHUNK_BYTES = 65_536;

/** In pieces, so that others have their turn; prefixes of element names are left out. */
async function parse(reading: WorkbookReading, part: string, handler: Handler): Promise<void> {
  const { parts, limits, startedMillis } = reading;
  const bytes = parts.get(part);
  if (bytes === undefined) throw new Error(`there is no part ${part}`);
  const parser = new SaxesParser({ fileName: part, position: false, xmlns: false as const });
  parser.on("doctype", () => {
    throw new Error(`the part ${part} declares a document type`);
  });
  let levels = 0;
  let attributeCount = 0;
  parser.on("opentagstart", () => {
    levels += 1;
    attributeCount = 0;
    if (levels > limits.levels) {
      throw tooLarge(`The part ${part} nests elements more than ${limits.levels} deep`);
    }
  });
  // The parser keeps all of an element's attributes before it shows the element.
  parser.on("attribute", () => {
    attributeCount += 1;
    if (attributeCount > limits.attributes) {
      throw tooLarge(`An element of ${part} has more than ${limits.attributes} attributes`);
    }
  });
  parser.on("opentag", ({ name, attributes }) => handler.open?.(bare(name), attributes));
  parser.on("closetag", ({ name }) => {
    levels -= 1;
    handler.close?.(bare(name));
  });
  parser.on("text", (text) => handler.text?.(text));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    const stream = start + CHUNK_BYTES < bytes.length;
    parser.write(decoder.decode(bytes.subarray(start, start + CHUNK_BYTES), { stream }));
    await nextTurn();
    if (performance.now() - startedMillis > limits.millis) {
      throw new ReleaseRefusal(
        "TOO_LARGE",
        {},
        `The workbook takes longer than ${limits.millis} ms to read; check what was downloaded.`,
      );
    }
  }
  parser.close();
}

const bare = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Strings that cells share, each without its formatting and without reading aids. */
async function readStrings(reading: WorkbookReading): Promise<readonly string[]> {
  const strings: string[] = [];
  const part = "xl/sharedStrings.xml";
  if (!reading.parts.has(part)) return strings;
  const path: string[] = [];
  await parse(reading, part, {
    open(element) {
      path.push(element);
      if (element !== "si") return;
      if (strings.length === reading.limits.cells) {
        throw tooLarge(`The workbook has more than ${reading.limits.cells} texts`);
      }
      strings.push("");
    },
    close() {
      path.pop();
    },
    text(text) {
      if (path.at(-1) !== "t" || path.includes("rPh")) return;
      strings.push(`${strings.pop() ?? ""}${text}`);
    },
  });
  return strings;
}

interface ListedSheet {
  readonly name: string;
  readonly part: string;
}

async function readSheetList(reading: WorkbookReading): Promise<readonly ListedSheet[]> {
  const mostParts = reading.limits.parts;
  const targets = new Map<string, string>();
  let links = 0;
  await parse(reading, "xl/_rels/workbook.xml.rels", {
    open(element, { Id = "", Target = "" }) {
      if (element !== "Relationship") return;
      links += 1;
      if (links > mostParts) throw tooLarge(`The workbook names more than ${mostParts} parts`);
      targets.set(Id, Target);
    },
  });
  const sheets: ListedSheet[] = [];
  await parse(reading, "xl/workbook.xml", {
    open(element, attributes) {
      if (element !== "sheet") return;
      if (sheets.length === mostParts) {
        throw tooLarge(`The workbook has more than ${mostParts} sheets`);
      }
      const target = targets.get(attributes["r:id"] ?? "") ?? "";
      const part = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
      sheets.push({ name: attributes.name ?? "", part });
    },
  });
  return sheets;
}

async function readRows(
  reading: WorkbookReading,
  part: string,
  strings: readonly string[],
  read: { count: number },
): Promise<readonly SheetRow[]> {
  const rows: { readonly row: number; readonly cells: Map<string, Cell> }[] = [];
  await parse(
    reading,
    part,
    new CellReader(strings, (row, cell) => {
      read.count += 1;
      if (read.count > reading.limits.cells) {
        throw tooLarge(`The workbook has more than ${reading.limits.cells} cells`);
      }
      const last = rows.at(-1);
      if (last?.row === row && !last.cells.has(cell.column)) last.cells.set(cell.column, cell);
      else if (last !== undefined && row <= last.row) {
        throw new Error(`cell ${cell.column}${row} is out of order`);
      } else rows.push({ row, cells: new Map([[cell.column, cell]]) });
    }),
  );
  return rows;
}

class CellReader implements Handler {
  readonly #strings: readonly string[];
  readonly #take: (row: number, cell: Cell) => void;
  readonly #path: string[] = [];
  #place = "";
  #type = "n";
  #text = "";
  #isFormula = false;

  constructor(strings: readonly string[], take: (row: number, cell: Cell) => void) {
    this.#strings = strings;
    this.#take = take;
  }

  open(element: string, { r = "", t = "n" }: Attributes): void {
    this.#path.push(element);
    if (element === "f") this.#isFormula = true;
    if (element !== "c") return;
    this.#place = r;
    this.#type = t;
    this.#text = "";
    this.#isFormula = false;
  }

  text(text: string): void {
    const element = this.#path.at(-1);
    const isValue = element === "v" || (element === "t" && this.#type === "inlineStr");
    if (isValue && !this.#path.includes("rPh")) this.#text += text;
  }

  close(element: string): void {
    this.#path.pop();
    if (element !== "c" || this.#text === "") return;
    const [, column, row] = /^([A-Z]{1,3})([1-9][0-9]{0,6})$/.exec(this.#place) ?? [];
    if (column === undefined) throw new Error(`a cell has no place ("${this.#place}")`);
    const text = this.#type === "s" ? this.#shared(this.#text) : this.#text;
    this.#take(Number(row), { column, text, kind: kindOf(this.#type), isFormula: this.#isFormula });
  }

  #shared(index: string): string {
    const text = /^[0-9]{1,7}$/.test(index) ? this.#strings[Number(index)] : undefined;
    if (text === undefined) throw new Error(`cell ${this.#place} names no text that is there`);
    return text;
  }
}

function kindOf(type: string): Cell["kind"] {
  if (type === "n") return "number";
  return type === "s" || type === "str" || type === "inlineStr" ? "text" : "other";
}
