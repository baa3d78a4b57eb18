// Asks a running exchange and keeps the first request and answer of each operation as its example.
// Invariant: what chance and the clock of the machine gave stands in an example in its usual form.
import assert from "node:assert/strict";
import { ADMIN_SECRET, at, type Exchange, textAt } from "#test/support/exchange.ts";
import type { Example } from "../../tools/openapi-document.ts";
import { openStream } from "./event-reader.ts";

/** The request, in the terms of its route. */
interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A body that is no JSON. */
  readonly file?: string;
  readonly key?: string;
  /** The answer is another one of its operation, shown beside the first under this name. */
  readonly shownAs?: string;
}

export type Recorded = (place: string, status: number, body: unknown) => void;

export class Recorder {
  readonly examples = new Map<string, Example>();
  readonly #exchange: Exchange;
  readonly #onAnswer: Recorded;
  publicKey = "";

  constructor(exchange: Exchange, onAnswer: Recorded) {
    this.#exchange = exchange;
    this.#onAnswer = onAnswer;
  }

  /** Asks, demands to be answered, and keeps the first of each operation; returns `data`. */
  async do(method: string, url: string, asked: Asked = {}): Promise<unknown> {
    const { params = {}, query = {}, body, file, key, shownAs } = asked;
    const path = url.replaceAll(/:([A-Za-z]+)/g, (_all, name: string) => params[name] ?? "");
    const search = new URLSearchParams(query).toString();
    const sent = file ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(
      `${this.#exchange.url}${path}${search === "" ? "" : "?"}${search}`,
      {
        method,
        headers: {
          ...this.#credential(url, key),
          ...(sent === undefined
            ? {}
            : { "content-type": file === undefined ? "application/json" : "text/csv" }),
        },
        ...(sent === undefined ? {} : { body: sent }),
      },
    );
    const text = await response.text();
    // 202: it waits for a second person.
    assert.ok([200, 202].includes(response.status), `${method} ${path}: ${text}`);
    const answer: unknown = JSON.parse(text);
    const place = `${method} ${url}`;
    this.#onAnswer(place, response.status, answer);
    const first = this.examples.get(place);
    if (first === undefined) {
      this.examples.set(place, { params: usualParams(params), query, sent, answer: usual(answer) });
    } else if (shownAs !== undefined) {
      const others = { ...first.others, [shownAs]: usual(answer) };
      this.examples.set(place, { ...first, others });
    }
    return at(answer, "data");
  }

  /** Reads a stream up to its first entry, which is the example. */
  async follow(url: string, query: Readonly<Record<string, string>>, key?: string): Promise<void> {
    const place = `GET ${url}`;
    for await (const { event, data } of await openStream(
      this.#exchange.url,
      query,
      key === undefined ? {} : { authorization: `Bearer ${key}` },
      undefined,
      url,
    )) {
      this.#onAnswer(place, 200, data);
      if (event !== "entry") continue;
      this.examples.set(place, { params: {}, query, sent: undefined, answer: usual(data) });
      return;
    }
    assert.fail("the stream ended before its first entry");
  }

  /** Opens a stream, and sets what it tells under the id in its first message. */
  async subscribe(body: object): Promise<void> {
    for await (const { data } of await openStream(this.#exchange.url, { hold: "true" })) {
      const params = { id: textAt(data, "stream") };
      await this.do("POST", "/api/stream/:id/subscriptions", { params, body });
      return;
    }
  }

  #credential(url: string, key: string | undefined): Record<string, string> {
    if (key !== undefined) return { authorization: `Bearer ${key}` };
    const isOperators = url.startsWith("/api/admin/") || url.startsWith("/api/dev/");
    if (isOperators) return { "x-admin-secret": ADMIN_SECRET };
    return this.publicKey === "" ? {} : { "x-api-key": this.publicKey };
  }
}

/** Long lists are cut for the reader; what differs from run to run is given its usual form. */
const SHOWN_ITEMS = 3;

const usualParams = (params: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, one]) => [name, String(usual(one))]));

function usual(value: unknown, name = ""): unknown {
  if (name === "proof" && Array.isArray(value) && value.length > 0) return inclusion.proof;
  if (Array.isArray(value)) return value.slice(0, SHOWN_ITEMS).map((item) => usual(item, name));
  if (typeof value === "object" && value !== null) {
    const shown = Object.entries(value).map(([member, inner]) => [member, usual(inner, member)]);
    // Whether a head covers an entry already is a matter of milliseconds.
    const isEntry = "hash" in value && "inclusion" in value;
    const seen = isEntry && !("bytes" in value) ? { ...inclusion, checkpoint: logHead } : inclusion;
    return { ...Object.fromEntries(shown), ...(isEntry ? { inclusion: seen } : {}) };
  }
  // How much of the machine's memory is in use is a matter of the machine.
  if (name === "capacityUsed") return 0.01;
  if (typeof value === "number") return places.has(name) ? 42 : value;
  if (typeof value !== "string") return value;
  if (/^fp_(live|test|pub)_[0-9A-Za-z]{36}$/.test(value)) {
    return `${value.slice(0, value.lastIndexOf("_") + 1)}${"x".repeat(36)}`;
  }
  if (/^fp_(live|test|pub)_/.test(value))
    return `${value.slice(0, value.lastIndexOf("_") + 1)}xxxx`;
  if (/^0x[0-9a-f]{40}$/.test(value)) return `0x${"a1".repeat(20)}`;
  if (/^sub-[0-9a-f]{32}$/.test(value)) return `sub-${"5b".repeat(16)}`;
  if (/^str-[0-9a-f]{32}$/.test(value)) return `str-${"7d".repeat(16)}`;
  if (/^whk-[0-9a-f]{16}$/.test(value)) return `whk-${"3c".repeat(8)}`;
  if (/^whsec_/.test(value)) return `whsec_${"A".repeat(43)}=`;
  if (/^aud-[0-9]+$/.test(value)) return "aud-42";
  if (hashes.has(name)) return "5e".repeat(32);
  if (name === "nextCursor") return "OGY1YWM0ZDBlYjdhMTkyMzQyLjE";
  if (name === "bytes") return "eyJ2ZXJzaW9uIjoxfQ==";
  if (name === "verifierKey") return verifierKey;
  if (name === "origin") return "firstprint/3f9c…/log";
  if (name === "proof") return "Xl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl4=";
  if (name === "checkpoint" && value.includes("\n")) return logHead;
  return name === "note" && value.includes("\n") ? checkpoint : value;
}

const places: ReadonlySet<string> = new Set([
  "sequence",
  "durableSequence",
  "totalEntries",
  "size",
  "treeSize",
]);
const hashes: ReadonlySet<string> = new Set([
  "hash",
  "salt",
  "previousHash",
  "head",
  "stateHash",
  "sha256",
]);
const verifierKey = "firstprint/3f9c…+5e5e5e5e+AV5e…";
const inclusion = {
  index: 41,
  treeSize: 42,
  proof: ["Xl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl4="],
};
const logHead = "firstprint/3f9c…/log\n42\nXl5eXl5e…\n\n— firstprint/3f9c…/log …\n";
const checkpoint =
  "firstprint/3f9c…\n42\nXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl4=\n\n— firstprint/3f9c… …\n";
