// The parts of a zip container, unpacked within limits and checked against their checksums.
// Invariant: not a byte more than the limit is unpacked, whatever the container says of itself.
import { crc32 } from "node:zlib";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { ReleaseRefusal } from "#prints/refusal.ts";

export interface WorkbookLimits {
  /** As it is sent. */
  readonly packedBytes: number;
  /** All parts together. */
  readonly unpackedBytes: number;
  readonly parts: number;
  /** Of all sheets together; texts that cells share are as many at most. */
  readonly cells: number;
  /** How deep elements may be nested. */
  readonly levels: number;
  /** Of one element. */
  readonly attributes: number;
  /** For reading it, once it is here. */
  readonly millis: number;
}

/**
 * The largest real workbook (2022): 74 kB, 477 kB unpacked, 14 parts, 10,000 cells, 0.1 s, elements
 * eight deep. Each of these is held in memory: 7.8 kB packed may nest two million elements.
 */
export const workbookLimits: WorkbookLimits = {
  packedBytes: 4 * 1024 * 1024,
  unpackedBytes: 32 * 1024 * 1024,
  parts: 200,
  cells: 200_000,
  levels: 64,
  attributes: 100,
  millis: 20_000,
};

/** Part by name, as `xl/workbook.xml`. @throws ReleaseRefusal TOO_LARGE, BAD_WORKBOOK */
export async function readZipParts(
  source: AsyncIterable<Uint8Array>,
  limits: WorkbookLimits,
): Promise<ReadonlyMap<string, Buffer>> {
  const packed = await gather(source, limits.packedBytes, "The workbook");
  if (packed.length === 0) {
    throw new ReleaseRefusal("EMPTY_FILE", {}, "The file is empty; download it again.");
  }
  refuseOtherKinds(packed);
  try {
    return await unpackAll(packed, limits);
  } catch (error) {
    throw error instanceof ReleaseRefusal ? error : damaged(error);
  }
}

async function gather(
  chunks: AsyncIterable<Uint8Array>,
  limitBytes: number,
  what: string,
): Promise<Buffer> {
  const gathered: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(`${what} is larger than ${limitBytes} bytes`);
    gathered.push(chunk);
  }
  return Buffer.concat(gathered);
}

const ZIP_MAGIC = "504b0304";
/** The container of workbooks before 2007, and of encrypted ones. */
const COMPOUND_MAGIC = "d0cf11e0";

function refuseOtherKinds(packed: Buffer): void {
  const magic = packed.subarray(0, 4).toString("hex");
  if (magic === ZIP_MAGIC) return;
  throw new ReleaseRefusal(
    magic === COMPOUND_MAGIC ? "BAD_WORKBOOK" : "OTHER_PROVIDER",
    {},
    magic === COMPOUND_MAGIC
      ? "The workbook is in the old .xls format or has a password: send the .xlsx file as it is."
      : "The file is no .xlsx workbook: check what was downloaded, and for which provider.",
  );
}

async function unpackAll(
  packed: Buffer,
  limits: WorkbookLimits,
): Promise<ReadonlyMap<string, Buffer>> {
  const parts = new Map<string, Buffer>();
  let leftBytes = limits.unpackedBytes;
  const container = await fromBufferPromise(packed, { strictFileNames: true });
  for await (const entry of container.eachEntry()) {
    if (parts.size >= limits.parts)
      throw tooLarge(`The workbook has more than ${limits.parts} parts`);
    if (parts.has(entry.fileName)) throw new Error(`there are two parts ${entry.fileName}`);
    if (entry.uncompressedSize > leftBytes) {
      throw tooLarge(`The workbook is, unpacked, larger than ${limits.unpackedBytes} bytes`);
    }
    leftBytes -= entry.uncompressedSize;
    parts.set(entry.fileName, await unpack(container, entry));
  }
  return parts;
}

/** The stream itself fails where a part is longer or shorter than the container says. */
async function unpack(container: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await container.openReadStreamPromise(entry);
  const bytes = await gather(stream, entry.uncompressedSize, `The part ${entry.fileName}`);
  if (crc32(bytes) !== entry.crc32) throw new Error(`the part ${entry.fileName} is damaged`);
  return bytes;
}

/** `what` there is of it that no honest file has. */
export const tooLarge = (what: string): ReleaseRefusal =>
  new ReleaseRefusal(
    "TOO_LARGE",
    {},
    `${what}, far more than the provider's; check what was downloaded.`,
  );

/** Everything said here is about the sender's bytes; the name of a part may be anything. */
export function damaged(error: unknown): ReleaseRefusal {
  const reason = error instanceof Error ? error.message : "unreadable";
  const line = reason.replace(/\p{Cc}/gu, " ").slice(0, 120);
  return new ReleaseRefusal(
    "BAD_WORKBOOK",
    {},
    `The workbook cannot be read (${line}); download it again.`,
  );
}
