// One question to a provider's server: has the file changed, and if so, its bytes as a stream.
// Invariant: only listed origins are contacted, and every wait and every size has its limit.
import { lookup } from "node:dns/promises";
import { type IncomingMessage, type RequestOptions, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { BlockList } from "node:net";
import { InvariantBreach, invariant } from "#base/invariant.ts";
import type { Resolve } from "#outbound/addresses.ts";
import { RAW_LIMIT_BYTES } from "../raw-file.ts";
import { downloadLookup, isForbiddenHost, noNetworks } from "./address-guard.ts";
import { DownloadFault, type DownloadFaultCode } from "./fault.ts";

export interface DownloadLimits {
  readonly connectMillis: number;
  /** Without a byte while we wait for one; the headers come whole within it. */
  readonly idleMillis: number;
  /** From the first connection to the last byte. */
  readonly wholeMillis: number;
  /** As they are sent. */
  readonly wireBytes: number;
  readonly unpackedBytes: number;
  readonly redirects: number;
}

export const downloadLimits: DownloadLimits = {
  connectMillis: 10_000,
  idleMillis: 30_000,
  wholeMillis: 30 * 60_000,
  wireBytes: RAW_LIMIT_BYTES,
  unpackedBytes: RAW_LIMIT_BYTES,
  redirects: 3,
};

/** By what a server tells whether the file is still the one we have; null = it did not say. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

interface DownloadGuard {
  /** Of the operator's own; left out: none. */
  readonly networks?: BlockList;
  readonly allow: ReadonlySet<string>;
  readonly limits: DownloadLimits;
  readonly resolve: Resolve;
  /** A page is no file, but it may be a text; and a text comes as it is. */
  readonly isText?: boolean;
  /** Ends everything that was opened, whenever it comes. */
  readonly signal: AbortSignal;
}

type Fetched =
  | { readonly type: "unchanged" }
  | {
      readonly type: "file";
      readonly validators: Validators;
      /** On the wire, where the server says it. */
      readonly bytes: number | null;
      /** To be read once; it throws a DownloadFault, or the signal's reason. */
      readonly body: AsyncIterable<Uint8Array>;
    };

export const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

/** A query may hold a key of the provider's, so what is told of an address ends before it. */
export const withoutQuery = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

/** A page or a date is read whole. */
const TEXT_BYTES = 2 * 1024 * 1024;

/** A text that a file's name is read from. @throws as fetchFile */
export async function fetchText(url: URL, line: DownloadGuard): Promise<string> {
  const limits = { ...line.limits, wireBytes: Math.min(TEXT_BYTES, line.limits.wireBytes) };
  const known = { etag: null, lastModified: null };
  const answer = await fetchFile(url, known, { ...line, limits, isText: true });
  invariant(answer.type === "file", "nothing was known, so the answer is whole");
  return Buffer.concat(await Array.fromAsync(answer.body)).toString("utf8");
}

/** @throws DownloadFault, or the signal's reason */
export async function fetchFile(
  start: URL,
  known: Validators,
  line: DownloadGuard,
): Promise<Fetched> {
  let url = start;
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(url, known, line);
    const { location } = response.headers;
    if (!isRedirect(response.statusCode)) return answerOf(url, response, known, line);

    response.destroy();
    if (redirects === line.limits.redirects) {
      throw new DownloadFault(
        "TOO_MANY_REDIRECTS",
        `${withoutQuery(start)} leads on more than ${line.limits.redirects} times.`,
      );
    }
    url = targetOf(url, location, line.allow);
  }
}

const isRedirect = (status: number | undefined): boolean =>
  status !== undefined && [301, 302, 303, 307, 308].includes(status);

function targetOf(from: URL, location: string | undefined, allow: ReadonlySet<string>): URL {
  const target = location === undefined ? null : URL.parse(location, from.href);
  if (target === null) {
    throw new DownloadFault("BAD_STATUS", `${withoutQuery(from)} leads on without saying where.`);
  }
  if (!allow.has(target.origin) || target.username !== "" || target.password !== "") {
    throw new DownloadFault(
      "NOT_ALLOWED",
      `${withoutQuery(from)} leads to ${withoutQuery(target)}, which allow does not list.`,
    );
  }
  return target;
}

function send(url: URL, known: Validators, line: DownloadGuard): Promise<IncomingMessage> {
  const { limits, resolve, signal, networks = noNetworks } = line;
  const shown = withoutQuery(url);
  return new Promise((fulfil, reject) => {
    signal.throwIfAborted();
    if (isForbiddenHost(url, networks)) {
      throw new DownloadFault("PRIVATE_ADDRESS", `${url.hostname} is not a public address.`);
    }
    const isSecure = url.protocol === "https:";
    const lookup = downloadLookup(resolve, url, networks);
    const options = { agent: false, headers: headersFor(known, line), lookup };
    const request = requestTo(url, isSecure, options);
    const giveUp = (fault: DownloadFault): unknown => request.destroy(fault);
    const unconnected = new DownloadFault("NOT_CONNECTED", `${shown} could not be connected.`);
    let reached: DownloadFaultCode = "NOT_CONNECTED";
    let timer = setTimeout(giveUp, limits.connectMillis, unconnected);
    request.once("socket", (socket) => {
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        reached = "BROKEN_OFF";
        clearTimeout(timer);
        timer = setTimeout(giveUp, limits.idleMillis, stalled(shown));
      });
    });
    request.once("response", (response) => {
      clearTimeout(timer);
      // The reader of the body meets the error there; before that, nobody listens.
      response.on("error", () => undefined);
      fulfil(response);
    });
    signal.addEventListener("abort", () => request.destroy(), { once: true });
    request.on("error", (error) => reject(causeOf(error, reached, shown, signal)));
    request.once("close", () => {
      clearTimeout(timer);
      reject(causeOf(unconnected, reached, shown, signal));
    });
    request.end();
  });
}

