// A receiver of webhooks: a real HTTP server that checks every signature by itself.
// Invariant: it shares no code with the sender; what it has in `got` was signed by a known secret.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Json, numberAt } from "#test/support/exchange.ts";

interface Received {
  readonly id: string;
  readonly sequence: number;
  readonly body: Json;
  readonly text: string;
  readonly path: string;
  /** How many of its signatures are by a known secret, and how many there are. */
  readonly signatures: readonly [number, number];
}

interface Closing {
  after(end: () => Promise<void>): void;
}

export class Receiver {
  /** In the order they came, repeated ones too. */
  readonly got: Received[] = [];
  /** As they are shown: `whsec_…`. */
  readonly secrets = new Set<string>();
  /** Answers 204 where it is not changed. */
  answer: (received: Received, response: ServerResponse) => void = (_, response) =>
    void response.writeHead(204).end();
  /** The sender's clock. */
  nowMillis: () => number = Date.now;
  readonly #server: Server;
  readonly #port: number;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
    server.on("request", (request, response) => {
      this.#take(request, response).catch((error) => response.destroy(error));
    });
  }

  static async open(t: Closing, port = 0): Promise<Receiver> {
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    const receiver = new Receiver(server, address.port);
    t.after(() => receiver.close());
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  get port(): number {
    return this.#port;
  }

  /** The sequences that came, each once, in the order of their first coming. */
  get sequences(): readonly number[] {
    return [...new Set(this.got.map(({ sequence }) => sequence))];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await Promise.resolve();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request);
    const text = bytes.toString();
    const header = (name: string): string => String(request.headers[name]);
    const [id, time] = [header("webhook-id"), header("webhook-timestamp")];
    assert.equal(request.headers["content-type"], "application/json");
    const late = Math.abs(Number(time) - this.nowMillis() / 1000);
    assert.ok(late < 300, "the time is that of the attempt");
    const known = [...this.secrets].map((secret) => {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${time}.${text}`).digest("base64")}`;
    });
    const given = header("webhook-signature").split(" ");
    const right = given.filter((one) => known.includes(one)).length;
    const body: unknown = JSON.parse(text);
    const sequence = numberAt(body, "data", "sequence");
    const path = request.url ?? "";
    const received = { id, sequence, body, text, path, signatures: [right, given.length] } as const;
    this.got.push(received);
    this.answer(received, response);
  }
}

/** Each id came with one body only, and a message only after every earlier one had come. */
export function checkOrder(got: readonly Received[]): void {
  const bodies = new Map<string, string>();
  let newest = 0;
  for (const { id, text, sequence } of got) {
    assert.equal(bodies.get(id) ?? text, text, `${id} is the same each time`);
    if (!bodies.has(id)) assert.ok(sequence > newest, `${sequence} comes first after ${newest}`);
    bodies.set(id, text);
    newest = Math.max(newest, sequence);
  }
}
