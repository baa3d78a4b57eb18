// Reads a stream of server-sent events as a client does, from a socket or a Readable.
// Invariant: an event is what stood between two blank lines, whole; a comment is none.
import assert from "node:assert/strict";
import { at, type Json, listAt, numberAt } from "#test/support/exchange.ts";

export interface ServerSent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Json;
}

/** The events of a stream as they come; `retry` and comments are passed over. */
export async function* eventsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const one = eventOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (one !== undefined) yield one;
    }
  }
}

function eventOf(block: string): ServerSent | undefined {
  const fields = new Map(
    block.split("\n").map((line) => {
      const cut = line.indexOf(": ");
      return [line.slice(0, cut), line.slice(cut + 2)] as const;
    }),
  );
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { event: fields.get("event") ?? "message", id: fields.get("id"), data: JSON.parse(data) };
}

/** A line an entry: its sequence and everything in it. */
export const lineOf = ({ data }: ServerSent): string =>
  `${numberAt(data, "sequence")} ${JSON.stringify(listAt(data, "events"))}`;

/** Opens `GET /api/stream`, or another; asserts that it is one. */
export async function openStream(
  url: string,
  query: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
  path = "/api/stream",
): Promise<AsyncGenerator<ServerSent>> {
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`${url}${path}${search === "" ? "" : "?"}${search}`, {
    headers,
    ...(signal === undefined ? {} : { signal }),
  });
  assert.equal(response.status, 200, `the stream opens: ${response.status}`);
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.ok(response.body !== null, "a stream has a body");
  return eventsOf(response.body);
}

/** Entries up to and including `upTo`; a heartbeat that has reached it ends the wait, too. */
export async function entriesUpTo(
  events: AsyncGenerator<ServerSent>,
  upTo: number,
): Promise<readonly ServerSent[]> {
  const entries: ServerSent[] = [];
  for await (const one of events) {
    assert.notEqual(one.event, "error", JSON.stringify(one.data));
    if (one.event === "entry") entries.push(one);
    if (numberAt(one.data, "sequence") >= upTo) break;
  }
  return entries;
}

export const typesIn = (one: ServerSent): readonly unknown[] =>
  listAt(one.data, "events").map((event) => at(event, "type"));
