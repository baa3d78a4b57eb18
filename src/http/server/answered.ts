// A request that has been answered, as it is counted and logged.
// Invariant: no credential, no body and no query stands in it.
import type { Caller, Route } from "../route/route.ts";
import type { HttpReply, HttpRequest } from "./http-reply.ts";

export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's own path, with its parameters' names; undefined where none took the request. */
  readonly route: string | undefined;
  readonly status: number;
  readonly millis: number;
  /** A stream is as long as somebody reads it. */
  readonly isStream: boolean;
  /** The account's id, or `root`; undefined where nobody is known. */
  readonly account: string | undefined;
  /** Of the W3C trace that the caller is in. */
  readonly traceId: string | undefined;
}

export function answeredOf(
  request: HttpRequest,
  reply: HttpReply,
  route: Pick<Route, "surface"> | undefined,
  caller: Caller | undefined,
): AnsweredRequest {
  const { id: requestId, method, routeOptions, headers } = request;
  return {
    ...{ requestId, method, route: routeOptions.url, status: reply.statusCode },
    millis: reply.elapsedTime,
    isStream: route?.surface === "events",
    account: nameOf(caller),
    traceId: traceIdOf(headers.traceparent),
  };
}

function nameOf(caller: Caller | undefined): string | undefined {
  if (caller?.type === "key") return caller.account.id;
  return caller?.type === "root" ? caller.type : undefined;
}

/** Version, trace, parent, flags; a trace of zeros is none. */
const traceparent = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** https://www.w3.org/TR/trace-context/, section 3.2. */
const traceIdOf = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === "string" ? traceparent.exec(header)?.[1] : undefined;
