// A way to the exchange that breaks: connections through it are cut in the middle of what goes by.
// Invariant: what it passes on is passed on unchanged and in order, up to the cut.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** In which direction the bytes go that are cut: half a request, or half an answer. */
type Side = "request" | "answer";

interface Pair {
  readonly client: Socket;
  readonly exchange: Socket;
  armed: Side | undefined;
}

type Draw = (bound: number) => number;

export class Wire {
  readonly cuts: Record<Side, number> = { request: 0, answer: 0 };
  readonly #server: Server;
  readonly #draw: Draw;
  readonly #pairs = new Set<Pair>();
  #target: number | undefined;

  private constructor(server: Server, draw: Draw) {
    this.#server = server;
    this.#draw = draw;
    server.on("connection", (client: Socket) => this.#accept(client));
  }

  static async start(draw: Draw): Promise<Wire> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Wire(server, draw);
  }

  get port(): number {
    const address = this.#server.address();
    assert.ok(address !== null && typeof address === "object");
    return address.port;
  }

  /** Where new connections lead; undefined = nowhere. */
  set target(url: string | undefined) {
    this.#target = url === undefined ? undefined : Number(new URL(url).port);
  }

  /** The next bytes of so many connections are cut somewhere in the middle. */
  arm(count: number): void {
    const unarmed = [...this.#pairs].filter(({ armed }) => armed === undefined);
    for (let left = Math.min(count, unarmed.length); left > 0; left -= 1) {
      const [pair] = unarmed.splice(this.#draw(unarmed.length), 1);
      if (pair !== undefined) pair.armed = this.#draw(2) === 0 ? "request" : "answer";
    }
  }

  /** From here on nothing is cut that was not cut yet. */
  heal(): void {
    for (const pair of this.#pairs) pair.armed = undefined;
  }

  async stop(): Promise<void> {
    for (const { client, exchange } of this.#pairs) {
      client.destroy();
      exchange.destroy();
    }
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(client: Socket): void {
    if (this.#target === undefined) {
      client.destroy();
      return;
    }
    const exchange = connect(this.#target, "127.0.0.1");
    const pair: Pair = { client, exchange, armed: undefined };
    this.#pairs.add(pair);
    const end = (): void => {
      this.#pairs.delete(pair);
      client.destroy();
      exchange.destroy();
    };
    for (const socket of [client, exchange]) {
      socket.setNoDelay(true);
      socket.on("error", end).on("close", end);
    }
    client.on("data", (bytes: Buffer) => this.#pass(pair, "request", bytes, exchange, end));
    exchange.on("data", (bytes: Buffer) => this.#pass(pair, "answer", bytes, client, end));
  }

  #pass({ armed }: Pair, side: Side, bytes: Buffer, to: Socket, end: () => void): void {
    if (armed !== side) {
      to.write(bytes);
      return;
    }
    this.cuts[side] += 1;
    // Nothing of an answer, too: then all of the request has arrived, and nobody hears of it.
    const length = this.#draw(bytes.length);
    if (length === 0) end();
    else to.write(bytes.subarray(0, length), end);
  }
}
