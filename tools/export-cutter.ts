// Cuts an audit export into its entries as its bytes arrive.
// Invariant: no more of it is kept than the entry that is being read.
import { joined, Texts, textOf } from "./octets.ts";

const MOST_FRAME_BYTES = 4_096;
const SHORT_TEXT_BYTES = 48;
const MOST_ENTRY_BYTES = 256 * 1_024 * 1_024;

/** There is nothing to judge: a file, a note or a key is missing or is none. */
export class Unusable extends Error {}

const OPEN = 0x7b;
const CLOSE = 0x7d;
const LIST_OPEN = 0x5b;
const LIST_CLOSE = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Cuts `[…]` or `{…"data":[…]}` into its objects as they arrive, however long the list is. */
export class Cutter {
  #phase: "before" | "between" | "inside" | "after" = "before";
  #frame = "";
  #hasBrace = false;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** The next backslash of the chunk from where the last text began; where none is, its length. */
  #backslash = -1;

  /** The texts of the objects that end in this chunk. */
  *take(chunk: Uint8Array): Generator<string> {
    const texts = new Texts(chunk);
    let start = 0;
    this.#backslash = -1;
    for (let at = 0; at < chunk.length; at += 1) {
      if (this.#inString && !this.#isEscaped) at = this.#passText(chunk, at);
      const byte = chunk[at];
      if (this.#phase === "inside") {
        if (byte === undefined || !this.#endsObject(byte)) continue;
        this.#phase = "between";
        if (this.#pieces.length === 0) yield texts.of(start, at + 1);
        else yield this.#joinedTo(chunk.subarray(0, at + 1));
      } else if (this.#phase !== "between") this.#passFrame(byte);
      else if (byte === OPEN) {
        start = at;
        this.#depth = 1;
        this.#phase = "inside";
      } else if (byte === LIST_CLOSE) this.#phase = "after";
      else if (byte === undefined || !" \n\r\t,".includes(String.fromCharCode(byte))) {
        throw new Unusable("the list holds something that is no entry");
      }
    }
    if (this.#phase === "inside") this.#keep(chunk.subarray(start));
  }

  /** Whether the list was whole; throws where what stood around it is no export. */
  end(): boolean {
    if (this.#phase === "before") throw new Unusable("it is no list of entries");
    if (this.#phase !== "after") return false;
    const rest = this.#hasBrace ? /^\s*(?:,[^[\]{}]*)?\}\s*$/ : /^\s*$/;
    if (!rest.test(this.#frame)) throw new Unusable("something stands after the list of entries");
    return true;
  }

  /** Where the next byte of a text is that means something, or the end. */
  #passText(chunk: Uint8Array, from: number): number {
    // To search for a byte costs as much as to look at some; most bytes are in a few long texts.
    const near = Math.min(from + SHORT_TEXT_BYTES, chunk.length);
    for (let at = from; at < near; at += 1) {
      const byte = chunk[at];
      if (byte === QUOTE || byte === BACKSLASH) return at;
    }
    return this.#passLongText(chunk, near);
  }

  #passLongText(chunk: Uint8Array, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    const end = quote < 0 ? chunk.length : quote;
    if (this.#backslash < from) {
      const next = chunk.indexOf(BACKSLASH, from);
      this.#backslash = next < 0 ? chunk.length : next;
    }
    return Math.min(end, this.#backslash);
  }

  #passFrame(byte: number | undefined): void {
    if (this.#frame.length >= MOST_FRAME_BYTES) throw new Unusable("it is no list of entries");
    if (byte !== LIST_OPEN || this.#phase === "after") {
      this.#frame += String.fromCharCode(byte ?? 0);
      return;
    }
    const opening = /^\s*(\{(?:[^[\]{}]*,)?\s*"data"\s*:\s*)?$/.exec(this.#frame);
    if (opening === null) throw new Unusable("it is no list of entries");
    this.#hasBrace = opening[1] !== undefined;
    this.#frame = "";
    this.#phase = "between";
  }

  #endsObject(byte: number): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#inString) {
      if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#inString = false;
    } else if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN || byte === LIST_OPEN) this.#depth += 1;
    else if (byte === CLOSE || byte === LIST_CLOSE) this.#depth -= 1;
    return this.#depth === 0;
  }

  #joinedTo(last: Uint8Array): string {
    const text = textOf(joined([...this.#pieces, last]));
    this.#pieces = [];
    this.#bytes = 0;
    return text;
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > MOST_ENTRY_BYTES) throw new Unusable("an entry is larger than any can be");
    this.#pieces.push(piece);
  }
}
