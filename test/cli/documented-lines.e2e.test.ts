// Every command line that a page of the documentation shows, on a machine whose Node is version 20.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "#test/support/exchange.ts";
import { pathWithOldNode } from "#test/support/old-node.ts";
import manifest from "../../package.json" with { type: "json" };
import { run, runProcess } from "./recorder.ts";

interface Line {
  readonly page: string;
  readonly text: string;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
}

const manifestIn = (workspace: string): Manifest =>
  JSON.parse(readFileSync(join(checkout, workspace, "package.json"), "utf8"));

const pages = globSync(["*.md", "docs/**/*.md"], { cwd: checkout });

/** The lines in a fenced or indented block, or between backticks. */
function linesOf(page: string): readonly Line[] {
  const text = readFileSync(join(checkout, page), "utf8").replaceAll("\\\n", " ");
  const fenced = [...text.matchAll(/^```(?:sh)?\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const indented = [...text.matchAll(/^ {4}(?=npm |node |bin\/)(.*)$/gm)].map(
    ([, one = ""]) => one,
  );
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, one = ""]) => one);
  return [...fenced.flatMap((block) => block.split("\n")), ...indented, ...inline].flatMap((line) =>
    line
      .split(/\|(?!\|)|&&|\$\(|\)"/)
      .map((part) => part.trim().replace(/^(?:[A-Z_]+=\S+ )+/, ""))
      .filter((part) => /^(?:node|npx|npm|bin\/firstprint|firstprint)(?: |$)/.test(part))
      .map((part) => ({ page, text: part.replace(/\s+#.*$/, "") })),
  );
}

const lines = pages.flatMap(linesOf);
const starting = (...words: readonly string[]): readonly Line[] =>
  lines.filter(({ text }) => words.some((word) => `${text} `.startsWith(`${word} `)));
const ofFiles = (line: Line): boolean => /\.ts\b/.test(line.text);

test("no page tells the reader to run a file of types with the machine's own Node", () => {
  assert.deepEqual(starting("node").filter(ofFiles), []);
  assert.ok(lines.length > 100, "the lines were found");
});

test("`npm run` and `npx node` take the Node the lockfile pins, not the machine's", (t) => {
  const env = { ...process.env, PATH: pathWithOldNode(t) };
  const versionBy = (program: string, ...words: readonly string[]): string =>
    execFileSync(program, words, { cwd: checkout, env, encoding: "utf8" }).trim();
  assert.equal(versionBy("node", "-p", "process.versions.node"), "20", "the machine's own");
  assert.equal(versionBy("npx", "node", "--version"), process.version);
  for (const { page, text } of starting("npm run")) {
    const [command = "", workspace] = text.split(/ (?:--workspace|-w) /);
    const name = command.split(" ").filter((word) => !word.startsWith("-"))[2] ?? "";
    const { scripts } = workspace === undefined ? manifest : manifestIn(workspace);
    const script = Object.entries(scripts).find(([one]) => one === name)?.[1];
    assert.ok(script !== undefined, `${page}: ${text}`);
    assert.match(script, /^(?:node|npm|tsc|biome|vite) /, text);
  }
});

test("every command of bin/firstprint that a page shows is one, on Node 20 too", async (t) => {
  const shown = new Map<string, string>();
  for (const { page, text } of starting("bin/firstprint", "firstprint")) {
    const words = text.split(" ").slice(1);
    const named = words.slice(0, words.findIndex((word) => !/^[a-z-]+$/.test(word)) >>> 0);
    const command = named.filter((word) => !word.startsWith("-")).slice(0, 2);
    if (command.length > 0) shown.set(command.join(" "), `${page}: ${text}`);
  }
  assert.ok(shown.size > 30);
  for (const [command, where] of shown) {
    const words = command === "help" ? ["help"] : [...command.split(" "), "--help"];
    const ran = await run(words);
    assert.equal(ran.status, 0, `${where}\n${ran.stderr}`);
  }
  const env = { PATH: pathWithOldNode(t) };
  const ran = await runProcess(["order", "place", "--help"], { cwd: "/", env });
  assert.equal(ran.status, 0, ran.stderr);
});
