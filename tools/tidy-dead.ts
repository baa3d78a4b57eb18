// Dead code: files of src that no program reaches, and exports that no other file uses.
// Invariant: what a program reaches is followed from package.json's scripts and bin/ alone.
import {
  type BindingName,
  isClassDeclaration,
  isEnumDeclaration,
  isExportAssignment,
  isExportDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isNamedExports,
  isTypeAliasDeclaration,
  isVariableStatement,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { edgesOf } from "./tidy-imports.ts";
import { lineOf, type Rule, type SourceFile, type Tree } from "./tidy-tree.ts";

const deadFile: Rule = {
  id: "dead-file",
  check(tree, report) {
    const reached = reachedFiles(tree);
    for (const { path } of tree.sources) {
      if (path.startsWith("src/") && !reached.has(path))
        report(path, 1, "no program reaches this file: import it where it is needed, or delete it");
    }
  },
};

/** Programs are the files that bin/ and the scripts of package.json name. */
function reachedFiles(tree: Tree): ReadonlySet<string> {
  const byPath = new Map(tree.sources.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const open = tree.texts
    .filter(({ path }) => path === "package.json" || path.startsWith("bin/"))
    .flatMap(({ text }) => [...text.matchAll(/\b(?:src|tools|bench)\/[\w./-]+\.ts\b/g)])
    .map(([path]) => path);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = byPath.get(path);
    if (file === undefined || reached.has(path)) continue;
    reached.add(path);
    for (const { target } of edgesOf(file)) if (target !== undefined) open.push(target);
  }
  return reached;
}

/** Exported for programs outside this repository. */
const packageEntry = "sdk/src/index.ts";

const deadExport: Rule = {
  id: "dead-export",
  check(tree, report) {
    const uses = usedNames(tree);
    for (const file of tree.sources) {
      const used = uses.get(file.path);
      if (used === "all" || file.path === packageEntry) continue;
      for (const [name, line] of exportsOf(file)) {
        if (!used?.has(name))
          report(file.path, line, `no other file uses "${name}": drop its export, or delete it`);
      }
    }
  },
};

function usedNames(tree: Tree): ReadonlyMap<string, ReadonlySet<string> | "all"> {
  const uses = new Map<string, Set<string> | "all">();
  for (const file of tree.sources) {
    for (const { target, names } of edgesOf(file)) {
      if (target === undefined || target === file.path) continue;
      const known = uses.get(target) ?? new Set();
      if (known === "all") continue;
      if (names !== "all") for (const name of names) known.add(name);
      uses.set(target, names === "all" ? "all" : known);
    }
  }
  return uses;
}

/** Each exported name with the line of its (first) declaration. */
export function exportsOf(file: SourceFile): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  for (const statement of file.statements) {
    for (const [name, node] of exportedBy(statement))
      if (!names.has(name)) names.set(name, lineOf(file, node));
  }
  return names;
}

function exportedBy(statement: Node): [string, Node][] {
  if (isExportAssignment(statement)) return [["default", statement]];
  if (isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    if (clause === undefined || !isNamedExports(clause)) return [];
    return clause.elements.map((one) => [one.name.text, one]);
  }
  const modifiers = modifierKinds(statement);
  if (!modifiers.includes(SyntaxKind.ExportKeyword)) return [];
  if (modifiers.includes(SyntaxKind.DefaultKeyword)) return [["default", statement]];
  if (isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap((one) => boundNames(one.name));
  return isNamedDeclaration(statement) ? boundNames(statement.name) : [];
}

/** Modifiers come first among a statement's children. */
function modifierKinds(statement: Node): SyntaxKind[] {
  const kinds: SyntaxKind[] = [];
  statement.forEachChild((child) => {
    kinds.push(child.kind);
  });
  return kinds;
}

const isNamedDeclaration = (node: Node) =>
  isFunctionDeclaration(node) ||
  isClassDeclaration(node) ||
  isTypeAliasDeclaration(node) ||
  isInterfaceDeclaration(node) ||
  isEnumDeclaration(node);

/** `a` of `const a`, and both names of `const { a, b: c }`. */
function boundNames(name: BindingName | undefined): [string, Node][] {
  if (name === undefined) return [];
  if (isIdentifier(name)) return [[name.text, name]];
  return name.elements.flatMap((element) => boundNames(element.name));
}

export const deadRules: readonly Rule[] = [deadFile, deadExport];
