// How long things may be: a function, a file, a line.
// Invariant: lengths are counted as a reader sees them: lines of text, and characters, not bytes.
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { lineAt, lineOf, nodesOf, type Rule, type TextFile } from "./tidy-tree.ts";

const functionLimit = 70;
const testFunctionLimit = 120;
const fileLimit = 500;
const columnLimit = 100;

export const isTest = (path: string): boolean => /^test\/|\.test\.ts$/.test(path);

/** Files written by hand in a language of statements; prose, data and lockfiles have no limits. */
export const isCode = ({ path }: TextFile): boolean =>
  /\.([cm]?[jt]sx?|sql|sh|css)$/.test(path) || /^(bin|\.ci)\//.test(path);

const functionKinds = [
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
];

const functionLines: Rule = {
  id: "function-lines",
  check(tree, report) {
    for (const file of tree.sources) {
      const limit = isTest(file.path) ? testFunctionLimit : functionLimit;
      if (file.lines.length <= limit) continue;
      for (const node of functionKinds.flatMap((kind) => nodesOf(file, kind))) {
        const first = lineOf(file, node);
        const length = lineAt(file, node.end) - first + 1;
        if (length > limit && !(isTest(file.path) && isGroup(node.parent)))
          report(
            file.path,
            first,
            `${length} lines, at most ${limit}: move a step into a function`,
          );
      }
    }
  },
};

/** `describe("…", () => { … })` only groups tests; the file's own limit holds it. */
const isGroup = (node: Node): boolean => /^(describe|suite)$/.test(calledName(node) ?? "");

/** `name` in `name(…)`, and in `name.anything(…)`. */
export function calledName(node: Node): string | undefined {
  if (!isCallExpression(node)) return undefined;
  const callee = node.expression;
  const named = isPropertyAccessExpression(callee) ? callee.expression : callee;
  return isIdentifier(named) ? named.text : undefined;
}

const fileLines: Rule = {
  id: "file-lines",
  check(tree, report) {
    for (const file of tree.texts.filter(isCode)) {
      const length = file.lines.at(-1) === "" ? file.lines.length - 1 : file.lines.length;
      if (length > fileLimit)
        report(file.path, length, `${length} lines, at most ${fileLimit}: one concept per file`);
    }
  },
};

const lineColumns: Rule = {
  id: "line-columns",
  check(tree, report) {
    for (const file of tree.texts.filter(isCode)) {
      for (const [index, line] of file.lines.entries()) {
        if (line.length <= columnLimit) continue;
        const columns = [...line].length;
        if (columns > columnLimit)
          report(
            file.path,
            index + 1,
            `${columns} columns, at most ${columnLimit}: break the line`,
          );
      }
    }
  },
};

export const sizeRules: readonly Rule[] = [functionLines, fileLines, lineColumns];
