// Requests too broken or too slow to be HTTP: answered in the envelope on their socket, and closed.
// Invariant: a broken request gets a 4xx, and nothing of it reaches a handler; one that had its
// answer before it broke gets no second one, which a client would read as that of its next request.
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { writeProblem } from "../route/envelope.ts";
import type { Problem } from "../route/errors.ts";
import { type AdmissionParts, chargeStranger } from "./admission.ts";
import { attention } from "./attention.ts";

/** A client that does not hang up on its side is hung up on. */
const LINGER_MILLIS = 1_000;
/** Connections that were ended here and are still read: a reset would overtake their answer. */
const ended = new WeakSet<Socket>();

interface ClientError extends Error {
  readonly code?: string;
}

/** Questions about the connection, asked where the answer matters. */
interface Circumstances {
  /** Whether it may take longer than others. */
  hasTime(): boolean;
  /** Whether the request that was on its way is whole by now. */
  hasCome(): boolean;
  /** Milliseconds that a request may take to come. */
  readonly patience: number;
  /** Whether the request that is on its way has its answer already. */
  isAnswered(): boolean;
}

type Parts = Pick<AdmissionParts, "limiter" | "origins" | "publicRatePerMinute" | "refusalCounts">;

/**
 * Node finds a request late by the clock, before it has read what came while our loop was held: so
 * much time is given once more, and what is there is read, before anybody is called slow.
 */
export function answerClientError(
  error: ClientError,
  socket: Socket,
  circumstances: Circumstances,
  parts: Parts,
): void {
  if (error.code !== "ERR_HTTP_REQUEST_TIMEOUT") {
    answer(error, socket, circumstances, parts);
    return;
  }
  const { patience } = circumstances;
  if (circumstances.hasTime()) return;
  attention.after(Math.min(attention.heldWithin(patience), patience), () => {
    if (socket.destroyed || circumstances.hasCome() || circumstances.hasTime()) return;
    answer(error, socket, circumstances, parts);
  });
}

function answer(
  error: ClientError,
  socket: Socket,
  circumstances: Circumstances,
  parts: Parts,
): void {
  // Behind bytes that are no HTTP, each that comes is an error as well: it is dropped.
  if (ended.has(socket)) return;
  // Behind an answer that is still on its way, ours would be read as a part of it.
  if (error.code === "ECONNRESET" || !socket.writable || socket.writableLength > 0) {
    socket.destroy();
    return;
  }
  ended.add(socket);
  setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
  if (circumstances.isAnswered()) {
    socket.end();
    return;
  }
  const requestId = randomUUID();
  const problem = problemOf(error.code);
  parts.refusalCounts.note(problem.code);
  const rate = chargeStranger(parts.origins.peer(socket.remoteAddress), parts);
  const { status, contentType, body } = writeProblem(problem, requestId, false);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(rate).map(([name, value]) => `${name}: ${value}`),
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
