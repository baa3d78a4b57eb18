// One request over HTTP and its answer, told apart by what may have happened when it fails.
// Invariant: Unreachable means that not a byte of the request was sent.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { CutOff, Unreachable } from "./faults.ts";

export interface Sending {
  readonly method: string;
  readonly url: URL;
  /** Of a unix socket, which is then connected to whatever the url's host. */
  readonly socketPath: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Opened anew for each attempt. */
  readonly body: string | (() => Readable);
  /** How long nothing may come before the exchange is given up on. */
  readonly patienceSeconds: number;
}

/** As `fetch` would send it. */
export async function requestOver(request: Request) {
  const { method, url, headers } = request;
  const body = await request.text();
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const own = body === "" ? {} : length;
  return { method, url: new URL(url), headers: { ...Object.fromEntries(headers), ...own }, body };
}

/** Answers of these have no body, not even an empty one. */
const bodiless = [204, 205, 304];

/** Resolves with the head of the answer; its body comes as it is read. */
export async function send(sending: Sending): Promise<Response> {
  const message = await reach(sending);
  const { statusCode: status = 0, headers } = message;
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  if (bodiless.includes(status)) message.resume();
  const body = bodiless.includes(status) ? null : ReadableStream.from(chunksOf(message));
  return new Response(body, { status, headers: pairs });
}

function reach(sending: Sending): Promise<IncomingMessage> {
  const { method, url, socketPath, headers, body, patienceSeconds } = sending;
  const secure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    let connected = false;
    // A connection of its own, so that none is taken that the other side is just closing.
    const options = { method, headers, agent: false as const };
    const request = (secure ? httpsRequest : httpRequest)(
      url,
      socketPath === undefined ? options : { ...options, socketPath },
    );
    const fail = (fault: Error): void =>
      reject(connected ? new CutOff(reasonOf(fault)) : new Unreachable(reasonOf(fault)));
    request.on("socket", (socket) => {
      socket.once(secure ? "secureConnect" : "connect", () => {
        connected = true;
      });
    });
    request.setTimeout(patienceSeconds * 1000, () => {
      request.destroy(new Error(`no answer in ${patienceSeconds} s`));
    });
    request.on("error", fail);
    request.on("response", resolve);
    if (typeof body === "string") {
      request.end(body);
      return;
    }
    const source = body();
    // A refusal may come before the file is through; the rest of it need not be sent.
    request.once("response", () => source.unpipe(request));
    request.once("close", () => source.destroy());
    source.once("error", (fault) => {
      request.destroy();
      reject(fault);
    });
    source.pipe(request);
  });
}

/** The body as it comes. @throws CutOff where it ends too early */
async function* chunksOf(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of message) yield chunk;
  } catch (fault) {
    throw new CutOff(fault instanceof Error ? reasonOf(fault) : String(fault));
  }
}

/** Several addresses that all failed come as one error without words. */
function reasonOf(fault: Error): string {
  if (fault instanceof AggregateError) return fault.errors.map(String).join("; ");
  return fault.message;
}
