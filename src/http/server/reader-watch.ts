// Cuts off whoever does not take the answer that was asked for.
// Invariant: bytes that wait for a reader are taken, or let go with the connection, within a time
// that the reader does not choose.
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { attention } from "./attention.ts";

/** Node looks after this time whether anything was taken since, so it is twice as long at most. */
const SILENT_MILLIS = 5_000;
/** More than this does not fit on the way to a reader, and waits here. */
const SHORT_BYTES = 65_536;
/** As long as an upload may take. */
const LONG_MILLIS = 30 * 60_000;
const SHORT_MILLIS = 60_000;

/**
 * Without progress, no answer outlives a few seconds; one that makes some has its whole time. The
 * server's own time limit: one listener, where a limit of each response's own is one a response.
 */
export function watchReaders(server: Server): void {
  server.setTimeout(SILENT_MILLIS, cutSilent);
}

/** `bytes`: undefined for what is written as it is read. */
export function limitReading(response: ServerResponse, bytes: number | undefined): void {
  if (bytes !== undefined && bytes <= SHORT_BYTES) return;
  const millis = bytes === undefined ? LONG_MILLIS : SHORT_MILLIS;
  response.once(
    "close",
    attention.after(millis, () => response.socket?.resetAndDestroy()),
  );
}

/**
 * Nothing to take is nobody's fault, and neither is a loop of ours that wrote nothing. A reset lets
 * go of what the kernel holds as well.
 */
function cutSilent(socket: Socket): void {
  const waiting = socket.writableLength;
  // Node waits longer than that only for the next request of a connection that is kept alive.
  const isIdle = (socket.timeout ?? 0) > SILENT_MILLIS;
  if (!isIdle && waiting === 0) {
    socket.setTimeout(SILENT_MILLIS);
    return;
  }
  const read = socket.bytesRead;
  attention.after(Math.min(attention.heldWithin(SILENT_MILLIS), SILENT_MILLIS), () => {
    if (isIdle && socket.bytesRead === read) socket.destroy();
    else if (!isIdle && socket.writableLength >= waiting) socket.resetAndDestroy();
    else socket.setTimeout(SILENT_MILLIS);
  });
}
