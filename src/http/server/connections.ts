// Limits open connections: so many from an address, and so many in all.
// Invariant: an address has no more than its share; while all places are taken, a newcomer has the
// place of the connection that has been idle longest without a credential, if there is one.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { attention } from "./attention.ts";

/** More are hung up on unheard: each takes memory and a file of the process. */
export const MOST_CONNECTIONS = 10_000;

export interface ConnectionLimits {
  /** FIRSTPRINT_ADDRESS_CONNECTIONS. */
  readonly anAddress: number;
  /** FIRSTPRINT_LOCAL_CONNECTIONS: an address of this machine, or of a named proxy. */
  readonly aLocalAddress: number;
  readonly all: number;
  /** How long a connection without a credential may ask nothing. */
  readonly idleSeconds: number;
}

/** The address a connection is counted under. */
interface Peer {
  readonly network: string;
  /** On this machine, or a proxy that speaks for many. */
  readonly isLocal: boolean;
}

/** The newest request of a connection, and how many there were. */
interface Asked {
  readonly request: IncomingMessage | undefined;
  readonly count: number;
}

const notAsked: Asked = { request: undefined, count: 0 };

interface Idle {
  readonly sinceMillis: number;
  /** Bytes that had come by then; undefined before the first request. */
  readonly bytesRead: number | undefined;
}

export const STRANGERS_KEEP_ALIVE_SECONDS = 5;
const SWEEP_MILLIS = 1_000;

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #peerOf: (address: string | undefined) => Peer;
  readonly #byNetwork = new Map<string, number>();
  /** Connections without a credential that ask nothing, the longest idle first. */
  readonly #idle = new Map<Socket, Idle>();
  /** Requests under way; a connection leaves when it closes. */
  readonly #asking = new Map<Socket, number>();
  readonly #known = new WeakSet<Socket>();
  readonly #newest = new WeakMap<Socket, Asked>();
  /** Of each connection the newest request that was answered before it was whole. */
  readonly #answeredEarly = new WeakMap<Socket, IncomingMessage>();

  constructor(limits: ConnectionLimits, peerOf: (address: string | undefined) => Peer) {
    this.#limits = limits;
    this.#peerOf = peerOf;
  }

  /** How many there are. */
  get size(): number {
    return this.#asking.size;
  }

  watch(server: Server): void {
    server.on("connection", (socket) => this.#open(socket));
    const sweep = setInterval(() => setImmediate(() => this.#sweep()), SWEEP_MILLIS).unref();
    server.once("close", () => clearInterval(sweep));
  }

  /** A request came: its connection is not idle until it is answered. */
  asked(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#newest.set(socket, { request, count: this.#newestOf(socket).count + 1 });
    const asking = this.#asking.get(socket);
    if (asking === undefined) return;
    this.#asking.set(socket, asking + 1);
    this.#idle.delete(socket);
    response.on("close", () => {
      if (!request.complete) this.#answeredEarly.set(socket, request);
      const left = this.#asking.get(socket);
      if (left === undefined) return;
      this.#asking.set(socket, left - 1);
      if (left > 1 || this.#known.has(socket)) return;
      this.#idle.set(socket, { sinceMillis: attention.now(), bytesRead: socket.bytesRead });
    });
  }

  /** Tells, asked later, whether the request that is on its way now is whole by then. */
  arrival(socket: Socket): () => boolean {
    const { request, count } = this.#newestOf(socket);
    // Of the one on its way not even the head has come, where the one before it is whole.
    const expected = request?.complete === false ? count : count + 1;
    return () => {
      const now = this.#newestOf(socket);
      return now.count > expected || (now.count === expected && now.request?.complete === true);
    };
  }

  #newestOf(socket: Socket): Asked {
    return this.#newest.get(socket) ?? notAsked;
  }

  /** Whether what is on its way belongs to a request that has its answer. */
  isAnswered(socket: Socket): boolean {
    return this.#answeredEarly.get(socket)?.complete === false;
  }

  /** A right credential came on it. */
  know(socket: Socket): void {
    this.#known.add(socket);
  }

  #open(socket: Socket): void {
    const { network, isLocal } = this.#peerOf(socket.remoteAddress);
    const mine = this.#byNetwork.get(network) ?? 0;
    const { anAddress, aLocalAddress, all } = this.#limits;
    if (mine >= (isLocal ? aLocalAddress : anAddress) || !this.#hasPlace(all)) {
      socket.destroy();
      return;
    }
    this.#byNetwork.set(network, mine + 1);
    this.#asking.set(socket, 0);
    this.#idle.set(socket, { sinceMillis: attention.now(), bytesRead: undefined });
    socket.once("close", () => {
      const others = (this.#byNetwork.get(network) ?? 1) - 1;
      if (others === 0) this.#byNetwork.delete(network);
      else this.#byNetwork.set(network, others);
      this.#asking.delete(socket);
      this.#idle.delete(socket);
    });
  }

  /** One that is dropped has left before the newcomer is counted. */
  #hasPlace(all: number): boolean {
    if (this.#asking.size < all) return true;
    const [oldest] = this.#idle.keys();
    if (oldest === undefined) return false;
    this.#asking.delete(oldest);
    this.#idle.delete(oldest);
    oldest.destroy();
    return true;
  }

  /** Before the first request, and while one is on its way, the time for a head counts instead. */
  #sweep(): void {
    const over = attention.now() - 1_000 * this.#limits.idleSeconds;
    for (const [socket, { sinceMillis, bytesRead }] of this.#idle) {
      if (sinceMillis > over) return;
      if (bytesRead === socket.bytesRead) socket.destroy();
    }
  }
}
