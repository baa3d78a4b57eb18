// How many orders are under way at a time. A request beyond that number is left unread where it can
// be, and else refused before its body is read and before the framework sees it.
// Invariant: while orders wait, a connection is read when what it sends is expected to fit, or when
// its longest pause is over; cancels and the operator are never refused here.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Route } from "../route/route.ts";
import { pathForm } from "../routes.ts";
import { attention } from "./attention.ts";

interface OverloadOptions {
  readonly routes: readonly Route[];
  /** Orders taken in and not yet answered, all callers together. */
  readonly mostUnderWay: number;
  refuse(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** The rest is for orders of those who are not waiting in line. */
const SHARE_OF_THE_LINE = 0.9;
/** Node reads 64 kB at a time; an order with its head is seldom below 250 bytes. */
const ORDERS_A_READING = 250;
/** After this time a connection is read though there is no room, and what it sent is refused. */
const LONGEST_PAUSE_MILLIS = 5_000;
/** Of those that send many at once, one in each of these: refusing must not take all the time. */
const OVERDUE_CHECK_MILLIS = 100;
const SECOND_TIME_MILLIS = 10_000;

/** The state of a connection that has sent orders. */
interface Sender {
  /** Its orders that are taken in and not yet answered. */
  underWay: number;
  /** Orders that came since it was last read on. */
  orders: number;
  newest: IncomingMessage;
  /** When it was last read on after it was left unread. */
  readSince: number | undefined;
}

export class OverloadGuard {
  readonly #options: OverloadOptions;
  readonly #orders: readonly { readonly route: Route; readonly form: RegExp }[];
  readonly #senders = new WeakMap<Socket, Sender>();
  /** Connections that are not read, and since when; the longest unread first. */
  readonly #unread = new Map<Socket, number>();
  /** By request: 1 while it holds room, 0 while its body has not come; none once it is answered. */
  readonly #held = new WeakMap<IncomingMessage, 0 | 1>();
  /** Connections with several orders under way: what they send next is not worth reading yet. */
  readonly #several = new Set<Socket>();
  readonly #lineEnd: number;
  #underWay = 0;
  #isWaking = false;
  #check: NodeJS.Timeout | undefined;

  constructor(options: OverloadOptions) {
    this.#options = options;
    this.#lineEnd = Math.ceil(options.mostUnderWay * SHARE_OF_THE_LINE);
    this.#orders = options.routes
      .filter(({ access }) => access === "create:orders")
      .map((route) => ({ route, form: pathForm(route.url) }));
  }

  /** False when the request was refused, and is answered. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const known = this.#senders.get(socket);
    if (known !== undefined) known.newest = request;
    const route = this.#orderRoute(request);
    if (route === undefined) return true;
    const sender = known ?? this.#newSender(request);
    sender.orders += 1;
    if (this.#underWay < this.#options.mostUnderWay) {
      this.#hold(request, response, sender);
      // One at a time of a connection keeps nobody out: it may go on as long as there is room.
      if (this.#unread.size > 0 && sender.underWay > 1) this.#leaveUnread(socket);
      else if (this.#underWay >= this.#lineEnd) {
        for (const one of this.#several) this.#leaveUnread(one);
      }
      return true;
    }
    this.#leaveUnread(socket);
    void this.#options.refuse(route, request, response);
    return false;
  }

  /** An order has its answer, though the answers before it may still be on their way. */
  answered(request: IncomingMessage): void {
    const held = this.#held.get(request);
    if (held === undefined) return;
    this.#held.delete(request);
    this.#underWay -= held;
    const sender = this.#senders.get(request.socket);
    if (sender !== undefined) this.#count(request.socket, sender, -1);
    this.#wake();
  }

  /**
   * True where a request came slowly because we did not read: it gets its time once more from when
   * it was read on, and then the connection is cut if it has not come.
   */
  wasUnread(socket: Socket): boolean {
    const sender = this.#senders.get(socket);
    const isUnread = this.#unread.has(socket);
    if (sender === undefined || (!isUnread && sender.readSince === undefined)) return false;
    const { newest } = sender;
    const wasComplete = newest.complete;
    const look = (): void => {
      const hasCome = sender.newest !== newest || (!wasComplete && newest.complete);
      if (hasCome || socket.destroyed) return;
      const { readSince } = sender;
      const isRead = readSince !== undefined && !this.#unread.has(socket);
      const readMillis = isRead ? attention.now() - readSince : 0;
      if (readMillis >= SECOND_TIME_MILLIS) socket.destroy();
      else attention.after(SECOND_TIME_MILLIS - readMillis, look);
    };
    attention.after(SECOND_TIME_MILLIS, look);
    return true;
  }

  /** Reading a body, and each answer that was waited for, has Node read on: not here. */
  #newSender(request: IncomingMessage): Sender {
    const { socket } = request;
    const sender: Sender = { underWay: 0, orders: 0, newest: request, readSince: undefined };
    this.#senders.set(socket, sender);
    socket.on("resume", () => {
      if (this.#unread.has(socket)) socket.pause();
    });
    return sender;
  }

  #orderRoute({ method, url = "" }: IncomingMessage): Route | undefined {
    if (method === "GET" || method === "DELETE") return undefined;
    const [path = ""] = url.split("?", 1);
    return this.#orders.find(({ route, form }) => route.method === method && form.test(path))
      ?.route;
  }

  /** A request whose body is not there when all that has come was read holds no room meanwhile. */
  #hold(request: IncomingMessage, response: ServerResponse, sender: Sender): void {
    this.#count(request.socket, sender, 1);
    this.#underWay += 1;
    this.#held.set(request, 1);
    response.once("close", () => this.answered(request));
    setImmediate(() => {
      if (request.complete || !this.#held.has(request)) return;
      this.#held.set(request, 0);
      this.#underWay -= 1;
      request.once("end", () => {
        if (!this.#held.has(request)) return;
        this.#held.set(request, 1);
        this.#underWay += 1;
      });
    });
  }

  #count(socket: Socket, sender: Sender, more: 1 | -1): void {
    sender.underWay += more;
    if (sender.underWay > 1) this.#several.add(socket);
    else this.#several.delete(socket);
  }

  /** Those that are expected to fit; what they sent is seen before the next are read. */
  #wake(): void {
    if (this.#isWaking || this.#unread.size === 0) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      let filled = this.#underWay;
      for (const socket of this.#unread.keys()) {
        const expected = this.#expectedOf(socket);
        if (filled > 0 && filled + expected > this.#lineEnd) return;
        filled += expected;
        this.#resume(socket);
        this.#wake();
      }
    });
  }

