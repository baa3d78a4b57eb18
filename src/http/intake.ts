// How many orders are under way at a time. What is beyond is refused before its body is read and
// before the framework sees it; who was refused is not read again until others were served.
// Invariant: a few orders are refused for each that is answered, however many are sent, so that
// refusing never takes the time of serving; cancels and the operator are never refused here.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Route } from "./route.ts";
import { pathForm } from "./routes.ts";

interface IntakeOptions {
  readonly routes: readonly Route[];
  /** Orders taken in and not yet answered, all callers together. */
  readonly mostUnderWay: number;
  refuse(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** A refusal costs about a tenth of an order. */
const REFUSALS_AN_ORDER = 2;
/**
 * Whoever waits for each answer waits no longer; who sends many at once, so long for each, but far
 * from as long as a request may take to arrive: half of one may have come.
 */
const PAUSE_MILLIS = 100;
const LONGEST_PAUSE_MILLIS = 3_000;

const SECOND_TIME_MILLIS = 10_000;

interface Pause {
  readonly until: NodeJS.Timeout;
  refusals: number;
}

export class Intake {
  readonly #options: IntakeOptions;
  readonly #orders: readonly { readonly route: Route; readonly form: RegExp }[];
  /** Connections that are not read; the longest unread first. */
  readonly #paused = new Map<Socket, Pause>();
  /** The newest request of each connection that was ever left unread. */
  readonly #newest = new WeakMap<Socket, IncomingMessage>();
  #underWay = 0;
  /** Refusals that may still be given; below zero, those that were given all the same. */
  #credit: number;
  #isWaking = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#credit = options.mostUnderWay;
    this.#orders = options.routes
      .filter(({ access }) => access === "create:orders")
      .map((route) => ({ route, form: pathForm(route.url) }));
  }

  /** False when the request was refused, and is answered. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#newest.has(request.socket)) this.#newest.set(request.socket, request);
    const route = this.#orderRoute(request);
    if (route === undefined) return true;
    if (this.#underWay < this.#options.mostUnderWay) {
      this.#hold(request, response);
      return true;
    }
    this.#credit -= 1;
    this.#newest.set(request.socket, request);
    this.#pause(request.socket);
    void this.#options.refuse(route, request, response);
    return false;
  }

  /**
   * True where a request came slowly because we did not read: it gets its time once more, and then
   * the connection is cut if it has not come.
   */
  wasUnread(socket: Socket): boolean {
    const newest = this.#newest.get(socket);
    if (newest === undefined) return false;
    const wasComplete = newest.complete;
    setTimeout(() => {
      const hasCome = this.#newest.get(socket) !== newest || (!wasComplete && newest.complete);
      if (!hasCome) socket.destroy();
    }, SECOND_TIME_MILLIS).unref();
    return true;
  }

  #orderRoute({ method, url = "" }: IncomingMessage): Route | undefined {
    if (method === "GET" || method === "DELETE") return undefined;
    const [path = ""] = url.split("?", 1);
    return this.#orders.find(({ route, form }) => route.method === method && form.test(path))
      ?.route;
  }

  /** Whose body is not there when everything that has come was read holds no room meanwhile. */
  #hold(request: IncomingMessage, response: ServerResponse): void {
    let holds = 1;
    this.#underWay += 1;
    const hold = (now: number): void => {
      if (response.closed) return;
      this.#underWay += now - holds;
      holds = now;
    };
    response.once("close", () => this.#served(holds));
    setImmediate(() => {
      if (request.complete) return;
      hold(0);
      request.once("end", () => hold(1));
    });
  }

  #served(held: number): void {
    this.#underWay -= held;
    const { mostUnderWay } = this.#options;
    this.#credit = Math.min(this.#credit + REFUSALS_AN_ORDER, mostUnderWay);
    this.#wake();
  }

  /** One a turn: what it sent is seen before the next is read. */
  #wake(): void {
    if (this.#isWaking || this.#paused.size === 0) return;
    const hasRoom = this.#underWay < this.#options.mostUnderWay / 2;
    if (this.#credit < 0 && !hasRoom) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      const [longest] = this.#paused.keys();
      if (longest !== undefined) this.#resume(longest);
      this.#wake();
    });
  }

  /** Answers to one connection go out together: corked until it is left alone. */
  #pause(socket: Socket): void {
    const pause = this.#paused.get(socket);
    if (pause !== undefined) {
      pause.refusals += 1;
      return;
    }
    const until = setTimeout(() => this.#recall(socket), PAUSE_MILLIS).unref();
    this.#paused.set(socket, { until, refusals: 1 });
    socket.pause();
    socket.cork();
    // Answering reads what is left of the body, which ends a pause: this one comes after it.
    setImmediate(() => {
      socket.uncork();
      if (this.#paused.has(socket)) socket.pause();
    });
  }

  #recall(socket: Socket): void {
    const pause = this.#paused.get(socket);
    if (pause === undefined) return;
    const rest = Math.min(pause.refusals * PAUSE_MILLIS, LONGEST_PAUSE_MILLIS) - PAUSE_MILLIS;
    const until = setTimeout(() => this.#resume(socket), Math.max(rest, 0)).unref();
    this.#paused.set(socket, { ...pause, until });
  }

  #resume(socket: Socket): void {
    clearTimeout(this.#paused.get(socket)?.until);
    this.#paused.delete(socket);
    socket.resume();
  }
}
