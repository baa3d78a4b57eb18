// SHA-256 of bytes or UTF-8 text: pure, and the one import from Node that pure rooms may use.
// Invariant: every domain of hashing has its own tag, so no hash of one kind passes for another.
import { createHash, hash } from "node:crypto";

/** 64 hex characters. */
export const sha256Hex = (data: string | Uint8Array): string => hash("sha256", data, "hex");

/** 64 hex characters over the lines, each with its line feed. */
export function sha256OfLines(lines: Iterable<string>): string {
  const digest = createHash("sha256");
  for (const line of lines) digest.update(`${line}\n`);
  return digest.digest("hex");
}

/** 64 hex characters over `tag`, a zero byte, and the text. */
export const taggedHex = (tag: string, text: string): string => sha256Hex(`${tag}\0${text}`);
