// `npm start`: reads the settings, starts a node, and ends it when it is asked to leave.
// Invariant: a node that was asked to leave ends every part it opened, the last opened first.
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

// The cache keeps what is loaded from here on: nothing of an import above would be in it. It lies
// with the checkout, not in the machine's folder for all users: what is in it is run.
enableCompileCache(path("../node_modules/.cache/compiled"));
const { exitCodeOf, fail, tell } = await import("#node/faults.ts");
const { Lifetime } = await import("#node/lifetime.ts");
const { readSettings } = await import("#node/settings.ts");
const { start } = await import("#node/start.ts");

const lifetime = new Lifetime();
const programs = { verify: path("./verify.ts"), archive: path("./archive.ts") };

async function main(): Promise<void> {
  const leave = (): void => {
    if (!lifetime.isEnding) lifetime.end().then(() => process.exit(0), fail);
  };
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
  try {
    process.stdout.write(await start(readSettings(process.env), lifetime, programs));
  } catch (error) {
    // Asked to leave while starting: what was under way breaks off, and that is no failure.
    if (lifetime.isEnding) return;
    tell(error);
    await lifetime.end().catch(() => undefined);
    process.exit(exitCodeOf(error));
  }
}

process.on("unhandledRejection", fail);
process.on("uncaughtException", fail);
await main();
