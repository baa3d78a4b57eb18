// A stream of server-sent events as an answer: its head, and its end on a connection that hangs.
// Invariant: the connection ends with the stream; nothing buffers what the stream has given.
import type { Readable } from "node:stream";
import type { HttpReply, HttpRequest } from "../server/http-reply.ts";

const eventsType = "text/event-stream; charset=utf-8";

/** How long the last bytes may take to reach a caller who reads slowly. */
const LEAVING_MILLIS = 1_000;

export function sendEvents(request: HttpRequest, reply: HttpReply, events: Readable): HttpReply {
  reply.code(200).headers({
    "content-type": eventsType,
    "cache-control": "no-store, no-transform",
    connection: "close",
    // A proxy in between would otherwise wait for a full buffer.
    "x-accel-buffering": "no",
  });
  if (request.method === "HEAD") {
    events.destroy();
    return reply.send();
  }
  events.once("close", () => {
    const leaving = setTimeout(() => reply.raw.destroy(), LEAVING_MILLIS);
    reply.raw.once("close", () => clearTimeout(leaving));
    if (reply.raw.closed) clearTimeout(leaving);
  });
  return reply.send(events);
}
