// Sends requests through the proxy and records when each was asked, and what came of it.
// Invariant: an answer that did not come whole is unknown, whatever of it came.
import { type Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { ADMIN_SECRET, at, type Json } from "#test/support/exchange.ts";
import type { Claims, Operation, Outcome } from "./history.ts";

export interface Asked {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: Json;
  /** Null = the operator's secret. */
  readonly secret: string | null;
}

/** The meaning of an answer; nothing of it is looked at unless it says ok. */
export interface Meaning {
  readonly claims: Claims;
  readonly sequence?: number;
  readonly timeMillis?: number;
}

interface Heard {
  readonly status: number;
  readonly text: string;
  readonly body: Json;
  readonly isReplay: boolean;
}

/** Longer than any pause, and than a start after a kill. */
const PATIENCE_MILLIS = 20_000;

/** Refusals of this try, not of what was asked: the same key may be answered otherwise. */
const passing: readonly unknown[] = ["IDEMPOTENCY_IN_FLIGHT", "RATE_LIMITED", "REQUEST_TIMEOUT"];

export class Recorder {
  readonly operations: Operation[] = [];
  /** Facts that no history may hold, whatever became of it. */
  readonly oddities: string[] = [];
  readonly #port: number;
  #nextOk = Promise.withResolvers<void>();

  constructor(port: number) {
    this.#port = port;
  }

  /** The milliseconds of all operations. */
  now(): number {
    return performance.now();
  }

  /** Resolves when the next write is answered ok, or has not been for so long. */
  nextOk(patienceMillis: number): Promise<void> {
    return Promise.race([this.#nextOk.promise, sleep(patienceMillis)]);
  }

  /** `key` null = a read. */
  async ask(
    client: string,
    agent: Agent,
    asked: Asked,
    write: { readonly key: string; readonly bringsMicros: bigint } | null,
    meaning: (body: Json) => Meaning,
  ): Promise<Outcome> {
    const invokedAt = this.now();
    const key = write?.key ?? null;
    const heard = await this.#send(agent, asked, key).catch(() => undefined);
    const returnedAt = this.now();
    if (heard?.status === 500) this.oddities.push(`odd: ${asked.path} was answered ${heard.text}`);
    const outcome = outcomeOf(heard, key === null, meaning);
    const bringsMicros = write?.bringsMicros ?? 0n;
    this.operations.push({ client, key, bringsMicros, invokedAt, returnedAt, outcome });
    if (key !== null && outcome.type === "ok") {
      this.#nextOk.resolve();
      this.#nextOk = Promise.withResolvers<void>();
    }
    return outcome;
  }

  #send(agent: Agent, { method, path, body, secret }: Asked, key: string | null): Promise<Heard> {
    const bytes = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(secret === null ? { "x-admin-secret": ADMIN_SECRET } : {}),
      ...(secret === null || secret === "" ? {} : { authorization: `Bearer ${secret}` }),
      ...(key === null ? {} : { "idempotency-key": key }),
      ...(bytes === undefined ? {} : { "content-type": "application/json" }),
      "content-length": Buffer.byteLength(bytes ?? ""),
    };
    return new Promise((resolve, reject) => {
      const host = "127.0.0.1";
      const sent = request({ host, port: this.#port, method, path, headers, agent });
      sent.setTimeout(PATIENCE_MILLIS, () => sent.destroy(new Error("no answer")));
      sent.on("error", reject);
      sent.on("response", (answer) => {
        const status = answer.statusCode ?? 0;
        const isReplay = answer.headers["idempotency-replayed"] === "true";
        text(answer).then((all) => {
          resolve({ status, text: all, body: JSON.parse(all), isReplay });
        }, reject);
      });
      sent.end(bytes);
    });
  }
}

/** A read is ok wherever it shows something: `GET /api/status` does so while it is not open. */
function outcomeOf(
  heard: Heard | undefined,
  isRead: boolean,
  meaning: (body: Json) => Meaning,
): Outcome {
  if (heard === undefined) return { type: "unknown" };
  const { status, text: said, body, isReplay } = heard;
  const code = at(body, "code");
  if (status < 300 || (isRead && code === undefined)) {
    const { claims, sequence = null, timeMillis = null } = meaning(body);
    return { type: "ok", claims, text: said, isReplay, sequence, timeMillis };
  }
  if (at(body, "error", "outcome") !== "not_applied") {
    return { type: "unknown" };
  }
  const isDecided = status < 500 && !passing.includes(code);
  return { type: "refused", isDecided, text: said };
}
