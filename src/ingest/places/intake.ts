// Where an operator's hierarchy file becomes places: read whole, checked whole, put in one command.
// Invariant: a file with one bad row changes nothing.

import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import type { ReleaseId } from "#base/ids.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { isAccepted, type Result, type Submit } from "#engine/engine.ts";
import { readHierarchy } from "#geo/hierarchy.ts";
import type { GeoNode } from "#geo/node.ts";
import type { GeoTree } from "#geo/tree.ts";
import { containerOf, MOST_MAGIC_BYTES } from "../sources/containers.ts";

type GeoLoading =
  /** `rereading`: how many releases are read again for these places, from now on. */
  | {
      readonly nodes: number;
      readonly added: number;
      readonly changed: number;
      readonly rereading: number;
    }
  | { readonly refusal: GeoRefusal }
  /** The file was good; this is what became of its command. */
  | { readonly failed: Result };

interface GeoRefusal {
  readonly code: "BAD_HIERARCHY" | "NOT_UTF8";
  readonly message: string;
  /** The header is line 1. */
  readonly line: number | null;
  readonly column: string | null;
}

/** The durable facts of the exchange that the intake needs. */
interface DurablePlaces {
  readonly geo: GeoTree;
  readonly releases: ReadonlyMap<ReleaseId, AcceptedRelease>;
}

/** The reader of providers' files, which reads some of them again. */
interface Reader {
  /** While this is done, no file is read. */
  whileIdle<T>(work: () => Promise<T>): Promise<T>;
  /** Reads again the files that are due, before any file that comes later. */
  reread(): void;
}

/** A row of a place has some 200; a quote that is never closed makes the rest of the file one row. */
const MOST_ROW_BYTES = 131_072;
/** Nine columns are read. */
const MOST_COLUMNS = 100;
/** Every place there is, down to the neighborhood: 80,000. */
const MOST_ROWS = 500_000;

/** The file is read whole, so what it may hold of small things is bounded, too. */
class TableTooLarge extends Error {}

function refuseLarge(row: readonly string[], line: number, mostRows: number): void {
  if (row.length > MOST_COLUMNS) {
    throw new TableTooLarge(`The row has more than ${MOST_COLUMNS} columns`);
  }
  if (line > mostRows) throw new TableTooLarge(`The file has more than ${mostRows} rows`);
}

/** A file that is a container of some kind. */
class NoText extends Error {}

/** @throws NoText naming what the file is, where its first bytes are of no text. */
async function* plainText(upload: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of upload) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < MOST_MAGIC_BYTES) continue;
    yield textIn(head);
    head = undefined;
  }
  if (head !== undefined) yield textIn(head);
}

function textIn(head: Uint8Array): Uint8Array {
  const container = containerOf(head);
  if (container === undefined) return head;
  throw new NoText(`The file is ${container}, and places are a table; save the file as CSV UTF-8`);
}

export class PlaceIntake {
  readonly #durable: DurablePlaces;
  readonly #reader: Reader;
  readonly #mostRows: number;

  constructor(durable: DurablePlaces, reader: Reader, mostRows = MOST_ROWS) {
    this.#durable = durable;
    this.#reader = reader;
    this.#mostRows = mostRows;
  }

  async load(upload: AsyncIterable<Uint8Array>, submit: Submit): Promise<GeoLoading> {
    const hash = createHash("sha256");
    const table: string[][] = [];
    const rows = parse({ bom: true, relax_column_count: true, max_record_size: MOST_ROW_BYTES });
    try {
      const text = hashed(plainText(upload), hash);
      await pipeline(text, rows, async (read: AsyncIterable<string[]>) => {
        for await (const row of read) {
          refuseLarge(row, table.length + 1, this.#mostRows);
          table.push(row);
        }
      });
    } catch (fault) {
      if (fault instanceof NoText) return refused("NOT_UTF8", 1, null, fault.message);
      if (!(fault instanceof CsvError || fault instanceof TableTooLarge)) throw fault;
      // The parser may be ahead of the rows that have been taken from it.
      const done = fault instanceof CsvError ? Number(fault.records) : table.length;
      return refused("BAD_HIERARCHY", done + 1, null, fault.message);
    }

    // A file that is being read matches the places there were; it must be done when new ones come.
    const loading = this.#reader.whileIdle(() => this.#enter(table, hash.digest("hex"), submit));
    this.#reader.reread();
    return loading;
  }

  async #enter(
    table: readonly (readonly string[])[],
    sha256: string,
    submit: Submit,
  ): Promise<GeoLoading> {
    const { geo, releases } = this.#durable;
    const reading = readHierarchy(table, geo);
    if ("refusal" in reading) {
      const { code, row, column, message } = reading.refusal;
      return refused(code, row, column, message);
    }

    const { nodes, added, changed } = reading;
    const news = nodes.filter((node) => isNews(geo, node));
    const due = [...releases.values()].filter((release) => mayMatch(release, news));
    const rereadDue = due.length === 0 ? {} : { rereadDue: due.map(({ id }) => id) };
    const result = await submit({ type: "LoadGeo", nodes, sha256, ...rereadDue });
    if (!isAccepted(result)) return { failed: result };
    return { nodes: nodes.length, added, changed, rereading: due.length };
  }
}

const isNews = (geo: GeoTree, node: GeoNode): boolean =>
  JSON.stringify(geo.get(node.id)) !== JSON.stringify(node);

/** Cities and neighborhoods are found by name, and by the city and county they lie in. */
const foundByName: readonly string[] = ["city", "neighborhood"];

function mayMatch(release: AcceptedRelease, news: readonly GeoNode[]): boolean {
  const { provider, level, unmatched } = release;
  if (unmatched === 0) return false;
  // A metro is whatever place was given the provider's id of it.
  if (level === "metro") {
    return news.some(({ providerIds }) => providerIds.some((id) => id.startsWith(`${provider}:`)));
  }
  const levels = new Set(news.map((node) => node.level));
  const isOfLevel = news.some((node) => node.level === level);
  return isOfLevel || (foundByName.includes(level) && (levels.has("county") || levels.has("city")));
}

const refused = (
  code: GeoRefusal["code"],
  line: number,
  column: string | null,
  message: string,
): GeoLoading => ({ refusal: { code, message, line, column } });

async function* hashed(
  upload: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of upload) {
    hash.update(chunk);
    yield chunk;
  }
}
