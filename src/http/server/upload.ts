// A raw body on its way to a handler, cut off where it grows beyond what its route takes, or where
// its sender falls silent.
// Invariant: no more than `limitBytes` ever pass; what the handler leaves is read and dropped, so
// that the answer reaches a caller who is still sending.
import { finished, type Readable, Transform } from "node:stream";
import { attention } from "./attention.ts";

export class UploadTooLarge extends Error {
  override readonly name = "UploadTooLarge";
}

export class UploadBrokenOff extends Error {
  override readonly name = "UploadBrokenOff";
}

export class UploadTooSlow extends Error {
  override readonly name = "UploadTooSlow";
}

interface Patience {
  /** Without a byte, while we are ready for one. */
  readonly idleMillis: number;
  readonly wholeMillis: number;
}

/** A big file over a slow link takes its time, as long as it keeps coming. */
const uploadPatience: Patience = { idleMillis: 10_000, wholeMillis: 30 * 60_000 };

/** Destroy what is returned when it is no longer wanted; the request itself must live on. */
export function limited(source: Readable, limitBytes: number, patience = uploadPatience): Readable {
  let total = 0;
  const gauge = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      total += chunk.length;
      if (total > limitBytes) done(new UploadTooLarge(`more than ${limitBytes} bytes`));
      else done(null, chunk);
    },
  });
  source.pipe(gauge);
  source.once("error", () => gauge.destroy(new UploadBrokenOff()));
  source.once("close", () => {
    if (!source.readableEnded) gauge.destroy(new UploadBrokenOff());
  });
  // A failure nobody is reading for is no failure of the node.
  gauge.on("error", () => undefined);
  gauge.once("close", () => {
    source.unpipe(gauge);
    source.resume();
  });
  watch(source, gauge, patience);
  return gauge;
}

/**
 * A sender who was answered and neither goes on nor hangs up is cut as well. A handler that does
 * not read for a while is not the sender's fault.
 */
function watch(source: Readable, gauge: Transform, { idleMillis, wholeMillis }: Patience): void {
  let heardAt = attention.now();
  let endIdle = attention.after(idleMillis, judge);
  const endWhole = attention.after(wholeMillis, cut);
  source.on("data", () => {
    heardAt = attention.now();
  });
  finished(source, release);

  function judge(): void {
    if (gauge.writableNeedDrain) heardAt = attention.now();
    const left = heardAt + idleMillis - attention.now();
    if (left <= 0) cut();
    else endIdle = attention.after(left, judge);
  }

  function cut(): void {
    // Node does not tell the end of a body whose connection the answer closes.
    release();
    if (gauge.destroyed) source.destroy();
    else gauge.destroy(new UploadTooSlow());
  }

  function release(): void {
    endIdle();
    endWhole();
  }
}
