// Entries as an export discloses them: read back by what it shows, and by the documented rules.
// Invariant: nothing of the exchange's own code checks what it made; hashes are worked out here.
import { createHash } from "node:crypto";
import { readEntry } from "#core/entry-bytes.ts";
import type { Entry } from "#core/outcome.ts";
import { at, listAt, textAt } from "./exchange.ts";

const bytesOf = (value: unknown): Buffer => Buffer.from(textAt(value, "bytes"), "base64");

/** The hash that an exported entry's bytes lead to from the hash before it. */
export function hashOfShown(item: unknown): string {
  const [bytes, numbers] = [bytesOf(item), Buffer.alloc(12)];
  numbers.writeBigUInt64BE(BigInt(String(at(item, "sequence"))));
  numbers.writeUInt32BE(bytes.length, 8);
  return createHash("sha256")
    .update("firstprint/entry/v1\0")
    .update(Buffer.from(textAt(item, "previousHash"), "hex"))
    .update(numbers)
    .update(bytes)
    .digest("hex");
}

/** The hash under which the entry's bytes must name an exported part. */
export const hashOfPart = (part: unknown): string =>
  createHash("sha256")
    .update("firstprint/part/v1\0")
    .update(textAt(part, "salt"))
    .update(bytesOf(part))
    .digest("hex");

/** The hashes of all closed parts, as the entry's bytes name them. */
export const namedParts = (item: unknown): readonly string[] =>
  listAt(JSON.parse(bytesOf(item).toString("utf8")), "parts").map(String);

/** The entry, of an export that has all of it; as it is stored, but for the salt. */
export function entryShown(item: unknown): Entry {
  const text = bytesOf(item).toString("utf8");
  const open = text.replace(/,"parts":\["[0-9a-f",]*"\]\}$/, "}");
  if (open === text) return readEntry(bytesOf(item));
  const closed = listAt(item, "parts").map((part) => bytesOf(part).toString("utf8"));
  return readEntry(Buffer.from([open, "0".repeat(32), ...closed].join("\u001e")));
}
