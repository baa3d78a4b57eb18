// The command line as a process: its words, its environment, its streams and its exit status.
// Invariant: what a command does is in command-line.ts; here is only what a process has.
import { runLine } from "./command-line.ts";

// A reader that closes the pipe has what it wanted: `firstprint market list | head`.
process.stdout.on("error", (fault) => {
  if ("code" in fault && fault.code === "EPIPE") process.exit(0);
  throw fault;
});
const line = process.argv.slice(2);
// A key given with --key is shown by `ps` no longer than it took to get here.
process.title = "firstprint";
const { stdout, stderr, env: environment } = process;
process.exitCode = await runLine(line, { stdout, stderr, environment });
