// Every process of one PostgreSQL server: the postmaster and what it started.
// Invariant: no process is signalled that is not the one named, or a child of it.
import { readdirSync, readFileSync } from "node:fs";

/** Numbers of the postmaster, first, and of its children as they are now. */
function serverProcesses(postmaster: number): readonly number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === postmaster);
  return [postmaster, ...children.map(Number)];
}

/** All of them, as near to at once as can be; one that has ended meanwhile is none. */
export function signalServer(postmaster: number, signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
  // Stopped first, the postmaster starts nobody while its children are counted.
  if (signal !== "SIGCONT") process.kill(postmaster, "SIGSTOP");
  for (const pid of serverProcesses(postmaster)) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

function parentOf(pid: string): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name and may hold blanks and parentheses.
    return Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}
