// Stands before test files that share a process, and counts the processor time that each took until
// the last of its tests was over; one line of JSON tells of all, when the process ends.
import { readFileSync, writeSync } from "node:fs";
import { afterEach, type TestContext } from "node:test";

const TICKS_PER_SECOND = 100;

/** Of this process and of those that it has waited for: fields 14 to 17 of proc_pid_stat(5). */
function processorSeconds(): number {
  const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  const ticks = fields.split(" ").slice(11, 15);
  return ticks.reduce((sum, one) => sum + Number(one), 0) / TICKS_PER_SECOND;
}

const seconds: Record<string, number> = {};
let counted = processorSeconds();

// A hook: a reporter hears of tests that keep the processor busy only when they are over.
afterEach((t) => {
  const { filePath: file = "" } = t as TestContext;
  const now = processorSeconds();
  seconds[file] = (seconds[file] ?? 0) + now - counted;
  counted = now;
});

process.on("exit", () => writeSync(1, `# seconds ${JSON.stringify(seconds)}\n`));
