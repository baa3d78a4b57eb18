// The least an HTTP server can do: node:http that gives one body, whatever is asked.
// Invariant: it sends the bytes and kinds of headers that the exchange sends, computing nothing.
import { createServer, get } from "node:http";
import { answerWith, Companion } from "./companion.ts";
import type { Scope } from "./figure.ts";

interface Bare {
  /** In base64, for it may be compressed. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Its port. */
export const startBare = async (scope: Scope, bare: Bare): Promise<number> =>
  (await openBare(scope, bare)).port;

/** The same, to be ended before the bench is. */
export async function openBare(scope: Scope, bare: Bare) {
  const companion = new Companion(scope, new URL(import.meta.url));
  const answer = await companion.ask(bare);
  const isPort = typeof answer === "object" && answer !== null && "port" in answer;
  if (!isPort) throw new Error("the bare server has no port");
  return { port: Number(answer.port), pid: companion.pid, end: () => companion.end() };
}

/** The very bytes of an answer, in the coding that was asked for, and its headers. */
export function bareOf(url: string, coding: "br" | "identity" = "identity"): Promise<Bare> {
  return new Promise((done, failed) => {
    get(url, { headers: { "accept-encoding": coding } }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.once("error", failed);
      answer.once("end", () => {
        const body = Buffer.concat(pieces);
        if (answer.statusCode !== 200) failed(new Error(body.toString()));
        const own = new Set(["date", "connection", "keep-alive", "content-length"]);
        const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
          own.has(name) || value === undefined ? [] : [[name, String(value)] as const],
        );
        done({ body: body.toString("base64"), headers: Object.fromEntries(headers) });
      });
    }).once("error", failed);
  });
}

function isBare(value: unknown): value is Bare {
  return typeof value === "object" && value !== null && "body" in value && "headers" in value;
}

function serve(bare: unknown): Promise<{ readonly port: number }> {
  if (!isBare(bare)) throw new Error("nothing to serve");
  const body = Buffer.from(bare.body, "base64");
  const headers = { ...bare.headers, "content-length": body.length };
  const server = createServer((_request, response) => {
    response.writeHead(200, headers).end(body);
  });
  return new Promise((listening) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      listening({ port: typeof address === "object" && address !== null ? address.port : 0 });
    });
  });
}

if (import.meta.main) answerWith(serve);
