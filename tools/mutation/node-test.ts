// Stands in for node:test while mutants are tried: it collects tests instead of running them, so
// that one process loads them once and runs them for thousands of mutants.
// Invariant: a use of node:test that is not collected here does not resolve, so no test is lost.
import assert from "node:assert/strict";

type Body = (context: Context) => unknown;
type Options = { readonly skip?: boolean | string | undefined };

export type CollectedTest = { readonly name: string; readonly body: Body; readonly skip: boolean };

let collected: CollectedTest[] = [];

/** The tests declared since the last call. */
export function takeCollected(): readonly CollectedTest[] {
  const taken = collected;
  collected = [];
  return taken;
}

export function test(name: string, ...rest: [Body] | [Options, Body]): void {
  const body = rest.length === 1 ? rest[0] : rest[1];
  const { skip }: Options = rest.length === 1 ? {} : rest[0];
  assert.ok(typeof body === "function", `${name} has a body`);
  collected.push({ name, body, skip: skip !== undefined && skip !== false });
}

/** Runs after the last test of a file; here every test may run once more. */
export function after(): void {}

/** The part of node:test that a test uses while it runs. */
export class Context {
  readonly #endings: (() => unknown)[] = [];

  diagnostic(): void {}

  after(ending: () => unknown): void {
    this.#endings.push(ending);
  }

  async test(_name: string, body: Body): Promise<void> {
    await runBody(body);
  }

  async end(): Promise<void> {
    for (const ending of this.#endings) await ending();
  }
}

/** Rejects with what the test throws. */
export async function runBody(body: Body): Promise<void> {
  const context = new Context();
  try {
    await body(context);
  } finally {
    await context.end();
  }
}

export type TestContext = Context;
export default test;
