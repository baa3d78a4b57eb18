// A program of the bench in a process of its own, so that it costs the measured one nothing.
// Invariant: a question gets one answer, or the bench ends with the reason.
import { type ChildProcess, fork } from "node:child_process";
import type { Scope } from "./figure.ts";

export class Companion {
  readonly #child: ChildProcess;

  /** `flags` are Node's own. */
  constructor(scope: Scope, file: URL, flags: readonly string[] = []) {
    this.#child = fork(file, { execArgv: [...flags] });
    scope.after(async () => this.end());
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error("a companion did not start");
    return pid;
  }

  /** Gives its memory back; it may be told more than once. */
  end(): void {
    this.#child.kill();
  }

  ask(question: object): Promise<unknown> {
    return new Promise((answer, failed) => {
      const ended = (code: number | null): void => failed(new Error(`a companion ended: ${code}`));
      this.#child.once("exit", ended);
      this.#child.once("message", (message) => {
        this.#child.off("exit", ended);
        answer(message);
      });
      this.#child.send(question);
    });
  }
}

/** The other side: answers each question with what `work` makes of it. */
export function answerWith(work: (question: unknown) => Promise<object>): void {
  process.on("message", (question) => {
    work(question).then(
      (answer) => process.send?.(answer),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
