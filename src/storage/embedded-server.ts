// One PostgreSQL server process: how it is found, started and stopped.
// Invariant: a signal goes only to a process proven to be the server of the cluster in hand.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bareEnvironment, readIfThere, type SystemUser } from "./embedded-binaries.ts";

export interface ServerPlan {
  /** PostgreSQL's data directory. */
  readonly cluster: string;
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
  /** Undefined: the server runs as we do. */
  readonly account: SystemUser | undefined;
  /** Extra server settings; they win over ours. */
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** A process, told apart from a later one that was given the same number. */
export interface ServerProcess {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process. */
  readonly startTicks: number;
}

export interface FoundServer extends ServerProcess {
  readonly commandLine: readonly string[];
  /** Whether the process began when postmaster.pid says it did, within some seconds. */
  readonly startTimeMatches: boolean;
}

const TICKS_PER_SECOND = 100;
const START_TOLERANCE_SECONDS = 10;
const PID_FILE = "postmaster.pid";

export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/**
 * Names the cluster directory in the server's command line. The command line of any process may be
 * read; its working directory may not, by root in a container without CAP_SYS_PTRACE.
 */
export function clusterName(cluster: string): string {
  const { dev, ino } = statSync(cluster, { bigint: true });
  return `firstprint-${dev.toString(36)}-${ino.toString(36)}`;
}

/**
 * The path a server is told. As root it is the server's own working directory, which we enter for
 * it: so the server's user needs no right on any directory above the cluster.
 */
export const clusterArgument = (cluster: string, account: SystemUser | undefined): string =>
  account === undefined ? cluster : "/proc/self/cwd";

export function serverCommand(plan: ServerPlan): string[] {
  const settings = {
    listen_addresses: "",
    // Relative to the cluster, which only the server's user (and root) may enter.
    unix_socket_directories: ".",
    unix_socket_permissions: "0700",
    port: "5432",
    cluster_name: clusterName(plan.cluster),
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    logging_collector: "off",
    log_destination: "stderr",
    ...plan.settings,
  };
  return [
    join(plan.native, "bin", "postgres"),
    "-D",
    clusterArgument(plan.cluster, plan.account),
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

/** The live server of this cluster, if postmaster.pid names one that is proven to be it. */
export function findServer(cluster: string): FoundServer | undefined {
  const [pidText = "", , startedText = ""] = pidFileLines(cluster);
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid < 2) return undefined;
  const startTicks = liveSince(pid);
  const commandLine = (readIfThere(`/proc/${pid}/cmdline`) ?? "").split("\0").slice(0, -1);
  if (startTicks === undefined) return undefined;
  if (!commandLine.includes(`cluster_name=${clusterName(cluster)}`)) return undefined;
  const owner = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
  if (owner !== statSync(cluster).uid) return undefined;

  const bootSeconds = Number(/^btime (\d+)$/m.exec(readIfThere("/proc/stat") ?? "")?.[1]);
  const apart = Math.abs(bootSeconds + startTicks / TICKS_PER_SECOND - Number(startedText));
  return { pid, startTicks, commandLine, startTimeMatches: apart <= START_TOLERANCE_SECONDS };
}

/** Where postmaster.pid says a server listens, relative to the cluster; undefined without one. */
export function announcedSocket(cluster: string): string | undefined {
  const [, , , port, folder] = pidFileLines(cluster);
  return port && folder ? join(folder, `.s.PGSQL.${port}`) : undefined;
}

/** Whether the server says that it accepts connections; asking by connecting would fill its log. */
export const isReady = (cluster: string): boolean => pidFileLines(cluster)[7]?.trim() === "ready";

const pidFileLines = (cluster: string): string[] =>
  (readIfThere(join(cluster, PID_FILE)) ?? "").split("\n");

/** The start of a process in ticks since boot; undefined when it is gone or only a zombie. */
function liveSince(pid: number): number | undefined {
  const status = readIfThere(`/proc/${pid}/stat`);
  // The second field is the program's name and may hold blanks and parentheses.
  const fields = status?.slice(status.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields?.[19]);
  return fields === undefined || fields[0] === "Z" || fields[0] === "X" ? undefined : ticks;
}

export const isAlive = ({ pid, startTicks }: ServerProcess): boolean =>
  liveSince(pid) === startTicks;

/**
 * Starts the server in a session of its own, so that neither Ctrl-C in our terminal nor our death
 * reaches it. Only the holder of the data folder may call this; undefined when a server of this
 * cluster turned up meanwhile (our predecessor was killed just after it started one).
 */
export async function launchServer(plan: ServerPlan): Promise<ServerProcess | undefined> {
  if (findServer(plan.cluster) !== undefined) return undefined;
  // A stale file: PostgreSQL would take any living process of that number for a server and refuse.
  rmSync(join(plan.cluster, PID_FILE), { force: true });
  const [program = "", ...programArguments] = serverCommand(plan);
  const log = openSync(plan.logFile, "a", 0o600);
  let child: ChildProcess;
  try {
    child = spawn(program, programArguments, {
      cwd: plan.cluster,
      env: bareEnvironment,
      detached: true,
      stdio: ["ignore", log, log],
      ...plan.account,
    });
  } finally {
    closeSync(log);
  }
  await once(child, "spawn");
  child.unref();
  const pid = child.pid ?? 0;
  return { pid, startTicks: liveSince(pid) ?? 0 };
}

/** Fast shutdown; after `patienceMillis` the immediate one, which is as safe but recovers later. */
export async function stopServer(server: ServerProcess, patienceMillis = 20_000): Promise<void> {
  signal(server, "SIGINT");
  if (await hasEnded(server, patienceMillis)) return;
  signal(server, "SIGQUIT");
  if (await hasEnded(server, 10_000)) return;
  throw new Error(`The PostgreSQL server, process ${server.pid}, does not stop.`);
}

function signal(server: ServerProcess, name: "SIGINT" | "SIGQUIT"): void {
  if (!isAlive(server)) return;
  try {
    process.kill(server.pid, name);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

async function hasEnded(server: ServerProcess, withinMillis: number): Promise<boolean> {
  const deadline = Date.now() + withinMillis;
  while (isAlive(server)) {
    if (Date.now() > deadline) return false;
    await sleep(5);
  }
  return true;
}

/** The lines the server wrote to its log after `fromByte`, at most the last ten. */
export async function logSince(logFile: string, fromByte: number): Promise<string> {
  const text = (await readFile(logFile)).subarray(fromByte).toString("utf8").trim();
  return text.split("\n").slice(-10).join("\n");
}
