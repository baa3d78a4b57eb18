// The kernel's facts of a running process: its memory, its processor time, its children.
// Invariant: read from /proc at each call; nothing is asked of the process itself.
import { readdirSync, readFileSync } from "node:fs";

/** Megabytes that are resident. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1_024;
}

/** Seconds of processor time, since the process began. */
export function processorSeconds(pid: number): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return (user + system) / 100;
}

/** Those it started, theirs, and so on. */
export function childrenOf(pid: number): readonly number[] {
  const own: number[] = [];
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, fields = ""] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ");
      if (Number(fields.split(" ")[1]) === pid) own.push(Number(name));
    } catch {
      // It has ended since its name was read.
    }
  }
  return own.flatMap((one) => [one, ...childrenOf(one)]);
}
