// A command of the command line: its form, the function it runs, and its help.
// Invariant: parsing and help are drawn from the same description, so neither can lie.
import type { Arguments } from "./arguments.ts";
import type { CredentialKind } from "./credentials.ts";
import type { ExchangeClient } from "./exchange.ts";
import { type Form, optionLines, usageOf } from "./form.ts";
import type { Screen } from "./screen.ts";

export interface Call {
  readonly args: Arguments;
  readonly exchange: ExchangeClient;
  readonly screen: Screen;
}

export interface CliCommand extends Form {
  readonly about: string;
  /** Without the program's name. */
  readonly example: string;
  /** The credential that goes with its requests. */
  readonly needs: CredentialKind;
  /** A word that, where it is given, is all the command works on: it needs no exchange then. */
  readonly alone?: string;
  /** Whether the exchange may take its time. */
  readonly long?: boolean;
  /** The exit status, 0 when left out. */
  run(call: Call): Promise<number | undefined>;
}

const credentialText = {
  nothing: "No credential.",
  public: "No credential; an API key (--key or FIRSTPRINT_KEY) raises the rate.",
  key: "Needs an API key: --key or FIRSTPRINT_KEY.",
  operator:
    "Needs the operator's credential: FIRSTPRINT_ADMIN_SECRET, the file the server keeps in its\n" +
    "data folder on the same machine, or the key of an operator's account.",
} as const satisfies Record<CredentialKind, string>;

export function helpOf(command: CliCommand): string {
  const { about, options = {}, example, needs } = command;
  return [
    `${about}.`,
    "",
    `  ${usageOf(command)}`,
    ...(Object.keys(options).length === 0 ? [] : ["", ...optionLines(options)]),
    "",
    credentialText[needs],
    "",
    "Example:",
    `  firstprint ${example}`,
  ].join("\n");
}
