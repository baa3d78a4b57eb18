// Becomes another program of this checkout, under the same Node.
// Invariant: it keeps the process id, the folder and its input and output; nothing is run twice.
import { join } from "node:path";

const checkout = join(import.meta.dirname, "../..");

/** `file`: from the checkout's root. Does not return. */
export function become(
  file: string,
  words: readonly string[],
  flags: readonly string[] = [],
): never {
  const program = join(checkout, file);
  process.execve?.(process.execPath, [process.execPath, ...flags, program, ...words], process.env);
  throw new Error(`this Node cannot replace its process; run \`npx node ${file}\` instead`);
}
