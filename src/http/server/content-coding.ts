// Answers in fewer bytes: which coding a request takes (RFC 9110, 12.5.3), and the coded bytes.
// Invariant: coding never runs on the event loop, and never delays anybody but its own reader: with
// too many under way, an answer goes out as it is.
import { pipeline, type Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";

export type Coding = "br" | "gzip" | "identity";

/** Coded on threads that files and digests need, too. */
const MOST_UNDER_WAY = 8;
const MOST_KEPT_BYTES = 16_777_216;

/** A megabyte of JSON takes 10 ms and shrinks by nine tenths; level 11 takes a second. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipOptions = { level: 6 };

/** Text shrinks; tiles of hashes and pictures do not. */
const shrinks = /^(?:text\/|application\/(?:json|problem\+json|x-ndjson|javascript)|image\/svg)/;

export const isCodable = (contentType: string): boolean => shrinks.test(contentType);

/** Most callers are of a few programs, and each says the same every time. */
let newest: { readonly text: string; readonly coding: Coding } = { text: "", coding: "identity" };

/** The coding that the values of Accept-Encoding weigh most; of equals the smaller. */
export function codingAsked(values: readonly string[]): Coding {
  const text = values.length === 1 ? (values[0] ?? "") : values.join(",");
  if (newest.text !== text) newest = { text, coding: weighed(text) };
  return newest.coding;
}

function weighed(accepted: string): Coding {
  const weights = new Map<string, number>();
  for (const part of accepted.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    if (name !== "") weights.set(name === "x-gzip" ? "gzip" : name, weightOf(parameters));
  }
  const weigh = (coding: Coding): number => weights.get(coding) ?? weights.get("*") ?? 0;
  // Nothing said against it, an answer as it is will do, but for one that is wished for more.
  const plain = weights.get("identity") ?? 0;
  const best = weigh("br") >= weigh("gzip") ? "br" : "gzip";
  const weight = weigh(best);
  return weight > 0 && weight >= plain ? best : "identity";
}

/** A weight that is none counts as a no: the answer goes out as it is. */
function weightOf(parameters: readonly string[]): number {
  const [weight, more] = parameters;
  if (weight === undefined) return 1;
  const [, value] = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.exec(weight) ?? [];
  return value === undefined || more !== undefined ? 0 : Number(value);
}

const coders = {
  br: promisify((bytes: Uint8Array, done: CodedDone) => brotliCompress(bytes, brotliOptions, done)),
  gzip: promisify((bytes: Uint8Array, done: CodedDone) => gzip(bytes, gzipOptions, done)),
} as const;
type CodedDone = (error: Error | null, coded: Buffer) => void;

export class CodedBodies {
  /** Coded public answers, the one used last at the end. */
  readonly #kept = new Map<string, Uint8Array>();
  readonly #underWay = new Map<string, Promise<Uint8Array>>();
  #keptBytes = 0;
  #alone = 0;

  /**
   * Undefined where it stays as it is. `name` identifies the bytes, so that they are coded once for
   * all who ask; undefined: they are one caller's, and nothing of them is kept.
   */
  coded(
    coding: Coding,
    bytes: () => Uint8Array,
    name: string | undefined,
  ): Promise<Uint8Array> | Uint8Array | undefined {
    if (coding === "identity") return undefined;
    const key = name === undefined ? undefined : `${coding} ${name}`;
    const known = key === undefined ? undefined : this.#again(key);
    if (known !== undefined) return known;
    if (this.#underWay.size + this.#alone >= MOST_UNDER_WAY) return undefined;
    return key === undefined ? this.#once(coding, bytes()) : this.#forAll(key, coding, bytes());
  }

  #again(key: string): Promise<Uint8Array> | Uint8Array | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return this.#underWay.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  async #once(coding: "br" | "gzip", bytes: Uint8Array): Promise<Uint8Array> {
    this.#alone += 1;
    try {
      return await coders[coding](bytes);
    } finally {
      this.#alone -= 1;
    }
  }

  async #forAll(key: string, coding: "br" | "gzip", bytes: Uint8Array): Promise<Uint8Array> {
    const work = coders[coding](bytes);
    this.#underWay.set(key, work);
    try {
      const coded = await work;
      this.#keep(key, coded);
      return coded;
    } finally {
      this.#underWay.delete(key);
    }
  }

  #keep(key: string, coded: Uint8Array): void {
    this.#kept.set(key, coded);
    this.#keptBytes += coded.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= MOST_KEPT_BYTES) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }
}

/** The stream, coded as it is read; either end takes the other with it. */
export function codedStream(coding: "br" | "gzip", source: Readable): Readable {
  const coder = coding === "br" ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions);
  // A fault cuts the coder off, and with it the connection; it is told where it arose.
  return pipeline(source, coder, () => undefined);
}
