// The console's page and the map's answers beside a bare node:http server with the same bytes,
// compressed as a browser asks for them.
// Invariant: as many states and counties as there are; both servers are asked in turns.
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { upload } from "#test/e2e/upload.ts";
import type { Exchange } from "#test/support/exchange.ts";
import { emptyExchange } from "./exchange.ts";
import type { Figure, Scope } from "./figure.ts";
import { fullSizePlaces, writeFullSize } from "./full-size.ts";
import { besideBare } from "./index.ts";
import { loadPlaces } from "./national.ts";

const COUNTIES = 3_142;
const STATES = 51;
const MONTHS = 320;

export async function pages(scope: Scope): Promise<readonly Figure[]> {
  const exchange = await emptyExchange(scope);
  await loadPlaces(exchange, fullSizePlaces("county", COUNTIES));
  await ingest(exchange, "state", STATES);
  await ingest(exchange, "county", COUNTIES);
  const figures: Figure[] = [];
  const compare = async (path: string, what: string): Promise<void> => {
    figures.push(await besideBare(scope, exchange.url, path, { what, coding: "br" }));
  };
  await compare("/", "GET /, brotli");
  for (const [level, count] of [
    ["state", STATES],
    ["county", COUNTIES],
  ] as const) {
    const path = `/api/overview?level=${level}&months=12&layer=200-1000`;
    await compare(path, `GET /api/overview, ${count} places, brotli`);
  }
  return figures;
}

async function ingest(exchange: Exchange, level: "state" | "county", rows: number): Promise<void> {
  const path = join(tmpdir(), `firstprint-bench-${randomUUID()}.csv.gz`);
  try {
    await writeFullSize(path, { level, rows, months: MONTHS, vintage: 0 });
    const bytes = new Uint8Array(await readFile(path));
    const publishedAt = new Date(Date.now() - 86_400_000).toISOString();
    const query = { provider: "zillow", index: "zhvi", level, publishedAt };
    const { status, text } = await upload(exchange, bytes, query, "application/gzip");
    if (status !== 200) throw new Error(text);
  } finally {
    await rm(path, { force: true });
  }
}
