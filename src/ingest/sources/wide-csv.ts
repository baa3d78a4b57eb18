// Comma-separated text as a stream of lines of cells; bytes that are not honest text are refused.
// Invariant: one line of the file is one record, so a line number is what a person counts.
import { isUtf8 } from "node:buffer";
import { parse } from "csv-parse/sync";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { containerOf } from "./containers.ts";
import { isPlain, PlainLine } from "./plain-line.ts";

export interface CsvLine {
  /** 1-based. */
  readonly line: number;
  readonly cells: readonly string[];
  /** False for a last line without its line ending: the file was cut, or saved by another hand. */
  readonly ended: boolean;
  /** Where it stands, when its commas and quotes need no parser. */
  readonly plain?: PlainLine;
}

/** Four times the longest line seen (a transposed file); bounds the memory a bad file can take. */
export const MAX_LINE_BYTES = 131_072;
/** Lines are parsed in blocks: 256 KiB was as fast as the whole file at once. */
const BLOCK_BYTES = 262_144;
/** A block has some 60 lines of a provider's; more than these are short ones. */
const SLICE_LINES = 500;
const NEWLINE = 10;
const RETURN = 13;

type LineEnding = "\n" | "\r\n";

interface Block {
  readonly bytes: Buffer;
  readonly firstLine: number;
  readonly lineCount: number;
  readonly ended: boolean;
}

/** @throws ReleaseRefusal naming the line. */
export async function* readCsvLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<CsvLine> {
  let ending: LineEnding | undefined;
  let names: readonly string[] = [];
  for await (const read of blocksOf(source)) {
    const block = read.firstLine === 1 ? withoutMark(read) : read;
    if (block.firstLine === 1) names = namesIn(block.bytes);
    refuseNonText(block, names);
    ending ??= endingOf(block.bytes);
    refuseMixedEndings(block, ending);
    for (const slice of slicesOf(block)) {
      if (slice.ended && isPlain(slice.bytes)) {
        yield* plainLines(slice, ending);
        continue;
      }
      for (const [index, cells] of cellsOf(slice, ending).entries()) {
        yield { line: slice.firstLine + index, cells, ended: slice.ended };
      }
    }
  }
}

/** A line's cells are made when somebody asks for them: most lines are read by their bytes. */
function* plainLines({ bytes, firstLine, lineCount }: Block, ending: LineEnding) {
  let start = 0;
  for (let line = firstLine; line < firstLine + lineCount; line += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const plain = new PlainLine(bytes, start, newline + 1 - ending.length);
    yield new LineOfBytes(line, plain);
    start = newline + 1;
  }
}

class LineOfBytes implements CsvLine {
  readonly line: number;
  readonly plain: PlainLine;
  readonly ended = true;
  #cells: readonly string[] | undefined;

  constructor(line: number, plain: PlainLine) {
    this.line = line;
    this.plain = plain;
  }

  /** Cut once: a reader asks for them at each month of the line. */
  get cells(): readonly string[] {
    this.#cells ??= this.plain.cells();
    return this.#cells;
  }
}

/** Whole lines in blocks, then what follows the last line ending, if anything does. */
async function* blocksOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let firstLine = 1;
  for await (const chunk of source) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < BLOCK_BYTES) continue;

    const bytes = Buffer.concat(pending);
    const cut = bytes.lastIndexOf(NEWLINE) + 1;
    const rest = bytes.subarray(cut);
    const lineCount = countLines(bytes.subarray(0, cut), firstLine);
    if (rest.length > MAX_LINE_BYTES) throw lineTooLong(firstLine + lineCount);
    if (cut > 0) yield { bytes: bytes.subarray(0, cut), firstLine, lineCount, ended: true };
    firstLine += lineCount;
    pending = [rest];
    pendingBytes = rest.length;
  }
  const bytes = Buffer.concat(pending);
  const cut = bytes.lastIndexOf(NEWLINE) + 1;
  const lineCount = countLines(bytes.subarray(0, cut), firstLine);
  if (cut > 0) yield { bytes: bytes.subarray(0, cut), firstLine, lineCount, ended: true };
  const rest = bytes.subarray(cut);
  if (rest.length > MAX_LINE_BYTES) throw lineTooLong(firstLine + lineCount);
  if (rest.length > 0) {
    yield { bytes: rest, firstLine: firstLine + lineCount, lineCount: 1, ended: false };
  }
}

/** Of whole lines. @throws ReleaseRefusal where one is longer than the limit. */
function countLines(lines: Buffer, firstLine: number): number {
  let count = 0;
  let start = 0;
  while (start < lines.length) {
    // A search for each of a quarter of a million empty lines would cost ten honest files' work.
    const end = lines[start] === NEWLINE ? start : lines.indexOf(NEWLINE, start);
    if (end - start > MAX_LINE_BYTES) throw lineTooLong(firstLine + count);
    count += 1;
    start = end + 1;
  }
  return count;
}

const lineTooLong = (line: number): ReleaseRefusal =>
  new ReleaseRefusal(
    "LINE_TOO_LONG",
    { line },
    `the line is longer than ${MAX_LINE_BYTES} bytes; is this the provider's CSV file?`,
  );

const MARK = "efbbbf";

