// The way to the local S3 server, on which requests fail as a test says. It checks as a store does
// and the local server does not: the digest of what arrives, and `If-None-Match`.
// Invariant: without a fault each request reaches the server, once.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { sha256Hex } from "#base/digest.ts";
import type { ObjectServer } from "./object-server.ts";

interface Scope {
  after(end: () => Promise<void>): void;
}

/** A status that the store answers, or an end in the middle of the bytes. */
export type Fault = number | "cut" | undefined;

export class ObjectWay {
  /** Of a request's method and path; undefined where nothing fails. */
  fault: (method: string, path: string) => Fault = () => undefined;
  readonly server: ObjectServer;
  readonly #listener: Server;

  private constructor(server: ObjectServer) {
    this.server = server;
    this.#listener = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(t: Scope, server: ObjectServer): Promise<ObjectWay> {
    const way = new ObjectWay(server);
    way.#listener.listen(0, "127.0.0.1");
    await once(way.#listener, "listening");
    t.after(async () => {
      way.#listener.close();
      way.#listener.closeAllConnections();
    });
    return way;
  }

  get address() {
    const listens = this.#listener.address();
    const url = new URL(this.server.address.url);
    url.port = typeof listens === "object" && listens !== null ? String(listens.port) : "";
    return { ...this.server.address, url: url.href };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const fault = this.fault(method, url);
    if (fault === "cut" && method === "PUT") {
      await once(request, "data");
      request.destroy();
      return;
    }
    const body = Buffer.concat(await Array.fromAsync(request));
    if (typeof fault === "number") return refuse(response, fault, "Refused");
    const answer = await this.#passedOn(request, body);
    if (!(answer instanceof Response)) return refuse(response, ...answer);
    const bytes = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { "content-length": bytes.length });
    if (fault !== "cut") return void response.end(bytes);
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  }

  /** The store's answer, or the reason why it takes nothing. */
  async #passedOn(
    { method = "", url = "", headers }: IncomingMessage,
    body: Buffer,
  ): Promise<Response | readonly [number, string]> {
    const target = new URL(url, this.server.address.url);
    const signed = Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        /^(authorization|x-amz-.*)$/.test(name) && typeof value === "string"
          ? [[name, value] as const]
          : [],
      ),
    );
    const ask = (as: string, sent: Partial<RequestInit> = {}) =>
      fetch(target, { method: as, headers: signed, ...sent });
    if (method !== "PUT") return ask(method);
    if (signed["x-amz-content-sha256"] !== sha256Hex(body)) {
      return [400, "XAmzContentSHA256Mismatch"];
    }
    if (headers["if-none-match"] === "*" && (await ask("HEAD")).ok) {
      return [412, "PreconditionFailed"];
    }
    return ask(method, { body: new Blob([Uint8Array.from(body)]) });
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<Error><Code>${code}</Code></Error>`);
}
