// Keeps the house as docs/decisions describe it: imports between rooms, purity, types, prose.
// `node tools/tidy.ts [root]` prints one line a finding and exits 1 when there is any.
// Invariant: a tree that cannot be read is never clean; a checker that sees nothing is not content.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { importRules } from "./tidy-imports.ts";
import { proseRules } from "./tidy-prose.ts";
import { purityRules } from "./tidy-purity.ts";
import { type Rule, type Tree, TreeReader } from "./tidy-tree.ts";
import { typeRules } from "./tidy-types.ts";

type Finding = {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
};

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
  ...typeRules,
  ...proseRules,
  unreadable,
];

export const ruleIds: readonly string[] = rules.map(({ id }) => id);

/** The findings in a tree, each once, in the order of its files and lines. */
export function findingsIn(tree: Tree): Finding[] {
  const found = new Map<string, Finding>();
  for (const { id, check } of rules) {
    check(tree, (path, line, message) => {
      const finding = { path, line, rule: id, message };
      found.set(JSON.stringify(finding), finding);
    });
  }
  return [...found.values()].sort(byPlace);
}

function byPlace(a: Finding, b: Finding): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line;
}

function main(root: string): void {
  const reader = new TreeReader();
  const tree = reader.read(root);
  reader.close();
  const findings = findingsIn(tree);
  for (const { path, line, rule, message } of findings)
    console.log(`${path}:${line} ${rule} ${message}`);
  const files = tree.texts.length;
  console.log(`tidy: ${files} files, ${ruleIds.length} rules, ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

if (import.meta.main)
  main(process.argv[2] ?? resolve(fileURLToPath(new URL("..", import.meta.url))));
