// Where a command writes: answers to stdout, everything about them to stderr.
// Invariant: with --json stdout holds what the exchange sent and nothing else; colours only reach a
// terminal that wants them.
import type { Writable } from "node:stream";
import { styleText } from "node:util";
import type { ExchangeResponse } from "./answer.ts";
import type { CliEnvironment } from "./credentials.ts";
import { type Field, record, table } from "./table.ts";

/** A process's own, or what stands for them. */
export interface Terminal {
  readonly stdout: Writable;
  readonly stderr: Output;
  readonly environment: CliEnvironment;
}

/** `isTTY`: a person looks at it, and a line may be rewritten. */
export type Output = Writable & { readonly isTTY?: boolean };

export class Screen {
  readonly json: boolean;
  readonly terminal: Terminal;

  constructor(json: boolean, terminal: Terminal) {
    this.json = json;
    this.terminal = terminal;
  }

  /** The answer as it came, or as `describe` puts it for a person. */
  show(answer: ExchangeResponse, describe: () => string): void {
    this.print(this.json ? answer.body : describe());
  }

  print(text: string): void {
    this.terminal.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** A remark beside the answer; kept from scripts. */
  note(text: string): void {
    if (!this.json) this.terminal.stderr.write(`${text}\n`);
  }

  /** A remark that a script's log should have too. */
  warn(text: string): void {
    this.terminal.stderr.write(`firstprint: ${text}\n`);
  }

  fail(message: string, lines: readonly string[] = []): void {
    const red = styleText("red", "firstprint:", { stream: this.terminal.stderr });
    this.terminal.stderr.write(`${[`${red} ${message}`, ...lines].join("\n")}\n`);
  }

  table(fields: readonly Field[], rows: readonly unknown[], none: string): string {
    if (rows.length === 0) return none;
    return table(fields, rows, (text) => styleText("bold", text, { stream: this.terminal.stdout }));
  }

  record(fields: readonly Field[], row: unknown): string {
    return record(fields, row);
  }
}
