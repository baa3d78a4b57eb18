// The command line: finds the command, runs it, and ends with a status a script can rely on.
// Invariant: 0 done · 1 the exchange said no or did not answer · 2 wrong usage, nothing was sent.
import { type Arguments, leadingWords, readArguments, usageHint } from "./arguments.ts";
import { type CliCommand, helpOf } from "./command.ts";
import { commandNamed, groupNamed, overview, summaries } from "./command-list.ts";
import { Credentials } from "./credentials.ts";
import { ExchangeClient } from "./exchange.ts";
import { CutOff, OutcomeUnknown, RefusedRequest, Unreachable, UsageFault } from "./faults.ts";
import { refusalText } from "./refusal.ts";
import { Screen, type Terminal } from "./screen.ts";

const DONE = 0;
const SAID_NO = 1;
const WRONG_USAGE = 2;

const DEFAULT_URL = "http://127.0.0.1:4600";

/** The status that its process ends with. */
export async function runLine(line: readonly string[], terminal: Terminal): Promise<number> {
  const indexes = leadingWords(line);
  const words = indexes.map((index) => line[index] ?? "");
  if (words[0] === "help") return help(words.slice(1), terminal);
  const command = commandNamed(words);
  if (command === undefined) {
    const wantsHelp = ["--help", "-h"].some((word) => line.includes(word));
    return withoutCommand(words, wantsHelp, terminal);
  }

  const own = new Set(indexes.slice(0, command.words.split(" ").length));
  const screen = new Screen(line.includes("--json"), terminal);
  try {
    const args = readArguments(
      command,
      line.filter((_word, index) => !own.has(index)),
    );
    if (args.flag("help")) return help(words, terminal);
    const exchange = exchangeFor(command, args, screen);
    return (await command.run({ args, screen, exchange })) ?? DONE;
  } catch (fault) {
    return ended(fault, command, screen);
  }
}

function exchangeFor(
  { needs, alone, long = false }: CliCommand,
  args: Arguments,
  screen: Screen,
): ExchangeClient {
  const { environment } = screen.terminal;
  const { url, socketPath } = addressOf(args.option("url") ?? environment.FIRSTPRINT_URL ?? "");
  const isAlone = alone !== undefined && args.word(alone) !== "";
  return new ExchangeClient({
    url,
    socketPath,
    headers: {
      ...new Credentials(args.option("key"), environment).headers(isAlone ? "nothing" : needs, url),
      ...args.given("expires-after"),
    },
    idempotencyKey: args.option("idempotency-key"),
    long,
    mayWait: !args.flag("no-wait"),
    warn: (text) => screen.warn(text),
  });
}

interface Address {
  readonly url: URL;
  readonly socketPath: string | undefined;
}

/** `unix:/a/path` is the socket of an operator's listener on this machine. */
function addressOf(text: string): Address {
  const address = text === "" ? DEFAULT_URL : text;
  const socketPath = /^unix:(\/.+)$/.exec(address)?.[1];
  if (socketPath !== undefined) return { url: new URL("http://localhost"), socketPath };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === "") {
    return { url, socketPath: undefined };
  }
  throw new UsageFault(
    `"${address}" is not the address of an exchange; an example is ${DEFAULT_URL}`,
  );
}

function ended(fault: unknown, command: CliCommand, screen: Screen): number {
  if (fault instanceof RefusedRequest) {
    const { message, lines } = refusalText(fault.answer);
    if (screen.json) screen.print(fault.answer.body);
    else screen.fail(message, lines);
    return SAID_NO;
  }
  if (fault instanceof UsageFault) {
    screen.fail(fault.message, usageHint(command).split("\n"));
    return WRONG_USAGE;
  }
  if (fault instanceof CutOff) {
    screen.fail(`the connection was cut before the whole answer was here (${fault.message})`);
    return SAID_NO;
  }
  if (fault instanceof Unreachable || fault instanceof OutcomeUnknown) {
    screen.fail(fault.message);
    return SAID_NO;
  }
  throw fault;
}

function help(words: readonly string[], terminal: Terminal): number {
  const [first] = words;
  const command = commandNamed(words);
  const group = first === undefined ? [] : groupNamed(first);
  const { stdout } = terminal;
  if (first === undefined) stdout.write(`${overview()}\n`);
  else if (command !== undefined) stdout.write(`${helpOf(command)}\n`);
  else if (group.length > 0) stdout.write(`${summaries(group).join("\n")}\n`);
  else return unknown(words, terminal);
  return DONE;
}

function withoutCommand(words: readonly string[], wantsHelp: boolean, terminal: Terminal): number {
  const [first] = words;
  if (wantsHelp) return help(words, terminal);
  if (first === undefined) {
    terminal.stderr.write(`${overview()}\n`);
    return WRONG_USAGE;
  }
  return unknown(words, terminal);
}

function unknown(words: readonly string[], terminal: Terminal): number {
  const screen = new Screen(false, terminal);
  const group = groupNamed(words[0] ?? "");
  if (group.length === 0) {
    screen.fail(`there is no command "${words[0]}"`, ["All commands: firstprint help"]);
  } else {
    const [first, second] = words;
    const message =
      second === undefined
        ? `"${first}" is followed by another word:`
        : `there is no command "${first} ${second}"; there is:`;
    screen.fail(message, summaries(group));
  }
  return WRONG_USAGE;
}
