// A file to send as it is: what kind it is by its first bytes, how long, opened as a stream.
// Invariant: never held whole; no more is sent than its length was when it was looked at.
import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { Upload } from "./exchange.ts";
import { UsageFault } from "./faults.ts";
import { Progress } from "./progress.ts";
import type { Screen } from "./screen.ts";

/** `screen`: where it is told how far it has come. */
export function fileUpload(path: string, screen: Screen): Upload {
  const { bytes, type } = looked(path);
  const progress = new Progress(basename(path), bytes, screen.terminal.stderr);
  return {
    type,
    bytes,
    open: () => {
      const source = createReadStream(path, { end: bytes - 1 });
      const meter = progress.meter();
      source.once("error", (fault) => meter.destroy(unreadable(path, fault)));
      meter.once("close", () => source.destroy());
      return source.pipe(meter);
    },
  };
}

function looked(path: string): { readonly bytes: number; readonly type: string } {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new UsageFault(`${path} is not a file`);
    if (stat.size === 0) throw new UsageFault(`${path} is empty`);
    const head = Buffer.alloc(4);
    const length = readSync(file, head, 0, head.length, 0);
    return { bytes: stat.size, type: typeOf(head.subarray(0, length)) };
  } catch (fault) {
    if (fault instanceof UsageFault || !(fault instanceof Error)) throw fault;
    throw unreadable(path, fault);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const unreadable = (path: string, fault: Error): UsageFault =>
  new UsageFault(`${path} cannot be read (${fault.message})`);

const typesByMagic = new Map([
  ["1f8b", "application/gzip"],
  ["504b0304", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
]);

/** By content: a name says what somebody called it. */
function typeOf(head: Uint8Array): string {
  const hex = Buffer.from(head).toString("hex");
  for (const [magic, type] of typesByMagic) if (hex.startsWith(magic)) return type;
  return "text/csv";
}
