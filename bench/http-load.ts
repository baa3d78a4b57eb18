// Load on an HTTP server: keep-alive connections that each have one request under way at a time.
// Invariant: the client does the same work for every server; an answer that is not 2xx is an error.
import { connect } from "node:net";
import { answerWith, Companion } from "./companion.ts";
import { quantile, type Scope } from "./figure.ts";

interface Load {
  readonly port: number;
  readonly connections: number;
  readonly millis: number;
  /** Whole requests as they go over the wire; a connection sends them in turn. */
  readonly requests: readonly string[];
}

export interface Loaded {
  readonly perSecond: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
}

export class LoadClient {
  readonly #companion: Companion;

  constructor(scope: Scope) {
    this.#companion = new Companion(scope, new URL(import.meta.url));
  }

  async run(load: Load): Promise<Loaded> {
    const loaded = await this.#companion.ask(load);
    if (!isLoaded(loaded)) throw new Error(`the load client said ${JSON.stringify(loaded)}`);
    return loaded;
  }
}

export function requestText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): string {
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const all = { host: "127.0.0.1", ...headers, ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function isLoaded(value: unknown): value is Loaded {
  return typeof value === "object" && value !== null && "p99Millis" in value;
}

function isLoad(value: unknown): value is Load {
  return typeof value === "object" && value !== null && "requests" in value;
}

/** Sends, waits for the whole answer, sends again, until the time is over. */
function drive(load: Load, first: number, latencies: number[]): Promise<void> {
  const { port, requests, millis } = load;
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const over = performance.now() + millis;
  let sentAt = 0;
  let next = first;
  let unread = "";
  const send = (): void => {
    sentAt = performance.now();
    socket.write(requests[next % requests.length] ?? "");
    next += 1;
  };
  return new Promise((done, failed) => {
    socket.once("error", failed);
    socket.once("close", () => done());
    socket.once("connect", send);
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      unread += chunk;
      const length = answerLength(unread);
      if (length === undefined || unread.length < length) return;
      if (!unread.startsWith("HTTP/1.1 2")) failed(new Error(unread.slice(0, 600)));
      const now = performance.now();
      latencies.push(now - sentAt);
      unread = "";
      if (now < over) send();
      else socket.end();
    });
  });
}

/** Head and body together; undefined while the head is not whole. */
function answerLength(text: string): number | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const body = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  if (body === undefined) throw new Error("an answer without a content-length");
  return end + 4 + Number(body);
}

async function run(load: unknown): Promise<Loaded> {
  if (!isLoad(load)) throw new Error("no load");
  const latencies: number[] = [];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: load.connections }, (_, at) => drive(load, at, latencies)),
  );
  return {
    perSecond: (1000 * latencies.length) / (performance.now() - started),
    p50Millis: quantile(latencies, 0.5),
    p99Millis: quantile(latencies, 0.99),
  };
}

if (import.meta.main) answerWith(run);