const requestTo = (url: URL, isSecure: boolean, options: RequestOptions) =>
  isSecure ? requestSecure(url, options) : requestPlain(url, options);

const headersFor = (
  { etag, lastModified }: Validators,
  { isText }: DownloadGuard,
): Record<string, string> => ({
  accept: "*/*",
  "accept-encoding": isText === true ? "identity" : "gzip",
  "user-agent": "firstprint",
  ...(etag === null ? {} : { "if-none-match": etag }),
  ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
});

function answerOf(
  url: URL,
  response: IncomingMessage,
  known: Validators,
  line: DownloadGuard,
): Fetched {
  const { statusCode, headers } = response;
  const wasAsked = known.etag !== null || known.lastModified !== null;
  if (statusCode === 304 && wasAsked) {
    response.destroy();
    return { type: "unchanged" };
  }
  const fault = faultOf(url, response, line);
  if (fault !== undefined) {
    response.destroy();
    throw fault;
  }
  return {
    type: "file",
    validators: {
      etag: headers.etag ?? null,
      lastModified: headers["last-modified"] ?? null,
    },
    bytes: headers["content-length"] === undefined ? null : Number(headers["content-length"]),
    body: bodyOf(withoutQuery(url), response, line),
  };
}

function faultOf(
  url: URL,
  { statusCode, headers }: IncomingMessage,
  { limits: { wireBytes }, isText = false }: DownloadGuard,
): DownloadFault | undefined {
  const shown = withoutQuery(url);
  if (statusCode !== 200) {
    const isNowhere = statusCode === 404 || statusCode === 410;
    return new DownloadFault("BAD_STATUS", `${shown} answers ${statusCode}.`, { isNowhere });
  }
  const encoding = headers["content-encoding"] ?? "identity";
  if (!(isText ? /^identity$/i : /^(identity|gzip|x-gzip)$/i).test(encoding)) {
    return new DownloadFault("BAD_ENCODING", `${shown} sends in the encoding ${encoding}.`);
  }
  if (!isText && /^text\/html\b/i.test(headers["content-type"] ?? "")) {
    // Some servers say so of a file that they do not have.
    const message = `${shown} answers with a page instead of a file.`;
    return new DownloadFault("NOT_A_FILE", message, { isNowhere: true });
  }
  return Number(headers["content-length"] ?? 0) > wireBytes
    ? tooLarge(shown, wireBytes)
    : undefined;
}

async function* bodyOf(
  shown: string,
  response: IncomingMessage,
  { limits, signal }: DownloadGuard,
): AsyncGenerator<Uint8Array> {
  const cut = (fault?: DownloadFault): unknown => response.destroy(fault);
  const end = (): unknown => cut();
  signal.addEventListener("abort", end, { once: true });
  const chunks: AsyncIterator<unknown> = response[Symbol.asyncIterator]();
  let bytes = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const idle = setTimeout(cut, limits.idleMillis, stalled(shown));
      const { done, value } = await chunks.next().finally(() => clearTimeout(idle));
      if (done === true) break;
      invariant(value instanceof Uint8Array, "a response without an encoding set brings bytes");
      bytes += value.length;
      if (bytes > limits.wireBytes) throw tooLarge(shown, limits.wireBytes);
      yield value;
    }
    if (!response.complete) throw new DownloadFault("BROKEN_OFF", `${shown} broke off.`);
  } catch (error) {
    throw causeOf(error, "BROKEN_OFF", shown, signal);
  } finally {
    signal.removeEventListener("abort", end);
    response.destroy();
  }
}

/**
 * The cause of an error: an abort gives its own reason, a network error is shown with the address.
 */
function causeOf(
  error: unknown,
  code: DownloadFaultCode,
  shown: string,
  signal: AbortSignal,
): unknown {
  if (signal.aborted) return signal.reason;
  if (!(error instanceof Error)) return error;
  if (error instanceof DownloadFault || error instanceof InvariantBreach) return error;
  const said = error.message === "" && "code" in error ? String(error.code) : error.message;
  return new DownloadFault(code, `${shown}: ${said}.`, { cause: error });
}

const stalled = (shown: string): DownloadFault =>
  new DownloadFault("STALLED", `${shown} sent nothing for too long.`);

const tooLarge = (shown: string, limitBytes: number): DownloadFault =>
  new DownloadFault("TOO_LARGE", `${shown} is larger than the ${limitBytes} bytes allowed.`);
