// How far a long upload has come, on stderr: one line rewritten, or in a log a line a quarter.
// Invariant: what is counted has been read from the file and handed to the connection.
import { Transform } from "node:stream";
import { UsageFault } from "./faults.ts";
import type { Output } from "./screen.ts";

const REDRAW_MILLIS = 100;
const BYTES_PER_MB = 1_000_000;
/** A smaller file is through before anybody has read a line about it. */
const LONG_BYTES = 8 * BYTES_PER_MB;

export class Progress {
  readonly #name: string;
  readonly #total: number;
  readonly #stderr: Output;
  #sent = 0;
  #drawnAt = 0;
  #part = 0;

  constructor(name: string, total: number, stderr: Output) {
    this.#name = name;
    this.#total = total;
    this.#stderr = stderr;
  }

  /** Passes everything on; a new one for each attempt counts from the start. */
  meter(): Transform {
    this.#sent = 0;
    this.#part = 0;
    return new Transform({
      transform: (chunk: Uint8Array, _encoding, done) => {
        this.#sent += chunk.length;
        this.#draw();
        done(null, chunk);
      },
      flush: (done) => {
        done(this.#sent === this.#total ? null : new UsageFault(`${this.#name} was changed`));
      },
      destroy: (fault, done) => {
        if (this.#stderr.isTTY && this.#sent < this.#total) this.#stderr.write("\n");
        done(fault);
      },
    });
  }

  #draw(): void {
    const whole = this.#sent >= this.#total;
    if (this.#stderr.isTTY) {
      if (!whole && Date.now() - this.#drawnAt < REDRAW_MILLIS) return;
      this.#drawnAt = Date.now();
      this.#stderr.write(`\r${this.#line()}${whole ? waiting : ""}`);
      return;
    }
    const parts = this.#total > LONG_BYTES ? 4 : 1;
    const part = Math.floor((parts * this.#sent) / this.#total);
    if (part === this.#part) return;
    this.#part = part;
    this.#stderr.write(`${this.#line()}${whole ? waiting : "\n"}`);
  }

  #line(): string {
    const percent = Math.floor((100 * this.#sent) / this.#total);
    const [sent, total] = [this.#sent, this.#total].map(sizeText);
    return `${this.#name}: sent ${sent} of ${total} (${percent} %)`;
  }
}

const waiting = "; the exchange is reading it\n";

const sizeText = (bytes: number): string =>
  bytes < BYTES_PER_MB
    ? `${Math.ceil(bytes / 1000)} kB`
    : `${(bytes / BYTES_PER_MB).toFixed(1)} MB`;
