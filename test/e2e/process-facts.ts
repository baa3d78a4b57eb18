// What the kernel says of a running process: its memory, its open files, its connections.
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

const ESTABLISHED = "01";

/** The other ends' ports of the established connections to a port of this machine. */
export function portsConnectedTo(port: number): ReadonlySet<number> {
  const [, ...lines] = readFileSync("/proc/net/tcp", "utf8").trim().split("\n");
  const ports = new Set<number>();
  for (const line of lines) {
    const [, local = "", remote = "", state] = line.trim().split(/\s+/);
    if (state === ESTABLISHED && portIn(local) === port) ports.add(portIn(remote));
  }
  return ports;
}

const portIn = (address: string): number => Number.parseInt(address.split(":")[1] ?? "", 16);
