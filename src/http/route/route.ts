// The definition of a route: method, path, surface, access, shapes and handler in one typed value.
// Invariant: no route exists without an access; a handler sees only what its shapes accepted.
//
// A file holds the endpoints of one resource, each a function from its ports to a Route:
//
//   export const showThing = (ports: Ports): Route =>
//     publicData.read({                        // trading · publicData · admin · rootOnly · bare
//       url: "/api/things/:id",
//       access: "public",                      // trading: a Permission; admin: "operator"; …
//       params: Type.Object({ id: Type.String() }),
//       query: closed({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })) }),
//       summary: "One thing",                  // what it gives, for the reference
//       refusals: ["MARKET_NOT_FOUND"],        // codes of its own; the frame's are known
//       data: Thing,                           // schema of `data`: what read must return
//       cost: 5,                               // rate units, 1 when left out, 0 = free
//       isHot: true,                           // served without the framework
//       read: ({ params, query, caller }) =>   // a Response, or refuse("NOT_FOUND")
//         ports.thing(params.id) ?? refuse("NOT_FOUND"),
//     });
//
// `read` answers `{ data, siblings?, status? }` or `{ items }` (an AsyncIterable,
// streamed as the array in `data`). `write` turns the request into one Command and renders the
// events it led to: `render` must use nothing but them and the request, so that an idempotent
// replay is byte-identical; a `secret` reaches it the first time only. `perform` and `upload` are
// for what is not one command: they call `submit` and answer for themselves; an upload gets its
// body as a stream. Query numbers arrive as text and are read strictly; a body number's own digits
// are `sourceOf(body, "price")` (json-source.ts).
import type { Readable } from "node:stream";
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import type { Actor, Command } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { isRejected } from "#core/outcome.ts";
import type { Account, AdminPermission, Key, Permission, PublicKey } from "#core/records.ts";
import type { Rejection } from "#core/rejection.ts";
import type { Result } from "#engine/engine.ts";
import { type ErrorCode, problemOf, type Refused, refuse } from "./errors.ts";
import { requestShape } from "./shape.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";
/** `events`: refuses as the public surface does, and answers with a stream of events. */
export type Surface = "trading" | "public" | "admin" | "bare" | "page" | "events";
/** `operator`: any operator, by what the request is about. `root`: the admin secret alone. */
export type Access = Permission | "operator" | "root" | "public";

export interface KeyCaller {
  readonly type: "key";
  readonly actor: Actor;
  readonly account: Account;
  readonly key: Key;
}
/** A caller that sent the admin secret. */
interface RootCaller {
  readonly type: "root";
  readonly actor: Actor;
}
/** Nobody the exchange knows: a key of the public surface raises a rate and gives no command. */
interface PublicKeyCaller {
  readonly type: "publicKey";
  readonly key: PublicKey;
}
export type Caller = KeyCaller | RootCaller | PublicKeyCaller | { readonly type: "anonymous" };
export type OperatorCaller = KeyCaller | RootCaller;

