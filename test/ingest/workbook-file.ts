// Workbooks made up for tests: a grid of cells packed as an .xlsx, and zip containers of any parts.
// Invariant: what is packed is what a spreadsheet would write, unless a test asks otherwise.
import { crc32, deflateRawSync } from "node:zlib";

/** A text, a number, the number a formula gave, or a truth value. */
export type GridCell = string | number | boolean | { readonly formula: number } | null;
/** Rows of cells from A1 on. */
export type Grid = GridCell[][];

export type Parts = Map<string, string | Buffer>;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export function partsOf(grid: Grid, sheetNames: readonly string[] = ["Sheet1"]): Parts {
  const strings: string[] = [];
  const rows = grid.map((cells, index) => rowXml(cells, index + 1, strings)).join("");
  const sheets = sheetNames.map(
    (name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const links = sheetNames.map(
    (_, index) => `<Relationship Id="rId${index + 1}" Target="worksheets/sheet1.xml"/>`,
  );
  const items = strings.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`);
  return new Map([
    [
      "xl/workbook.xml",
      `${XML}<workbook xmlns:r="urn:r"><sheets>${sheets.join("")}</sheets></workbook>`,
    ],
    ["xl/_rels/workbook.xml.rels", `${XML}<Relationships>${links.join("")}</Relationships>`],
    ["xl/sharedStrings.xml", `${XML}<sst>${items.join("")}</sst>`],
    ["xl/worksheets/sheet1.xml", `${XML}<worksheet><sheetData>${rows}</sheetData></worksheet>`],
  ]);
}

export const workbookOf = (grid: Grid): Buffer => zipOf(partsOf(grid));

function rowXml(cells: readonly GridCell[], row: number, strings: string[]): string {
  const written = cells.map((cell, index) => cellXml(cell, `${columnName(index)}${row}`, strings));
  return `<row r="${row}">${written.join("")}</row>`;
}

/** Of the first 26. */
export const columnName = (index: number): string => String.fromCharCode(65 + index);

function cellXml(cell: GridCell, place: string, strings: string[]): string {
  if (cell === null) return `<c r="${place}" s="4"/>`;
  if (typeof cell === "number") return `<c r="${place}"><v>${storedAs(cell)}</v></c>`;
  if (typeof cell === "boolean") return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === "object")
    return `<c r="${place}"><f>1+1</f><v>${storedAs(cell.formula)}</v></c>`;
  const known = strings.indexOf(cell);
  const index = known < 0 ? strings.push(cell) - 1 : known;
  return `<c r="${place}" t="s"><v>${index}</v></c>`;
}

/** With 17 digits, as spreadsheets store 5.1: 5.0999999999999996. */
const storedAs = (value: number): string =>
  String(
    Number(value.toPrecision(17)) === value ? value.toPrecision(17).replace(/\.?0+$/, "") : value,
  );

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

interface Packing {
  /** 0 leaves the bytes of a part as they are, so that damage to them is damage to the text. */
  readonly level?: number;
  /** The size of the part as the directory gives it, instead of the truth. */
  readonly sizes?: ReadonlyMap<string, number>;
}

/** Deflated parts, a directory, an end: the plainest container there is. */
export function zipOf(
  parts: Iterable<readonly [string, string | Buffer]>,
  { sizes, level = 6 }: Packing = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes, { level });
    const size = sizes?.get(name) ?? bytes.length;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([
      Buffer.from("504b0304", "hex"),
      common,
      Buffer.from(name),
      packed,
    ]);
    const where = Buffer.alloc(14);
    where.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("504b01021400", "hex"), common, where, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  Buffer.from("504b0506", "hex").copy(end);
  end.writeUInt16LE(locals.length, 8);
  end.writeUInt16LE(locals.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, listed, end]);
}
