// The routes that are asked most, served from Node's own request and response: the framework's
// objects, hooks and promises take longer than most of their answers do.
// Invariant: a hot route is the same route: one declaration, one frame, one admission. A request
// with anything about it that the framework could read in its own way goes to the framework.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { invariant } from "#base/invariant.ts";
import type { Route } from "../route/route.ts";
import type { Frame } from "./frame.ts";
import { DirectReply, DirectRequest, type HttpReply, type HttpRequest } from "./http-reply.ts";

interface HotOptions {
  readonly routes: readonly Route[];
  readonly frame: Frame;
  readonly mostBodyBytes: number;
  /** Called before an answer goes out. */
  onSend(request: IncomingMessage): void;
  /** Called once it has gone out. */
  onAnswered(request: HttpRequest, reply: HttpReply): void;
}

/** A hot route with one parameter, between a text before it and one after it. */
interface Pattern {
  readonly route: Route;
  readonly before: string;
  readonly after: string;
  readonly name: string;
}

interface HotMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

const noParams = {};
/** It needs no decoding; the framework has its own bounds for the rest. */
const plainParameter = /^[\w.:~-]{1,200}$/;

/** Each changes how a request is read, or where the answer may come from. */
const unusualHeaders: ReadonlySet<string> = new Set([
  ...["transfer-encoding", "content-encoding", "upgrade", "expect", "trailer", "accept-version"],
  "firstprint-min-sequence",
]);
const SHORTEST_UNUSUAL = 6;

const jsonTypes: ReadonlySet<string> = new Set([
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
]);

export class HotRoutes {
  readonly #options: HotOptions;
  /** By method and path. */
  readonly #whole = new Map<string, ReadonlyMap<string, Route | undefined>>();
  readonly #patterns = new Map<string, readonly Pattern[]>();
  #isClosing = false;

  constructor(options: HotOptions) {
    this.#options = options;
    const hot = options.routes.filter(({ isHot }) => isHot === true);
    for (const { method } of hot) {
      if (this.#whole.has(method)) continue;
      const own = options.routes.filter((route) => route.method === method);
      const ownHot = hot.filter((route) => route.method === method);
      this.#whole.set(method, wholePaths(own));
      this.#patterns.set(method, patternsOf(ownHot, own));
    }
  }

  /** From now on the framework takes every request: it closes each connection with its answer. */
  close(): void {
    this.#isClosing = true;
  }

  /** False where the framework has to take it. */
  take(raw: IncomingMessage, response: ServerResponse): boolean {
    const { method = "", url = "" } = raw;
    if (this.#isClosing || raw.httpVersion !== "1.1") return false;
    const found = this.#find(method, url);
    if (found === undefined) return false;
    const length = bodyLength(raw);
    if (length === undefined || length > this.#options.mostBodyBytes) return false;
    if (length > 0 && method === "GET") return false;
    this.#serve(found, raw, response, length);
    return true;
  }

  #serve(
    { route, params }: HotMatch,
    raw: IncomingMessage,
    response: ServerResponse,
    length: number,
  ) {
    const { frame, onSend, onAnswered } = this.#options;
    const request = new DirectRequest(raw, randomUUID(), route, params);
    const reply = new DirectReply(response, () => onSend(raw));
    response.on("finish", () => {
      reply.end();
      onAnswered(request, reply);
    });
    frame.serveHot(route, request, reply, length > 0 ? (next) => readBody(raw, next) : undefined);
  }

  #find(method: string, url: string): HotMatch | undefined {
    const whole = this.#whole.get(method);
    if (whole === undefined) return undefined;
    const cut = url.indexOf("?");
    const path = cut < 0 ? url : url.slice(0, cut);
    if (whole.has(path)) {
      const route = whole.get(path);
      return route === undefined ? undefined : { route, params: noParams };
    }
    for (const { route, before, after, name } of this.#patterns.get(method) ?? []) {
      if (!path.startsWith(before) || !path.endsWith(after)) continue;
      const value = path.slice(before.length, path.length - after.length);
      if (plainParameter.test(value)) return { route, params: { [name]: value } };
    }
    return undefined;
  }
}

/** Undefined where the body, or anything else about the head, is not the usual. */
function bodyLength({ rawHeaders }: IncomingMessage): number | undefined {
  let length: string | undefined;
  let type: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] ?? "";
    if (raw.length < SHORTEST_UNUSUAL) continue;
    const name = raw.toLowerCase();
    if (unusualHeaders.has(name)) return undefined;
    const value = rawHeaders[at + 1];
    if (name === "content-length") {
      if (length !== undefined) return undefined;
      length = value;
    } else if (name === "content-type") {
      if (type !== undefined) return undefined;
      type = value;
    }
  }
  if (length === undefined) return type === undefined ? 0 : undefined;
  const isUsual = /^[1-9]\d{0,8}$/.test(length) && jsonTypes.has(type?.toLowerCase() ?? "");
  return isUsual ? Number(length) : undefined;
}

function readBody(raw: IncomingMessage, next: (read: Uint8Array | Error) => void): void {
  const pieces: Buffer[] = [];
  raw.on("data", (piece: Buffer) => pieces.push(piece));
  raw.once("error", (error) => next(error));
  raw.once("end", () => {
    const [first, ...more] = pieces;
    next(first !== undefined && more.length === 0 ? first : Buffer.concat(pieces));
  });
}

/** Of the routes without parameters; undefined for one that is not hot. */
const wholePaths = (routes: readonly Route[]): ReadonlyMap<string, Route | undefined> =>
  new Map(
    routes
      .filter(({ url }) => !url.includes(":"))
      .map((route) => [route.url, route.isHot === true ? route : undefined]),
  );

function patternsOf(hot: readonly Route[], all: readonly Route[]): readonly Pattern[] {
  const patterns = hot.filter(({ url }) => url.includes(":"));
  return patterns.map((route) => {
    const rival = all.find((other) => other !== route && isSamePath(other.url, route.url));
    invariant(rival === undefined, `${rival?.url} takes no path of the hot ${route.url}`);
    const [, before, name, after] = /^([^:]*):(\w+)([^:]*)$/.exec(route.url) ?? [];
    invariant(
      before !== undefined && name !== undefined && after !== undefined,
      `the hot ${route.url} has one parameter`,
    );
    return { route, before, name, after };
  });
}

/** Whether two urls with parameters can stand for one path. */
function isSamePath(one: string, other: string): boolean {
  if (!one.includes(":")) return false;
  const [parts, others] = [one.split("/"), other.split("/")];
  return (
    parts.length === others.length &&
    parts.every((part, at) => {
      const against = others[at] ?? "";
      return part === against || part.startsWith(":") || against.startsWith(":");
    })
  );
}
