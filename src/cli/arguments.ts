// The words after the command's name, checked against what the command takes.
// Invariant: nothing is ignored: an option that is unknown, empty or given twice is a fault.
import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import { UsageFault } from "./faults.ts";
import { type Form, globalOptions, type Option, usageOf } from "./form.ts";

type Values = Readonly<Record<string, string | boolean | undefined>>;

export class Arguments {
  readonly #names: readonly string[];
  readonly #taken: readonly string[];
  readonly #values: Values;

  constructor(names: readonly string[], taken: readonly string[], values: Values) {
    this.#names = names;
    this.#taken = taken;
    this.#values = values;
  }

  /** A word the command takes, by its name in the usage. */
  word(name: string): string {
    return this.#taken[this.#names.indexOf(name)] ?? "";
  }

  /** All the words the command takes. */
  get words(): readonly string[] {
    return this.#taken;
  }

  option(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** The options of these names that were given, as members of a query or a body. */
  given<N extends string>(...names: readonly N[]): { [K in N]?: string } {
    const members: { [K in N]?: string } = {};
    for (const name of names) {
      const value = this.option(name);
      if (value !== undefined) members[name] = value;
    }
    return members;
  }

  /** A whole number, or undefined where the option is not given. */
  whole(name: string): number | undefined {
    const text = this.option(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,15}$/.test(text)) throw new UsageFault(`--${name} must be a whole number`);
    return Number(text);
  }
}

/** The words of a command line that are no options, as far as can be told before the command is. */
export function leadingWords(line: readonly string[]): readonly number[] {
  const { tokens } = parseArgs({
    args: line.map(shielded),
    options: descriptors(globalOptions),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens.flatMap((token) => (token.kind === "positional" ? [token.index] : []));
}

/** `line`: without the command's own words. */
export function readArguments(command: Form, line: readonly string[]): Arguments {
  const { takes = [], options = {} } = command;
  const all = { ...globalOptions, ...options };
  const { values, positionals, tokens } = parsed(line, all);
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (seen.has(token.name)) throw new UsageFault(`--${token.name} is given twice`);
    if (token.value === "") throw new UsageFault(`--${token.name} is empty`);
    seen.add(token.name);
  }
  const names = takes.map((name) => name.replace(/[?…]$/, ""));
  const given: Record<string, string | boolean> = {};
  for (const [name, value] of Object.entries(values)) {
    given[name] = typeof value === "string" ? unshielded(value) : value === true;
  }
  const args = new Arguments(names, positionals.map(unshielded), given);
  // Help is asked for by who does not know what else to give.
  if (!args.flag("help")) checkComplete(command, args, seen);
  return args;
}

function parsed(line: readonly string[], options: Readonly<Record<string, Option>>) {
  try {
    return parseArgs({
      args: line.map(shielded),
      options: descriptors(options),
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
  } catch (fault) {
    if (!(fault instanceof TypeError)) throw fault;
    const [message = ""] = fault.message.split(/\. |\n/);
    throw new UsageFault(message);
  }
}

function checkComplete(command: Form, args: Arguments, seen: ReadonlySet<string>): void {
  const { takes = [], options = {} } = command;
  const most = takes.at(-1)?.endsWith("…") === true ? Number.POSITIVE_INFINITY : takes.length;
  const extra = args.words[most];
  if (extra !== undefined) throw new UsageFault(`"${extra}" is one argument too many`);
  if (args.words.includes("")) throw new UsageFault("an argument is empty");
  const missing = [
    ...takes
      .filter((name) => !name.endsWith("?"))
      .slice(args.words.length)
      .map((name) => `<${name.replace("…", "")}>`),
    ...Object.entries(options)
      .filter(([name, { required }]) => required === true && !seen.has(name))
      .map(([name]) => `--${name}`),
  ];
  if (missing.length > 0) throw new UsageFault(missingText(missing));
}

/** All of them at once: nobody adds one to be told of the next. */
function missingText(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  const before = names.slice(0, -1);
  return before.length === 0
    ? `${last} is missing`
    : `${before.join(", ")} and ${last} are missing`;
}

const descriptors = (options: Readonly<Record<string, Option>>) =>
  Object.fromEntries(
    Object.entries(options).map(([name, { value }]): [string, ParseArgsOptionDescriptor] => [
      name,
      {
        type: value === undefined ? "boolean" : "string",
        ...(name === "help" ? { short: "h" } : {}),
      },
    ]),
  );

// A negative number is a value, not a bundle of short options. No argument can hold a NUL.
const shielded = (word: string): string => (/^-[\d.]/.test(word) ? `\0${word}` : word);
const unshielded = (word: string): string => word.replace(/^\0/, "");

/** The lines that follow a usage fault of this command. */
export const usageHint = (command: Form): string =>
  `Usage: ${usageOf(command)}\nMore: firstprint help ${command.words}`;
