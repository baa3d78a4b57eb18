// A provider's file from its first byte to the answered release, beside reading and hashing it.
// Invariant: each file is new to its exchange; a provider's own files are used where there are any.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { stateFile } from "#test/e2e/sample-files.ts";
import { type Query, upload } from "#test/e2e/upload.ts";
import { emptyExchange } from "./exchange.ts";
import { digits, type Figure, median, type Scope, times } from "./figure.ts";

const ROUNDS = 3;
const BYTES_A_MEGABYTE = 1_000_000;

interface File {
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly query: Query;
}

interface Pace {
  /** Megabytes of plain text a second. */
  readonly ingested: number;
  readonly hashed: number;
}

export async function ingest(scope: Scope): Promise<readonly Figure[]> {
  const { name, files } = filesToSend();
  const paces: Pace[][] = files.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    const exchange = await emptyExchange(scope);
    for (const [at, { packed, query }] of files.entries()) {
      const { hashMillis, bytes } = readAndHash(packed);
      const started = performance.now();
      const { status, text } = await upload(exchange, packed, query, "application/gzip");
      const tookMillis = performance.now() - started;
      if (status !== 200) throw new Error(text);
      const perSecond = (millis: number): number => (1_000 * bytes) / BYTES_A_MEGABYTE / millis;
      paces[at]?.push({ ingested: perSecond(tookMillis), hashed: perSecond(hashMillis) });
    }
    await exchange.stop();
  }
  return paces.map((rounds, at) => ({
    what: `ingest, ${name}, ${at === 0 ? "the first release" : "the next one"}`,
    value: `${digits(median(rounds.map(({ ingested }) => ingested)))} MB a second`,
    against: `unpacking and hashing: ${digits(median(rounds.map(({ hashed }) => hashed)))} MB`,
    ratio: times(median(rounds.map(({ ingested, hashed }) => ingested / hashed))),
  }));
}

function readAndHash(packed: Uint8Array): { readonly hashMillis: number; readonly bytes: number } {
  const started = performance.now();
  const bytes = gunzipSync(packed);
  createHash("sha256").update(bytes).digest("hex");
  return { hashMillis: performance.now() - started, bytes: bytes.length };
}

/** Two releases of one index and level, the older one first. */
function filesToSend(): { readonly name: string; readonly files: readonly File[] } {
  const real = [metroFile("2024-10", "2024-11-16"), metroFile("2024-11", "2024-12-16")];
  const files = real.filter((file) => file !== undefined);
  if (files.length === real.length) return { name: "ZHVI metro 4.1 MB", files };
  return { name: "a sample's states", files: [sampleFile(1), sampleFile(0)] };
}

function metroFile(month: string, publishedOn: string): File | undefined {
  const name = `${month}/Metro_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz`;
  const path = new URL(`../../shared/data/zhvi/metro/${name}`, import.meta.url);
  if (!existsSync(path)) return undefined;
  const publishedAt = `${publishedOn}T00:00:00Z`;
  const query = { provider: "zillow", index: "zhvi", level: "metro", publishedAt };
  return { packed: new Uint8Array(readFileSync(path)), query };
}

function sampleFile(age: number): File {
  const { text, publishedAt } = stateFile(age);
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  return { packed: new Uint8Array(gzipSync(text)), query };
}
