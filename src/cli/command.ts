// The form of a command: its words, its arguments, the function it runs, and its help.
// Invariant: parsing and help are drawn from the same description, so neither can lie.
import type { Arguments } from "./arguments.ts";
import type { CredentialKind } from "./credentials.ts";
import type { ExchangeClient } from "./exchange.ts";
import type { Screen } from "./screen.ts";

export interface Option {
  /** The name of its value in the usage; absent = it takes no value. */
  readonly value?: string;
  readonly about: string;
  readonly required?: true;
}

export interface Call {
  readonly args: Arguments;
  readonly exchange: ExchangeClient;
  readonly screen: Screen;
}

export interface CliCommand {
  /** `account open` */
  readonly words: string;
  readonly about: string;
  /** `market`, `reason?` for one that may be absent, `node…` for one or more. */
  readonly takes?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Without the program's name. */
  readonly example: string;
  /** The credential that goes with its requests. */
  readonly needs: CredentialKind;
  /** The exit status, 0 when left out. */
  run(call: Call): Promise<number | undefined>;
}

export const globalOptions: Readonly<Record<string, Option>> = {
  url: {
    value: "address",
    about:
      "the exchange's address, or unix:/a/path; else FIRSTPRINT_URL, else http://127.0.0.1:4600",
  },
  key: { value: "secret", about: "the API key to use; else FIRSTPRINT_KEY" },
  json: { about: "print the answer as it came" },
  "idempotency-key": {
    value: "key",
    about: "repeat an earlier request: under its key it is done once only",
  },
  "no-wait": { about: "fail at once where the exchange asks to wait for the rate" },
  help: { about: "show this" },
};

/** `firstprint order place <market> <buy|sell> … [--no]` */
export function usageOf({ words, takes = [], options = {} }: CliCommand): string {
  const taken = takes.map((name) =>
    name.endsWith("?") ? `[<${name.slice(0, -1)}>]` : `<${name.replace("…", "")}>${dots(name)}`,
  );
  const given = Object.entries(options).map(([name, { value, required }]) => {
    const text = value === undefined ? `--${name}` : `--${name} <${value}>`;
    return required === true ? text : `[${text}]`;
  });
  return ["firstprint", words, ...taken, ...given].join(" ");
}

const dots = (name: string): string => (name.endsWith("…") ? "…" : "");

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

export function optionLines(options: Readonly<Record<string, Option>>): readonly string[] {
  const names = Object.entries(options).map(([name, { value }]) =>
    value === undefined ? `--${name}` : `--${name} <${value}>`,
  );
  const width = Math.max(...names.map(({ length }) => length));
  return Object.values(options).map(
    ({ about }, index) => `  ${(names[index] ?? "").padEnd(width)}  ${about}`,
  );
}
