// A connection that is closed behind an answer while its request is still being sent.
// Invariant: the answer arrives, also at a client that sends on before it reads; a client that
// never stops sending is hung up on.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/**
 * Node closes such a connection as soon as the answer is out. The kernel answers the bytes that
 * come then with a reset, and the client loses the answer with it: of 40 uploads refused by their
 * length, on busy processors, 2 met the reset first (2026-11-28). So our side ends first, and
 * theirs is read to the end of the request, or for `lingerMillis` (RFC 9112, section 9.6).
 */
export function closeInStages(
  request: IncomingMessage,
  response: ServerResponse,
  lingerMillis: number,
): void {
  // Without a body it has ended as it comes.
  if (request.readableEnded) return;
  const { socket } = request;
  // Node's own listener, which closes the connection, was here first.
  response.prependOnceListener("finish", () => {
    if (request.complete) return;
    socket.destroySoon = () => {
      if (request.complete) {
        Socket.prototype.destroySoon.call(socket);
        return;
      }
      socket.end();
      const timer = setTimeout(() => socket.destroy(), lingerMillis).unref();
      socket.once("close", () => clearTimeout(timer));
      request.once("end", () => socket.destroy());
    };
  });
}
