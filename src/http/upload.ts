// A raw body on its way to a handler, cut off where it grows beyond what its route takes.
// Invariant: no more than `limitBytes` ever pass; what the handler leaves is read and dropped, so
// that the answer reaches a caller who is still sending.
import { type Readable, Transform } from "node:stream";

export class UploadTooLarge extends Error {
  override readonly name = "UploadTooLarge";
}

export class UploadBrokenOff extends Error {
  override readonly name = "UploadBrokenOff";
}

/** Destroy what is returned when it is no longer wanted; the request itself must live on. */
export function limited(source: Readable, limitBytes: number): Readable {
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
  return gauge;
}
