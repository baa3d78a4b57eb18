// Keeps the house as docs/decisions describe it: `node tools/tidy.ts [root]` prints one line a
// finding and exits 1 when there is any.
// Invariant: a rule is broken nowhere but where the exceptions below say so, and why.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { deadRules } from "./tidy-dead.ts";
import { importRules } from "./tidy-imports.ts";
import { nameRules } from "./tidy-names.ts";
import { proseRules } from "./tidy-prose.ts";
import { purityRules } from "./tidy-purity.ts";
import { sizeRules } from "./tidy-sizes.ts";
import { styleRules } from "./tidy-style.ts";
import { type Rule, type Tree, TreeReader } from "./tidy-tree.ts";

export type Exception = {
  readonly rule: string;
  readonly file: string;
  /** Words of the finding; the exception covers only findings whose message has them. */
  readonly about: string;
  readonly reason: string;
};

const exceptions: readonly Exception[] = [
  {
    rule: "dead-export",
    file: "console/vite.config.ts",
    about: '"default"',
    reason: "Vite loads the file by its path and takes its default export",
  },
  {
    rule: "dead-export",
    file: "console/src/verifier/node-crypto.ts",
    about: '"createHash"',
    reason: "in a browser the verifier's import from node:crypto is resolved to this file",
  },
  {
    rule: "dead-export",
    file: "tools/mutation/node-test.ts",
    about: "no other file uses",
    reason: "while mutants are tried, what tests import from node:test is resolved to this file",
  },
  {
    rule: "dead-export",
    file: "tools/mutation/runner.ts",
    about: "no other file uses",
    reason: "StrykerJS loads the file by its path and looks for these names",
  },
  {
    rule: "pure-node",
    file: "src/base/digest.ts",
    about: '"node:crypto" (createHash, hash)',
    reason: "SHA-256 is a pure function of its bytes, and cryptography is never written by hand",
  },
  {
    rule: "dead-file",
    file: "src/journal/memory.ts",
    about: "no program reaches",
    reason: "the engine's tests and simulations run on it; no program may keep a journal in memory",
  },
];

const checkout = resolve(fileURLToPath(new URL("..", import.meta.url)));

type Finding = {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
};

/** A tree that cannot be read is never clean: a checker that sees nothing must not be content. */
const unreadable: Rule = {
  id: "unreadable",
  check(tree, report) {
    for (const { path, line, why } of tree.unreadable)
      report(path, line, `make it parse, so that it can be checked: ${why}`);
    if (!tree.sources.some(({ path }) => path.startsWith("src/")))
      report("src", 1, "no TypeScript here to check: give the root of the checkout");
  },
};

const rules: readonly Rule[] = [
  ...importRules,
  ...purityRules,
  ...sizeRules,
  ...styleRules,
  ...nameRules,
  ...proseRules,
  ...deadRules,
  unreadable,
];

/** Every rule, `exception` being the one that watches the exceptions themselves. */
export const ruleIds: readonly string[] = [...rules.map(({ id }) => id), "exception"];

/** The findings in a tree, in the order of its files and lines. */
export function findingsIn(tree: Tree, pardoned: readonly Exception[]): Finding[] {
  const found = new Map<string, Finding>();
  for (const { id, check } of rules) {
    check(tree, (path, line, message) => {
      const finding = { path, line, rule: id, message };
      found.set(JSON.stringify(finding), finding);
    });
  }
  const findings = [...found.values()];
  const kept = findings.filter((one) => !pardoned.some((exception) => covers(exception, one)));
  return [...kept, ...idleExceptions(findings, pardoned)].sort(byPlace);
}

const covers = ({ rule, file, about }: Exception, finding: Finding): boolean =>
  rule === finding.rule && file === finding.path && finding.message.includes(about);

/** An exception that excuses nothing has outlived its reason. */
const idleExceptions = (findings: readonly Finding[], pardoned: readonly Exception[]): Finding[] =>
  pardoned
    .filter((exception) => !findings.some((finding) => covers(exception, finding)))
    .map(({ rule, file, about }) => ({
      path: file,
      line: 1,
      rule: "exception",
      message: `take it out of tools/tidy.ts: nothing here breaks ${rule} ("${about}") any more`,
    }));

function byPlace(a: Finding, b: Finding): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line;
}

/** All of them here; of another tree, those whose file it has. */
const exceptionsFor = (root: string, tree: Tree): readonly Exception[] =>
  resolve(root) === checkout
    ? exceptions
    : exceptions.filter(({ file }) => tree.sources.some(({ path }) => path === file));

function main(root: string): void {
  const reader = new TreeReader();
  const tree = reader.read(root);
  reader.close();
  const findings = findingsIn(tree, exceptionsFor(root, tree));
  for (const { path, line, rule, message } of findings)
    console.log(`${path}:${line} ${rule} ${message}`);
  const files = tree.texts.length;
  console.log(`tidy: ${files} files, ${ruleIds.length} rules, ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

if (import.meta.main) main(process.argv[2] ?? checkout);
