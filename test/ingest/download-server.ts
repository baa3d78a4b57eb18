// A provider's server of the tests' own, on this machine, that behaves as badly as a test wants.
// Invariant: it ends with its test, whatever connections are still open.
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { TestContext } from "node:test";
import { at, numberAt } from "#test/support/exchange.ts";

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

type Play = (response: ServerResponse, asked: Asked) => void;

export class ProviderServer {
  /** Every request that came, oldest first. */
  readonly asked: Asked[] = [];
  /** Connections, whether or not a request came over them. */
  connections = 0;
  readonly origin: string;
  readonly end: () => Promise<void>;
  /** How it answers from now on. */
  play: Play;

  private constructor(origin: string, play: Play, end: () => Promise<void>) {
    this.origin = origin;
    this.play = play;
    this.end = end;
  }

  /** `tls`: key and certificate in PEM; without them it speaks plain HTTP. */
  static async start(
    t: TestContext,
    play: Play,
    { port = 0, tls }: { port?: number; tls?: { key: string; cert: string } } = {},
  ): Promise<ProviderServer> {
    const answer: RequestListener = (request, response) => {
      const asked = { path: request.url ?? "", headers: request.headers };
      provider.asked.push(asked);
      provider.play(response, asked);
    };
    const server = tls === undefined ? createServer(answer) : createSecureServer(tls, answer);
    server.on("connection", () => {
      provider.connections += 1;
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    const end = async (): Promise<void> => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    };
    t.after(end);
    const address = numberAt(server.address(), "port");
    const scheme = tls === undefined ? "http" : "https";
    const provider = new ProviderServer(`${scheme}://localhost:${address}`, play, end);
    return provider;
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  headerOf(name: string, request: number): unknown {
    return at(this.asked[request]?.headers, name);
  }
}

/** An answer with these headers and this body, whole. */
export const whole =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Play =>
  (response) => {
    response.writeHead(200, { "content-type": "text/csv", ...headers }).end(body);
  };

/** Leads on with the given status. */
export const leadsTo =
  (location: string, status = 302): Play =>
  (response) => {
    response.writeHead(status, { location }).end();
  };