/** Sent as it is, in no envelope: a document or a file. */
export interface Page {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}
/** JSON in its envelope, written once for all who ask until what it says changes. */
export interface WrittenData {
  readonly text: string;
  /** Its entity tag. */
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** As a page, but made while it is read: what may be long is never held whole. */
export interface Text {
  readonly contentType: string;
  readonly pieces: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
  /** Its entity tag, where what it says is known before it is made. */
  readonly tag?: string;
}
/** Streamed as the array in `data`. */
export interface Items {
  readonly items: AsyncIterable<unknown>;
  /** Instead of that array: each item as JSON on a line of its own. */
  readonly asLines?: true;
}

/** The answer to a request, in one of its forms; the frame writes it. */
export type Response<T = unknown> = (
  | {
      readonly data: T;
      /** Members beside `data`, such as `pagination`. */
      readonly siblings?: Readonly<Record<string, unknown>>;
      /** 200 when left out. */
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | Page
  | WrittenData
  | Text
  | Items
  /** Sent as `text/event-stream` until it ends or the caller leaves. */
  | { readonly events: Readable }
  /** `requestId` is the first request's when the refusal is a replay. */
  | (Refused & { readonly requestId?: string | null })
) & { readonly replayed?: boolean };

type MaybePromise<T> = T | Promise<T>;

/** How a request's body arrives: as JSON, or raw, in one of `types` up to `limitBytes`. */
type BodyKind = "json" | { readonly types: readonly string[]; readonly limitBytes: number };

/**
 * A request on its way to its handler: authenticated and permitted. The frame hands it over with
 * the query as text; a handler gets it once path, query and body have the shapes of its route.
 */
export interface Request<C = Caller, P = unknown, Q = string, B = unknown> {
  readonly caller: C;
  /** The key under which requests are counted: an address, an account, or a public key. */
  readonly bucket: string;
  readonly requestId: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The media types of the request's Accept header. */
  readonly accept: string;
  /** The raw body, where the route takes one. */
  readonly upload: Readable | undefined;
  /** Every value of a request header, by its lower-case name. */
  header(name: string): readonly string[];
  submit(command: Command): Promise<Result>;
}

export interface Route {
  readonly method: Method;
  readonly url: string;
  readonly surface: Surface;
  readonly access: Access;
  readonly summary: string;
  readonly refusals: readonly ErrorCode[];
  readonly otherStatuses: readonly number[];
  /** The media types of pages it may answer with instead of JSON. */
  readonly otherTypes?: readonly string[];
  readonly cost: number;
  /** Any node answers it; else the leader alone. */
  readonly isForAnyNode: boolean;
  /** Asked so often that it is served without the framework (server/hot-routes.ts). */
  readonly isHot?: true;
  /** Its answers are long: what they weigh is charged to the account. */
  readonly costsBytes?: true;
  /** Units of a request of this body, where that is more than `cost`. */
  readonly costOf?: (body: unknown) => number;
  readonly body: BodyKind;
  readonly schemas: {
    readonly params: TObject;
    readonly query: TObject;
    readonly body: TObject;
    readonly data: TSchema;
    readonly siblings: TObject;
  };
  handle(request: Request): MaybePromise<Response>;
}

/** An object that takes these members and no others. */
export const closed = <P extends TProperties>(
  properties: P,
  more: { readonly title?: string } = {},
): TObject<P> => Type.Object(properties, { ...more, additionalProperties: false });
export const nothing = closed({});

interface Endpoint<A extends Access> {
  readonly url: string;
  readonly access: A;
  /** A line for the reference: what it gives or does. */
  readonly summary: string;
  /** Codes it may refuse with, besides those every route of its kind has. */
  readonly refusals?: readonly ErrorCode[];
  /** Statuses besides 200 that come with the same body. */
  readonly otherStatuses?: readonly number[];
  readonly cost?: number;
  readonly isHot?: true;
  readonly costsBytes?: true;
  readonly costOf?: (body: unknown) => number;
  /** Only the leader knows what it shows. */
  readonly isForLeader?: true;
}

interface ReadSpec<C, A extends Access, P extends TObject, Q extends TObject, D extends TSchema>
  extends Endpoint<A> {
  readonly params: P;
  readonly query: Q;
  readonly data: D;
  /** The members beside `data`. */
  readonly siblings?: TProperties;
  /** The media types of the pages it may answer with instead. */
  readonly otherTypes?: readonly string[];
  read(request: Request<C, Static<P>, Static<Q>>): MaybePromise<Response<Static<D>>>;
}

interface WriteSpec<C, A extends Access, P extends TObject, B extends TObject, D extends TSchema>
  extends Endpoint<A> {
  readonly method: Exclude<Method, "GET">;
  readonly params: P;
  readonly body: B;
  readonly data: D;
  /** The members beside `data`. */
  readonly siblings?: TProperties;
  /** The command a request stands for; `secret` is shown in its first answer and never again. */
  toCommand(
    request: Request<C, Static<P>, object, Static<B>>,
  ): MaybePromise<{ readonly command: Command; readonly secret?: string } | Refused>;
  /** `secret` is undefined in a replay. */
  render(
    accepted: { readonly events: readonly Event[]; readonly secret: string | undefined },
    request: Request<C, Static<P>, object, Static<B>>,
  ): Response<Static<D>>;
  /** Details the core cannot know, such as the prices next to the one that was sent. */
  explain?(
    rejection: Rejection,
    request: Request<C, Static<P>, object, Static<B>>,
  ): Readonly<Record<string, unknown>>;
}

interface PerformSpec<C, A extends Access, P extends TObject, B extends TObject, D extends TSchema>
  extends Endpoint<A> {
  readonly method: Exclude<Method, "GET">;
  readonly params: P;
  readonly body: B;
  readonly data: D;
  /** It gives no command: the body asks. */
  readonly isRead?: true;
  perform(request: Request<C, Static<P>, object, Static<B>>): Promise<Response<Static<D>>>;
}

interface UploadSpec<C, A extends Access, P extends TObject, Q extends TObject, D extends TSchema>
  extends Endpoint<A> {
  readonly method: Exclude<Method, "GET">;
  readonly params: P;
  readonly query: Q;
  readonly data: D;
  readonly accepts: Exclude<BodyKind, "json">;
  /** The stream fails with a 413 of its own once it is longer than `accepts.limitBytes`. */
  upload(
    request: Request<C, Static<P>, Static<Q>> & { readonly upload: Readable },
  ): Promise<Response<Static<D>>>;
}

type Narrow<C> = (caller: Caller) => C;

/** The three ways to write a route of one surface, with its caller's type. */
class Family<C, A extends Access> {
  readonly #surface: Surface;
  readonly #narrow: Narrow<C>;

  constructor(surface: Surface, narrow: Narrow<C>) {
    this.#surface = surface;
    this.#narrow = narrow;
  }

  read<P extends TObject, Q extends TObject, D extends TSchema>(
    spec: ReadSpec<C, A, P, Q, D>,
  ): Route {
    const { params, query, data } = spec;
    const schemas = { params, query, body: nothing, data, siblings: closed(spec.siblings ?? {}) };
    const shape = requestShape(schemas);
    return {
      ...this.#place(spec, "GET", "json", spec.isForLeader !== true),
      ...(spec.otherTypes === undefined ? {} : { otherTypes: spec.otherTypes }),
      schemas,
      handle: (unread) => {
        const sent = shape({ params: unread.params, query: unread.query, body: undefined });
        return "refused" in sent ? sent : spec.read(this.#request(unread, sent));
      },
    };
  }

  write<P extends TObject, B extends TObject, D extends TSchema>(
    spec: WriteSpec<C, A, P, B, D>,
  ): Route {
    const { params, body, data, siblings = {} } = spec;
    const schemas = { params, query: nothing, body, data, siblings: closed(siblings) };
    const shape = requestShape(schemas);
    return {
      ...this.#place(spec, spec.method, "json"),
      schemas,
      handle: async (unread) => {
        const sent = shape(unread);
        if ("refused" in sent) return sent;
        const request = this.#request(unread, sent);
        const draft = await spec.toCommand(request);
        if ("refused" in draft) return draft;
        const result = await request.submit(draft.command);
        return settle(
          result,
          (events, replayed) =>
            spec.render({ events, secret: replayed ? undefined : draft.secret }, request),
          (rejection) => spec.explain?.(rejection, request) ?? {},
        );
      },
    };
  }

  perform<P extends TObject, B extends TObject, D extends TSchema>(
    spec: PerformSpec<C, A, P, B, D>,
  ): Route {
    const { params, body, data } = spec;
    const schemas = { params, query: nothing, body, data, siblings: nothing };
    const shape = requestShape(schemas);
    return {
      ...this.#place(spec, spec.method, "json", spec.isRead === true),
      schemas,
      handle: async (unread) => {
        const sent = shape(unread);
        return "refused" in sent ? sent : spec.perform(this.#request(unread, sent));
      },
    };
  }

  upload<P extends TObject, Q extends TObject, D extends TSchema>(
    spec: UploadSpec<C, A, P, Q, D>,
  ): Route {
    const { params, query, data } = spec;
    const schemas = { params, query, body: nothing, data, siblings: nothing };
    const shape = requestShape(schemas);
    return {
      ...this.#place(spec, spec.method, spec.accepts),
      schemas,
      handle: async (unread) => {
        const sent = shape({ params: unread.params, query: unread.query, body: undefined });
        if ("refused" in sent) return sent;
        const { upload } = unread;
        if (upload === undefined) return refuse("UNSUPPORTED_MEDIA_TYPE");
        return spec.upload({ ...this.#request(unread, sent), upload });
      },
    };
  }

  #place(place: Endpoint<A>, method: Method, body: BodyKind, isForAnyNode = false) {
    const { url, access, summary, refusals = [], otherStatuses = [], cost = 1 } = place;
    const surface = this.#surface;
    return {
      ...{ method, url, surface, access, summary, refusals, otherStatuses, cost, body },
      isForAnyNode,
      ...(place.isHot === undefined ? {} : { isHot: place.isHot }),
      ...(place.costsBytes === undefined ? {} : { costsBytes: place.costsBytes }),
      ...(place.costOf === undefined ? {} : { costOf: place.costOf }),
    };
  }

  /** A request of the shapes of its route. */
  #request<S extends object>(unread: Request, sent: S) {
    return { ...unread, ...sent, caller: this.#narrow(unread.caller) };
  }
}

/** The engine's result of one command, as an answer. */
function settle(
  result: Result,
  render: (events: readonly Event[], replayed: boolean) => Response,
  explain: (rejection: Rejection) => Readonly<Record<string, unknown>> = () => ({}),
): Response {
  if ("unknown" in result) return refuse("OUTCOME_UNKNOWN");
  if ("refused" in result) return refuse(result.refused);
  const { outcome, replayed, requestId } = result;
  if (!isRejected(outcome)) return { ...render(outcome.events, replayed), replayed };

  const refused = problemOf(outcome.rejection, explain(outcome.rejection));
  return { refused, requestId, replayed };
}

export function keyCaller(caller: Caller): KeyCaller {
  invariant(caller.type === "key", "a trading route is reached with a key");
  return caller;
}

function operatorCaller(caller: Caller): OperatorCaller {
  const isKnown = caller.type === "key" || caller.type === "root";
  invariant(isKnown, "an operator route is reached by an operator");
  return caller;
}

function rootCaller(caller: Caller): RootCaller {
  invariant(caller.type === "root", "this route is reached with the admin secret");
  return caller;
}

const anyone = (caller: Caller): Caller => caller;

/** Answers `{ data }`; the caller holds a Bearer key. */
export const trading = new Family<KeyCaller, Permission>("trading", keyCaller);
/** Answers `{ success: true, data, …siblings }`; anybody may call. */
export const publicData = new Family<Caller, "public">("public", anyone);
/** A file of the server's own, free and open to everybody. */
export const page = (url: string, summary: string, file: () => Page): Route =>
  rawFile({ url, summary, params: nothing, cost: 0, read: () => Promise.resolve(file()) });

/** Sent as it is, to everybody: a standard gives its form, which no envelope may change. */
export const rawFile = <P extends TObject>(spec: {
  readonly url: string;
  readonly summary: string;
  readonly params: P;
  readonly cost: number;
  readonly refusals?: readonly ErrorCode[];
  read(params: Static<P>): Promise<Page | Refused>;
}): Route => {
  const { url, summary, params, cost, refusals = [] } = spec;
  const schemas = {
    params,
    query: nothing,
    body: nothing,
    data: Type.Unknown(),
    siblings: nothing,
  };
  const shape = requestShape(schemas);
  return {
    method: "GET",
    url,
    surface: "page",
    access: "public",
    summary,
    refusals,
    otherStatuses: [],
    cost,
    isForAnyNode: true,
    body: "json",
    schemas,
    handle: async (unread) => {
      const sent = shape({ params: unread.params, query: unread.query, body: undefined });
      return "refused" in sent ? sent : spec.read(sent.params);
    },
  };
};

/** Answers as the public surface; the caller is root, or an operator whose key is permitted it. */
export const admin = new Family<OperatorCaller, AdminPermission | "operator">(
  "admin",
  operatorCaller,
);
/** Answers as the public surface, to root alone. */
export const rootOnly = new Family<RootCaller, "root">("admin", rootCaller);
/** Answers `data` itself, in no envelope. */
export const bare = new Family<Caller, "public">("bare", anyone);
