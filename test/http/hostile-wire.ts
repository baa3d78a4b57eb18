// A client that sends what it is told to, however odd: headers twice, paths that are none.
// Invariant: what comes back is whole, or the call fails.
import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import type { Hostile } from "./hostile-requests.ts";

export interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a stream of events, which has no end. */
  readonly text: string;
}

const PATIENCE_MILLIS = 20_000;

export function send(url: string, hostile: Hostile, agent: Agent): Promise<Heard> {
  const { hostname, port, host } = new URL(url);
  const { method, target, body } = hostile;
  const headers = [["host", host], ...hostile.headers].flat();
  const hasBody = body !== undefined || !["GET", "HEAD"].includes(method);
  if (hasBody) headers.push("content-length", String(body?.length ?? 0));
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: target, headers, agent });
    sent.setTimeout(PATIENCE_MILLIS, () => sent.destroy(new Error("no answer")));
    sent.on("error", reject);
    sent.on("response", (answer) => {
      const { statusCode: status = 0, headers: heard } = answer;
      if (heard["content-type"]?.startsWith("text/event-stream") === true) {
        answer.destroy();
        resolve({ status, headers: heard, text: "" });
        return;
      }
      text(answer).then((all) => resolve({ status, headers: heard, text: all }), reject);
    });
    sent.end(body);
  });
}
