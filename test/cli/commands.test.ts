// The table of commands against itself and its reference page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { leadingWords, readArguments } from "#cli/arguments.ts";
import { helpOf } from "#cli/command.ts";
import { commandNamed, commands, overview } from "#cli/command-list.ts";
import { UsageFault } from "#cli/faults.ts";
import { globalOptions, optionLines, usageOf } from "#cli/form.ts";
import { root } from "./recorder.ts";

const page = readFileSync(join(root, "docs/reference/cli.md"), "utf8");

const groups = {
  account: ["open", "list", "show", "fund", "owner", "caps", "halt", "resume"],
  key: ["create", "list", "revoke", "issue", "revoke-all"],
  proposal: ["list", "confirm", "withdraw"],
  root: ["off", "on"],
  secret: ["rotate"],
  kyc: ["approve", "reject", "status", "request"],
  geo: ["build", "load"],
  release: ["ingest", "list", "show", "approve", "reject", "call", "diff"],
  "release places": ["list", "approve", "reject", "rename"],
  market: [
    ...[
      "create",
      "list",
      "show",
      "pause",
      "resume",
      "cancel",
      "cancel-withdrawal",
      "waiting",
      "fallback",
    ],
    "resolution",
  ],
  dispute: ["open", "decide"],
  order: ["place", "preview", "amend", "cancel", "cancel-all", "cancel-after", "list", "show"],
  margin: ["preview"],
  risk: ["show"],
  protection: ["show", "set", "reset"],
  group: ["list", "set", "reset"],
  mandate: ["list", "usage", "set", "change", "lower", "cancel"],
  rfq: ["open", "list", "show", "quote", "improve", "accept", "cancel"],
  auction: ["list", "bid", "withdraw"],
  mark: ["list", "give"],
  downloads: ["list", "check"],
  audit: ["list", "verify", "export", "check", "kept", "stats"],
  export: ["prints", "marks"],
  surveillance: ["trades", "holders"],
  clock: ["set", "advance"],
  rules: ["show", "set", "withdraw"],
  fill: ["bust"],
  guarantee: ["show", "fund"],
  financing: ["show", "fund", "credit"],
};
const single = [
  "up",
  "witness",
  "status",
  "backup",
  "restore",
  "accept-loss",
  "accept-clock",
  "book",
  "trades",
  "history",
  "calendar",
  "stream",
  "listen",
  "search",
  "index",
  "backtest",
  "replay",
  "quote",
  "quote mass",
  "model show",
  "portfolio",
  "settlements",
  "ledger",
  "statement",
  "halt",
  "resume",
  "lp",
];

test("the commands are those promised, each once", () => {
  const names = commands.map(({ words }) => words);
  const grouped = Object.entries(groups).flatMap(([group, verbs]) =>
    verbs.map((verb) => `${group} ${verb}`),
  );
  assert.deepEqual(names.toSorted(), [...single, ...grouped].sort());
});

test("the reference page names the same commands, with their usage, options and example", () => {
  const headings = [...page.matchAll(/^### `firstprint (.+)`$/gm)].map(([, words]) => words);
  assert.deepEqual(
    headings,
    commands.map(({ words }) => words),
  );
  for (const command of commands) {
    const usage = [usageOf(command), ...optionLinesOf(command)].join("\n");
    assert.ok(page.includes(`\`\`\`text\n${usage}\n\`\`\``), `usage of ${command.words}`);
    assert.ok(page.includes(`\nbin/firstprint ${command.example}\n`), command.example);
    assert.ok(page.includes(`\n${command.about}. Needs `), command.about);
  }
  for (const name of Object.keys(globalOptions)) assert.ok(page.includes(`| \`--${name}`), name);
});

const optionLinesOf = ({ options = {} }: (typeof commands)[number]): readonly string[] =>
  Object.keys(options).length === 0 ? [] : optionLines(options);

test("every example is one of its own command and passes its own check", () => {
  for (const command of commands) {
    const line = shellWords(command.example);
    assert.equal(commandNamed(line), command, command.example);
    readArguments(command, line.slice(command.words.split(" ").length));
  }
});

test("the overview names every command and every option that goes anywhere", () => {
  const text = overview();
  for (const { words, about } of commands) {
    assert.match(text, new RegExp(`^  ${words} +${escaped(about)}$`, "m"));
  }
  for (const name of Object.keys(globalOptions)) assert.ok(text.includes(`  --${name}`));
});

test("help shows usage, options, credential and example", () => {
  const quote = commandNamed(["quote"]);
  assert.ok(quote !== undefined);
  const text = helpOf(quote);
  assert.match(text, /firstprint quote <place> \[--home <usd>\] \[--notional <usd>\] \[--expiry/);
  assert.match(text, /^ {2}--strike <percent> +pays in full/m);
  assert.match(text, /No credential/);
  assert.ok(text.endsWith(`firstprint ${quote.example}`));
});

test("options may stand before the command, and their values are not taken for it", () => {
  const line = ["--url", "http://localhost:1", "--json", "account", "list"];
  assert.deepEqual(
    leadingWords(line).map((index) => line[index]),
    ["account", "list"],
  );
});

test("words and options arrive as they were typed, negative amounts too", () => {
  const args = argumentsOf("account fund", "acc-1", "-250.50", "--memo", "-1 % fee");
  assert.equal(args.word("account"), "acc-1");
  assert.equal(args.word("amount"), "-250.50");
  assert.equal(args.option("memo"), "-1 % fee");
  assert.equal(args.flag("json"), false);
});

const wrong: readonly (readonly [words: string, line: readonly string[], message: RegExp])[] = [
  ["account open", [], /<name> is missing/],
  ["account open", ["A", "B"], /"B" is one argument too many/],
  ["account open", [""], /an argument is empty/],
  ["account open", ["A", "--rôle", "trader"], /Unknown option '--rôle'/],
  ["account open", ["A", "--role"], /argument missing/],
  ["account open", ["A", "--role", ""], /--role is empty/],
  ["account open", ["A", "--role=trader", "--role=auditor"], /--role is given twice/],
  ["account open", ["A", "--json=yes"], /does not take an argument/],
  ["halt", [], /--reason is missing/],
  ["index", [], /<place> is missing/],
  [
    "release ingest",
    ["file", "--provider", "zillow"],
    /^--index, --level and --published are missing$/,
  ],
  [
    "release ingest",
    ["--index", "zhvi"],
    /^<file>, --provider, --level and --published are missing$/,
  ],
  ["order place", ["mkt-001", "buy"], /^<amount> and <price> are missing$/],
];

for (const [words, line, message] of wrong) {
  test(`${words} ${line.join(" ")}: refused before anything is sent`, () => {
    assert.throws(
      () => argumentsOf(words, ...line),
      (fault) => fault instanceof UsageFault && message.test(fault.message),
    );
  });
}

test("an option of digits must be digits", () => {
  const args = argumentsOf(
    "key create",
    "reader",
    "--permissions",
    "read:markets",
    "--rate",
    "1e3",
  );
  assert.throws(() => args.whole("rate"), UsageFault);
});

function argumentsOf(words: string, ...line: readonly string[]) {
  const command = commandNamed(words.split(" "));
  assert.ok(command !== undefined, words);
  return readArguments(command, line);
}

const shellWords = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
