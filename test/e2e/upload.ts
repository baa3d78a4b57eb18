// A provider's file sent as bytes, whole, under any type: what a client other than ours might do.
// Invariant: the bytes arrive as they are given; nothing of a file's name goes with them.
import assert from "node:assert/strict";
import { ADMIN_SECRET, at, type ExchangeClient } from "#test/support/exchange.ts";

export interface Uploaded {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

export type Query = Readonly<Record<"provider" | "index" | "level" | "publishedAt", string>>;

export const uploadPath = (query: Query): string =>
  `/api/admin/releases?${new URLSearchParams(query)}`;

export async function upload(
  exchange: ExchangeClient,
  bytes: Uint8Array<ArrayBuffer> | string,
  query: Query,
  type = "text/csv",
): Promise<Uploaded> {
  const response = await fetch(exchange.url + uploadPath(query), {
    method: "POST",
    headers: { "content-type": type, "x-admin-secret": ADMIN_SECRET },
    body: bytes,
  });
  const text = await response.text();
  const body: unknown = JSON.parse(text);
  return { status: response.status, text, body };
}

/** Loads a table of places; gives what the exchange says of it. */
export async function loadPlaces(exchange: ExchangeClient, table: string): Promise<unknown> {
  const response = await fetch(`${exchange.url}/api/admin/geo`, {
    method: "POST",
    headers: { "content-type": "text/csv", "x-admin-secret": ADMIN_SECRET },
    body: table,
  });
  const body: unknown = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return at(body, "data");
}