/** A spreadsheet's "CSV UTF-8" begins with a mark. @throws ReleaseRefusal where it is no text. */
function withoutMark(block: Block): Block {
  const container = containerOf(block.bytes);
  if (container !== undefined) {
    throw new ReleaseRefusal(
      "NOT_UTF8",
      { line: 1 },
      `the file is ${container}; this takes plain text in UTF-8, which may be gzipped: send it ` +
        "as downloaded, or save it as CSV UTF-8",
    );
  }
  const hasMark = block.bytes.subarray(0, 3).toString("hex") === MARK;
  return hasMark ? { ...block, bytes: block.bytes.subarray(3) } : block;
}

/** The cells of the first line, if it has several. */
function namesIn(bytes: Buffer): readonly string[] {
  const end = bytes.indexOf(NEWLINE);
  const names = bytes.toString("utf8", 0, end < 0 ? bytes.length : end).split(",");
  return names.length > 1 ? names.map((name) => name.trim().replaceAll('"', "")) : [];
}

/** Of a title that a sentence may repeat. */
const plainName = /^[\w -]{1,40}$/;

/** The column in which the first byte stands that is no UTF-8. */
function columnOf(line: Buffer, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const text = line.toString("utf8");
  let at = 0;
  let isQuoted = false;
  for (const letter of text.slice(0, text.indexOf("\uFFFD"))) {
    if (letter === '"') isQuoted = !isQuoted;
    if (letter === "," && !isQuoted) at += 1;
  }
  const name = names[at] ?? "";
  return plainName.test(name) ? name : `number ${at + 1}`;
}

function refuseNonText(block: Block, names: readonly string[]): void {
  if (isUtf8(block.bytes) && !block.bytes.includes(0)) return;
  for (const { line, bytes } of linesOf(block)) {
    if (bytes.includes(0)) {
      throw new ReleaseRefusal("NUL_BYTE", { line }, "holds a NUL byte; this is not a text file");
    }
    if (!isUtf8(bytes)) {
      const column = columnOf(bytes, names);
      throw new ReleaseRefusal(
        "NOT_UTF8",
        { line, ...(column === undefined ? {} : { column }) },
        "holds a letter that is not UTF-8; send the file as downloaded, or save it as CSV UTF-8",
      );
    }
  }
}

function endingOf(bytes: Buffer): LineEnding {
  const newline = bytes.indexOf(NEWLINE);
  return newline > 0 && bytes[newline - 1] === RETURN ? "\r\n" : "\n";
}

function refuseMixedEndings(block: Block, ending: LineEnding): void {
  if (ending === "\n" && !block.bytes.includes(RETURN)) return;
  for (const { line, bytes } of linesOf(block)) {
    const returnAt = bytes.indexOf(RETURN);
    const atEnd = returnAt >= 0 && returnAt === bytes.length - 1;
    const asFirst = ending === "\r\n" ? atEnd || !block.ended : returnAt < 0;
    if (!asFirst) {
      throw new ReleaseRefusal(
        "MIXED_LINE_ENDINGS",
        { line },
        "ends otherwise than line 1; the file was edited or joined: send it as downloaded",
      );
    }
  }
}

/** Parsed as they are asked for: a block of nothing but newlines is refused at its first. */
function* slicesOf(block: Block): Generator<Block> {
  const { bytes, firstLine, ended } = block;
  let start = 0;
  for (let done = 0; done < block.lineCount; done += SLICE_LINES) {
    const lineCount = Math.min(SLICE_LINES, block.lineCount - done);
    const isLast = done + lineCount === block.lineCount;
    const end = isLast ? bytes.length : endOfLines(bytes, start, lineCount);
    yield { bytes: bytes.subarray(start, end), firstLine: firstLine + done, lineCount, ended };
    start = end;
  }
}

function endOfLines(bytes: Buffer, start: number, lineCount: number): number {
  let end = start;
  for (let line = 0; line < lineCount; line += 1) end = bytes.indexOf(NEWLINE, end) + 1;
  return end;
}

/** A quoted cell that runs over its line is refused too: the provider never writes one. */
function cellsOf(block: Block, ending: LineEnding): string[][] {
  try {
    const records = parse(block.bytes, parseOptions(ending));
    if (records.length === block.lineCount) return records;
  } catch {
    // The line at fault is found below, one line at a time.
  }
  for (const { line, bytes } of linesOf(block)) {
    try {
      parse(bytes, parseOptions(ending));
    } catch {
      throw brokenQuotes(line);
    }
  }
  throw brokenQuotes(block.firstLine);
}

const parseOptions = (ending: LineEnding) => ({
  record_delimiter: ending,
  relax_column_count: true,
  max_record_size: 2 * BLOCK_BYTES,
});

const brokenQuotes = (line: number): ReleaseRefusal =>
  new ReleaseRefusal(
    "BROKEN_QUOTES",
    { line },
    "a quotation mark opens or closes where none belongs; the line is damaged: download the " +
      "file again",
  );

/** For naming a culprit only; each line without its newline. */
function* linesOf(block: Block): Generator<{ readonly line: number; readonly bytes: Buffer }> {
  let start = 0;
  for (let line = block.firstLine; line < block.firstLine + block.lineCount; line += 1) {
    const newline = block.bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? block.bytes.length : newline;
    yield { line, bytes: block.bytes.subarray(start, end) };
    start = end + 1;
  }
}
