// The numbers of a running exchange, as Prometheus asks for them on the operator's socket.
// Invariant: an answer that is none fails the test.
import assert from "node:assert/strict";
import { request } from "node:http";
import { text } from "node:stream/consumers";

export async function scraped(socketPath: string): Promise<string> {
  const answer = await new Promise<{ readonly status: number; readonly body: string }>(
    (resolve, reject) => {
      const sent = request({ socketPath, path: "/metrics" }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      });
      sent.on("error", reject);
      sent.end();
    },
  );
  assert.equal(answer.status, 200, answer.body);
  return answer.body;
}

/** The value of a series as it is written; undefined where it is not told. */
export function seriesValue(metrics: string, series: string): number | undefined {
  const line = metrics.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
