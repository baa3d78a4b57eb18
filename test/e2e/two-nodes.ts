// Two exchanges on one database, each with a folder of its own, and a client that knows both.
// Invariant: a request goes to one of them; one that neither answers has an unknown outcome.
import assert from "node:assert/strict";
import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { anyRate } from "#test/faults/deposit-load.ts";
import { at, Exchange, type Reply } from "#test/support/exchange.ts";
import { until } from "./until.ts";

/** The secrets that all nodes of one exchange share. */
export const shared = ["pepper", "webhook-key", "subjects-key", "checkpoint.key"];

/** A client gives up on an answer, and looks for it at the other node. */
const PATIENCE_MILLIS = 1_000;

const unanswered: Reply = {
  status: 503,
  headers: new Headers({ "retry-after": "1" }),
  body: { code: "OUTCOME_UNKNOWN", error: { outcome: "unknown" } },
  text: "",
};

type Asking = Parameters<Exchange["post"]>;

export class TwoNodes {
  readonly nodes: readonly [Exchange, Exchange];
  readonly databaseUrl: string;
  /** When each last answered 2xx, on this process's clock. */
  readonly #answeredAt = new Map<Exchange, number>();
  #preferred: Exchange;
  #longestSilence = 0;

  private constructor(nodes: readonly [Exchange, Exchange], databaseUrl: string) {
    this.nodes = nodes;
    this.databaseUrl = databaseUrl;
    this.#preferred = nodes[0];
  }

  /** The first leads, the second stands by; `program`: the checkout of both. */
  static async start(
    t: Parameters<typeof Exchange.start>[0],
    databaseUrl: string,
    more: Readonly<Record<string, string>> = {},
    program?: string,
  ): Promise<TwoNodes> {
    const environment = { DATABASE_URL: databaseUrl, ...anyRate, ...more };
    const first = await Exchange.start(t, environment, undefined, program);
    const copy = (dataDir: string) => copySecrets(first.dataDir, dataDir);
    const second = await Exchange.start(t, environment, copy, program);
    return new TwoNodes([first, second], databaseUrl);
  }

  other(node: Exchange): Exchange {
    const [first, second] = this.nodes;
    return node === first ? second : first;
  }

  async leader(): Promise<Exchange> {
    for (const node of this.nodes) {
      const reply = await node.get("/api/health/ready").catch(() => undefined);
      if (reply?.status === 200) return node;
    }
    return assert.fail("one of the nodes leads");
  }

  /** When the node has answered a request sent after `since`, on this process's clock. */
  async answeredSince(node: Exchange, since: number): Promise<number> {
    await until("it answers", () => (this.#answeredAt.get(node) ?? 0) > since);
    return this.#answeredAt.get(node) ?? assert.fail("it has answered");
  }

  /** The longest time without an answer to anybody since this was last asked, in milliseconds. */
  takeLongestSilence(): number {
    const longest = this.#longestSilence;
    this.#longestSilence = 0;
    return longest;
  }

  get(path: Asking[0], credential?: Asking[2]): Promise<Reply> {
    return this.#ask((node) => node.get(path, credential));
  }

  post(...asking: Asking): Promise<Reply> {
    return this.#ask((node) => {
      const silence = sleep(PATIENCE_MILLIS, unanswered, { ref: false });
      return Promise.race([node.post(...asking), silence]);
    });
  }

  /** A client stays with a node as long as it answers. */
  async #ask(ask: (node: Exchange) => Promise<Reply>): Promise<Reply> {
    const node = this.#preferred;
    const reply = await ask(node).catch(() => unanswered);
    const refused = ["NOT_LEADER", "STORAGE_UNAVAILABLE", "STOPPING"];
    if (reply === unanswered || refused.includes(String(at(reply.body, "code")))) {
      if (this.#preferred === node) this.#preferred = this.other(node);
    } else this.#heardFrom(node);
    return reply;
  }

  #heardFrom(node: Exchange): void {
    const now = performance.now();
    const before = Math.max(...this.#answeredAt.values());
    if (before > 0) this.#longestSilence = Math.max(this.#longestSilence, now - before);
    this.#answeredAt.set(node, now);
  }
}

/** Those that a node of this version has; an older one makes fewer. */
export async function copySecrets(from: string, to: string): Promise<void> {
  const there = await readdir(from);
  for (const name of shared) {
    if (there.includes(name)) await copyFile(join(from, name), join(to, name));
  }
}
