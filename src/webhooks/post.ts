// One delivery: a POST that follows nothing, reads little, and ends in time.
// Invariant: no address is connected that the guard does not allow, whatever a name leads to.

import { type RequestOptions, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { BlockList, LookupFunction } from "node:net";
import { isIP } from "node:net";
import {
  guardedLookup,
  isIn,
  isPublic,
  type Resolve,
  withoutBrackets,
} from "#outbound/addresses.ts";

export interface PostGuard {
  readonly resolve: Resolve;
  /** Networks that may be reached besides public addresses, and without TLS. */
  readonly networks: BlockList;
  readonly wholeMillis: number;
}

export const WHOLE_MILLIS = 15_000;
/** Read of an answer, so that its server meets no reset; none of it is kept. */
const MOST_ANSWER_BYTES = 65_536;

interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The status that was answered, or why there was none. */
export type Posted =
  | { readonly status: number; readonly retryAfterMillis: number }
  | { readonly fault: PostFault };

type PostFault =
  /** It leads into a network that is not public, or to one without TLS. */
  "PRIVATE_ADDRESS" | "NAME_NOT_FOUND" | "NOT_CONNECTED" | "TIMED_OUT" | "BROKEN_OFF";

class Forbidden extends Error {
  readonly fault: PostFault;

  constructor(fault: PostFault) {
    super(fault);
    this.fault = fault;
  }
}

export function post(posting: Outgoing, guard: PostGuard, signal: AbortSignal): Promise<Posted> {
  const url = new URL(posting.url);
  const isSecure = url.protocol === "https:";
  const bare = withoutBrackets(url.hostname);
  // A host written as an address is never looked up, so it is judged here.
  if (isIP(bare) !== 0 && !mayReach(guard, bare, isSecure)) {
    return Promise.resolve({ fault: "PRIVATE_ADDRESS" });
  }
  return new Promise((resolve) => {
    const options: RequestOptions = {
      method: "POST",
      agent: false,
      headers: { ...posting.headers, "content-length": posting.body.length },
      lookup: lookupOf(guard, isSecure),
      signal,
    };
    const request = (isSecure ? requestSecure : requestPlain)(url, options);
    let reached: PostFault = "NOT_CONNECTED";
    let answered: Posted | undefined;
    const end = (posted: Posted): void => {
      clearTimeout(timer);
      resolve(answered ?? posted);
      request.destroy();
    };
    const timer = setTimeout(() => end({ fault: "TIMED_OUT" }), guard.wholeMillis);
    request.once("socket", (socket) => {
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        reached = "BROKEN_OFF";
      });
    });
    request.once("response", (response) => {
      const { statusCode = 0, headers } = response;
      answered = { status: statusCode, retryAfterMillis: waitIn(headers["retry-after"]) };
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_ANSWER_BYTES) end({ fault: "BROKEN_OFF" });
      });
      for (const event of ["end", "error", "close"]) {
        response.once(event, () => end({ fault: "BROKEN_OFF" }));
      }
    });
    request.on("error", (error) => end({ fault: faultOf(error, reached) }));
    request.end(posting.body);
  });
}

const faultOf = (error: Error, reached: PostFault): PostFault =>
  error instanceof Forbidden ? error.fault : reached;

/** Without TLS only what the operator has listed is reached. */
export const mayReach = (
  { networks }: Pick<PostGuard, "networks">,
  address: string,
  isSecure: boolean,
): boolean => isIn(networks, address) || (isSecure && isPublic(address));

const lookupOf = (guard: PostGuard, isSecure: boolean): LookupFunction =>
  guardedLookup(guard.resolve, (_, address) => {
    if (address === undefined) return new Forbidden("NAME_NOT_FOUND");
    return mayReach(guard, address, isSecure) ? undefined : new Forbidden("PRIVATE_ADDRESS");
  });

/** Of a number of seconds; a date is not read. */
const waitIn = (header: string | undefined): number =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0;
