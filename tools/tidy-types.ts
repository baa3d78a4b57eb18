// No way round the types of the product: no `as` outside src/base, and no comment that silences
// the compiler.
// Invariant: an amount, a price or an id is made by a function of src/base, which has checked it;
// Biome sees neither of the two, and the compiler takes an assertion at its word.
import {
  isAsExpression,
  isIdentifier,
  isTypeReferenceNode,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { lineOf, nodesOf, type Rule } from "./tidy-tree.ts";

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

const silence: Rule = {
  id: "silence",
  check(tree, report) {
    for (const { path, lines } of tree.sources) {
      for (const [index, line] of lines.entries())
        if (/\/[/*][/*\s]*@ts-(ignore|expect-error|nocheck)\b/.test(line))
          report(path, index + 1, "correct the type instead of silencing the compiler");
    }
  },
};

export const typeRules: readonly Rule[] = [assertion, silence];
