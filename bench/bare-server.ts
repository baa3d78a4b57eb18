// The least an HTTP server can do: node:http that gives one body, whatever is asked.
// Invariant: it sends the bytes and kinds of headers that the exchange sends, computing nothing.
import { createServer } from "node:http";
import { answerWith, Companion } from "./companion.ts";
import type { Scope } from "./figure.ts";

interface Bare {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Its port. */
export async function startBare(scope: Scope, bare: Bare): Promise<number> {
  const answer = await new Companion(scope, new URL(import.meta.url)).ask(bare);
  const isPort = typeof answer === "object" && answer !== null && "port" in answer;
  if (!isPort) throw new Error("the bare server has no port");
  return Number(answer.port);
}

function isBare(value: unknown): value is Bare {
  return typeof value === "object" && value !== null && "body" in value && "headers" in value;
}

function serve(bare: unknown): Promise<{ readonly port: number }> {
  if (!isBare(bare)) throw new Error("nothing to serve");
  const body = Buffer.from(bare.body);
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
