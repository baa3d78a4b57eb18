// How code is written: names, header comments, types without escape hatches, tests without holes.
// Invariant: a rule about words in the code never reads comments, and the reverse.
import {
  isAsExpression,
  isCallExpression,
  isIdentifier,
  isObjectLiteralExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTypeReferenceNode,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { exportsOf } from "./tidy-dead.ts";
import { calledName, isCode, isTest } from "./tidy-sizes.ts";
import { lineAt, lineOf, nodesOf, type Rule } from "./tidy-tree.ts";

const emptyWords = /^(utils?|helpers?|managers?|services?|impls?)$/i;

/** The first word that says nothing: `OrderManager`, `order-utils`, `ORDER_IMPL` each have one. */
const emptyWordIn = (name: string): string | undefined =>
  name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)?.find((word) => emptyWords.test(word));

const name: Rule = {
  id: "name",
  check(tree, report) {
    for (const { path } of tree.texts) {
      const word = /^(src|test|tools|bench|bin|sdk|console)\//.test(path)
        ? emptyWordIn(path)
        : undefined;
      if (word !== undefined) report(path, 1, `"${word}" says nothing: name the file by its noun`);
    }
    for (const file of tree.sources) {
      for (const [exported, line] of exportsOf(file)) {
        const word = emptyWordIn(exported);
        if (word !== undefined)
          report(file.path, line, `"${word}" in ${exported} says nothing: name what it is`);
      }
    }
  },
};

const header: Rule = {
  id: "header",
  check(tree, report) {
    for (const { path, lines } of tree.sources.filter(({ path }) =>
      /^((sdk|console)\/)?src\//.test(path),
    )) {
      const start = lines[0]?.startsWith("#!") ? 1 : 0;
      const end = lines.findIndex((line, index) => index >= start && !line.startsWith("//"));
      const comment = lines.slice(start, end < 0 ? lines.length : end);
      const invariant = comment.findIndex((line) => /^\/\/ Invariant: \S/.test(line));
      if (invariant < 1)
        report(path, 1, "start with what the file is for, then a line `// Invariant: …`");
    }
  },
};

const assertion: Rule = {
  id: "as",
  check(tree, report) {
    const message = "check with a type guard instead; only src/base makes branded values with `as`";
    for (const file of tree.sources.filter(({ path }) => !path.startsWith("src/base/"))) {
      for (const kind of [SyntaxKind.AsExpression, SyntaxKind.TypeAssertionExpression])
        for (const node of nodesOf(file, kind))
          if (!isConst(node)) report(file.path, lineOf(file, node), message);
    }
  },
};

const isConst = (node: Node): boolean =>
  isAsExpression(node) &&
  isTypeReferenceNode(node.type) &&
  isIdentifier(node.type.typeName) &&
  node.type.typeName.text === "const";

const suppression: Rule = {
  id: "suppression",
  check(tree, report) {
    for (const file of tree.sources) {
      for (const { text, start } of file.comments) {
        if (/@ts-(ignore|expect-error|nocheck)\b/.test(text))
          report(file.path, lineAt(file, start), "correct the type instead of silencing the check");
        const [, why] = /biome-ignore(?:-all|-start|-end)?(\s[^\n]*|$)/.exec(text) ?? [];
        if (why !== undefined && !/: *\w.{9,}/.test(why))
          report(file.path, lineAt(file, start), "say after the colon why this line is right");
      }
    }
  },
};

const unfinished = /\b(TODO|FIXME|XXX)\b/;

const todo: Rule = {
  id: "todo",
  check(tree, report) {
    const message = "finish it, or leave it out and say so in the decision record";
    for (const file of tree.sources) {
      for (const { text, start } of file.comments) {
        const found = unfinished.exec(text);
        if (found !== null) report(file.path, lineAt(file, start + found.index), message);
      }
    }
    const parsed = new Set(tree.sources.map(({ path }) => path));
    for (const file of tree.texts.filter((one) => isCode(one) && !parsed.has(one.path))) {
      for (const [index, line] of file.lines.entries())
        if (unfinished.test(line)) report(file.path, index + 1, message);
    }
  },
};

const suites = /^(test|it|describe|suite)$/;

/** Skipping is allowed where the reason is told: `t.skip("why")` or `{ skip: "why" }`. */
const testSkip: Rule = {
  id: "test-skip",
  check(tree, report) {
    for (const file of tree.sources.filter(({ path }) => isTest(path))) {
      for (const node of nodesOf(file, SyntaxKind.CallExpression)) {
        const line = lineOf(file, node);
        if (isSilentSkip(node))
          report(file.path, line, 'say why: t.skip("reason"), or the option { skip: "reason" }');
      }
    }
  },
};

function isSilentSkip(node: Node): boolean {
  if (!isCallExpression(node)) return false;
  const ofSuite = suites.test(calledName(node) ?? "");
  const method = methodOf(node);
  if (method === "skip" || method === "todo") {
    const [reason] = node.arguments;
    return ofSuite || reason === undefined || (isStringLiteral(reason) && reason.text === "");
  }
  const options = ofSuite ? [optionOf(node, "skip"), optionOf(node, "todo")] : [];
  return options.some(
    (value) =>
      value !== undefined &&
      (value.kind === SyntaxKind.TrueKeyword || isPrefixUnaryExpression(value)),
  );
}

function methodOf(node: Node): string | undefined {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return undefined;
  return node.expression.name.text;
}

/** The value of an option in the arguments of `test("…", { skip: … }, …)`. */
function optionOf(node: Node, option: string): Node | undefined {
  if (!isCallExpression(node)) return undefined;
  return node.arguments
    .filter(isObjectLiteralExpression)
    .flatMap(({ properties }) => [...properties])
    .filter(isPropertyAssignment)
    .find((property) => isIdentifier(property.name) && property.name.text === option)?.initializer;
}

/** Joined here so that this file does not hold what it forbids. */
const workplaceWords = [
  `(?<![\\w.~})*-])/(?:${["work", "tmp", "root"].join("|")})/`,
  ["farm", "-"].join(""),
  ["(?<!\\w)\\.lib", "rary\\b"].join(""),
].join("|");

const workplace: Rule = {
  id: "workplace",
  check(tree, report) {
    const pattern = new RegExp(workplaceWords, "i");
    for (const { path, text, lines } of tree.texts) {
      if (!pattern.test(text)) continue;
      for (const [index, line] of lines.entries()) {
        const found = pattern.exec(line)?.[0];
        if (found !== undefined)
          report(path, index + 1, `"${found}" is of this machine: use a path from the checkout`);
      }
    }
  },
};

export const styleRules: readonly Rule[] = [
  name,
  header,
  assertion,
  suppression,
  todo,
  testSkip,
  workplace,
];