  /** Those whose longest pause is over are read, whatever there is room for. */
  #readOverdue(): void {
    const over = performance.now() - LONGEST_PAUSE_MILLIS;
    let many = 0;
    for (const [socket, since] of this.#unread) {
      if (since > over) break;
      if (this.#expectedOf(socket) > 1) many += 1;
      if (many <= 1 || this.#expectedOf(socket) === 1) this.#resume(socket);
    }
    if (this.#unread.size > 0) this.#check?.refresh();
    else this.#check = undefined;
  }

  /** A connection that sent several at once is taken to send as many as one reading can hold. */
  #expectedOf(socket: Socket): number {
    const orders = this.#senders.get(socket)?.orders ?? 1;
    return orders > 1 ? ORDERS_A_READING : 1;
  }

  #leaveUnread(socket: Socket): void {
    if (this.#unread.has(socket)) return;
    this.#unread.set(socket, performance.now());
    this.#check ??= setTimeout(() => this.#readOverdue(), OVERDUE_CHECK_MILLIS).unref();
    socket.pause();
    // Refusals of one reading go out together.
    socket.cork();
    setImmediate(() => socket.uncork());
  }

  #resume(socket: Socket): void {
    this.#unread.delete(socket);
    const sender = this.#senders.get(socket);
    if (sender !== undefined) {
      sender.orders = 0;
      sender.readSince = attention.now();
    }
    socket.resume();
  }
}
