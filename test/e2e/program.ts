// A program of the checkout in a process of its own, with little of the test's environment.
// Invariant: one that does not end in time is killed, and the test fails with what it had printed.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { checkout } from "#test/support/exchange.ts";

const PATIENCE_MILLIS = 60_000;

export interface Ended {
  readonly code: number | null;
  /** Both streams, as they came. */
  readonly output: string;
}

export type Environment = Readonly<Record<string, string>>;

interface Account {
  readonly uid: number;
  readonly gid: number;
}

export class Program {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  #output = "";

  constructor(
    command: string,
    parameters: readonly string[],
    environment: Environment = {},
    account?: Account,
  ) {
    const child = spawn(command, parameters, {
      cwd: checkout,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: PATIENCE_MILLIS,
      killSignal: "SIGKILL",
      ...account,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
    }
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, output: this.#output }));
    });
  }

  get output(): string {
    return this.#output;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/** Runs to the end; being killed is no end. */
export async function runProgram(
  command: string,
  parameters: readonly string[],
  environment?: Environment,
): Promise<Ended> {
  const ended = await new Program(command, parameters, environment).ended;
  assert.notEqual(ended.code, null, `${command} ${parameters.join(" ")} hung: ${ended.output}`);
  return ended;
}

/** Runs a TypeScript file of the checkout with the Node that runs the tests. */
export const runFile = (file: string, environment?: Environment): Promise<Ended> =>
  runProgram(process.execPath, [file], environment);
