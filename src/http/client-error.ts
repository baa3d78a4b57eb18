// Requests too broken to be HTTP: answered in the usual envelope on the bare socket, then closed.
// Invariant: a broken request gets a 4xx, and nothing of it reaches a handler.
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { writeProblem } from "./envelope.ts";
import type { Problem } from "./errors.ts";

export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const { status, contentType, body } = writeProblem(problemOf(error.code), requestId, false);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function problemOf(code: string | undefined): Problem {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { code: "HEADERS_TOO_LARGE" };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { code: "REQUEST_TIMEOUT" };
    default:
      return { code: "INVALID_REQUEST", message: "The request is not well-formed HTTP" };
  }
}
