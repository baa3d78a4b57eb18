// The kernel's facts of a running process: its memory, its open files, its connections.
// Invariant: read from /proc at each call; nothing is asked of the process itself.
import { readdirSync, readFileSync } from "node:fs";

/** Megabytes that are resident. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1_024;
}

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

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

const ESTABLISHED = "01";

/** By the other end's port: bytes that wait in the kernel, of each connection to this port. */
export function waitingAt(port: number): ReadonlyMap<number, number> {
  const [, ...lines] = readFileSync("/proc/net/tcp", "utf8").trim().split("\n");
  const waiting = new Map<number, number>();
  for (const line of lines) {
    const [, local = "", remote = "", state, queues = ""] = line.trim().split(/\s+/);
    if (state !== ESTABLISHED || portIn(local) !== port) continue;
    waiting.set(portIn(remote), Number.parseInt(queues, 16));
  }
  return waiting;
}

const portIn = (address: string): number => Number.parseInt(address.split(":")[1] ?? "", 16);
