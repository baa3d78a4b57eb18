// A provider's file sent as bytes, whole, under any type: what a client other than ours might do.
// Invariant: the bytes arrive as they are given; nothing of a file's name goes with them.
import { ADMIN_SECRET, type ExchangeClient } from "#test/support/exchange.ts";

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
