// A raw body on its way to a handler, cut off where it grows beyond what its route takes.
// Invariant: no more than `limitBytes` ever pass; what is too long fails, it is not shortened.
import { pipeline, type Readable, Transform } from "node:stream";

export class UploadTooLarge extends Error {
  override readonly name = "UploadTooLarge";
}

export function limited(stream: Readable, limitBytes: number): Readable {
  let total = 0;
  const gauge = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      total += chunk.length;
      if (total > limitBytes) done(new UploadTooLarge(`more than ${limitBytes} bytes`));
      else done(null, chunk);
    },
  });
  // The handler sees the failure on the stream it reads; there is nobody else to tell.
  return pipeline(stream, gauge, () => undefined);
}
