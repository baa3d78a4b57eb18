// A witness over HTTP: add-checkpoint, and the newest head of each log for whoever compares.
// Invariant: a body is bounded in size and time, and a stranger in how often it asks; nothing but
// these two paths answers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Visitors } from "./visitors.ts";
import type { Witness } from "./witness.ts";

const MOST_BYTES = 65_536;
const REQUEST_MILLIS = 10_000;

export function serveWitness(
  witness: Witness,
  onFault: (error: unknown) => void,
  visitors = new Visitors(),
): Server {
  const server = createServer((request, response) => {
    const { remoteAddress = "" } = request.socket;
    const seconds = visitors.secondsToWait(remoteAddress);
    if (seconds > 0) {
      response.writeHead(429, { "retry-after": String(seconds), connection: "close" }).end();
      return;
    }
    answer(witness, request, response, () => visitors.noteCosigned(remoteAddress)).catch(
      (error: unknown) => {
        onFault(error);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      },
    );
  });
  server.requestTimeout = REQUEST_MILLIS;
  server.headersTimeout = REQUEST_MILLIS;
  return server;
}

async function answer(
  witness: Witness,
  request: IncomingMessage,
  response: ServerResponse,
  onCosigned: () => void,
): Promise<void> {
  const { method, url = "" } = request;
  if (method === "POST" && url === "/add-checkpoint") {
    const body = await bodyOf(request);
    if (body === undefined) {
      response.writeHead(413, { connection: "close" }).end();
      return;
    }
    const { status, contentType, body: text } = await witness.add(body);
    if (status === 200) onCosigned();
    response.writeHead(status, { "content-type": contentType }).end(text);
    return;
  }
  const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(url) ?? [];
  const note =
    method === "GET" && originHash !== undefined ? await witness.newest(originHash) : undefined;
  if (note === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(note);
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
