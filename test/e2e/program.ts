// A program of the checkout run to its end, with nothing of this test's own environment but PATH.
// Invariant: one that does not end is killed, and the test fails with what it had printed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { checkout } from "#test/support/exchange.ts";

const PATIENCE_MILLIS = 60_000;

export interface Ended {
  readonly code: number | null;
  /** Both streams, as they came. */
  readonly output: string;
}

export type Environment = Readonly<Record<string, string>>;

export function runProgram(
  command: string,
  parameters: readonly string[],
  environment: Environment = {},
): Promise<Ended> {
  const child = spawn(command, parameters, {
    cwd: checkout,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MILLIS,
    killSignal: "SIGKILL",
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (signal === "SIGKILL") assert.fail(`${command} ${parameters.join(" ")} hung: ${output}`);
      resolve({ code, output });
    });
  });
}

/** Runs a TypeScript file of the checkout with the Node that runs the tests. */
export const runFile = (file: string, environment?: Environment): Promise<Ended> =>
  runProgram(process.execPath, [file], environment);
