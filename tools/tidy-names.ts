// One name, one thing: files of a folder are told apart at a glance, no type name of src stands for
// two types, and a file of endpoints holds one, or those of one resource.
// Invariant: names are read from the tree alone; nothing here resolves a type or runs a route.
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import { lineOf, nodesOf, type Rule, type SourceFile, textOf } from "./tidy-tree.ts";

const alikeFiles: Rule = {
  id: "alike-files",
  check(tree, report) {
    const folders = Map.groupBy(tree.sources, ({ path }) => path.slice(0, path.lastIndexOf("/")));
    for (const files of folders.values()) {
      for (const [at, file] of files.entries()) {
        const name = stemOf(file);
        const other = files
          .slice(0, at)
          .map(stemOf)
          .find((before) => isAlike(before, name));
        if (other !== undefined)
          report(file.path, 1, `"${name}" reads like "${other}" beside it: say what each holds`);
      }
    }
  },
};

/** Without the suffixes of tests: a test bears the name of what it tests. */
const stemOf = ({ path }: SourceFile): string =>
  path.slice(path.lastIndexOf("/") + 1).replace(/(\.(long|db|e2e|test))*\.[cm]?tsx?$/, "");

/** Apart by one letter, or by a plural alone; a test and its subject have the same name. */
function isAlike(one: string, other: string): boolean {
  if (one === other) return false;
  return singular(one) === singular(other) || isOneLetterApart(one, other);
}

const singular = (name: string): string =>
  name.replaceAll(/(ie)?s(?=-|$)/g, (_, ie) => (ie ? "y" : ""));

function isOneLetterApart(one: string, other: string): boolean {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [rest, otherRest] = [one.slice(at), other.slice(at)];
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1)
  );
}

const typeKinds = [
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.ClassDeclaration,
];

const typeTwice: Rule = {
  id: "type-twice",
  check(tree, report) {
    const first = new Map<string, string>();
    for (const file of tree.sources.filter(({ path }) => path.startsWith("src/"))) {
      for (const node of typeKinds.flatMap((kind) => nodesOf(file, kind))) {
        const name = nameOf(file, node);
        const before = first.get(name);
        if (before === undefined) first.set(name, file.path);
        else
          report(file.path, lineOf(file, node), `${before} has a type "${name}" too: rename one`);
      }
    }
  },
};

function nameOf(file: SourceFile, node: Node): string {
  let name = "";
  node.forEachChild((child) => {
    if (name === "" && child.kind === SyntaxKind.Identifier) name = textOf(file, child);
  });
  return name;
}

const urlKinds = [
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
];

/** `/api/markets` of `/api/markets/:id/book`; what a surface has in front is no resource. */
const resource = /^.\/api\/(?:(?:admin|trading|liquidity|audit|kyc|dev)\/)?[a-z-]*/;

const oneResource: Rule = {
  id: "one-resource",
  check(tree, report) {
    for (const file of tree.sources) {
      if (!/^src\/http\/(trading|public|admin)\//.test(file.path)) continue;
      const urls = urlKinds
        .flatMap((kind) => nodesOf(file, kind))
        .flatMap((node) => {
          const [url] = resource.exec(textOf(file, node)) ?? [];
          return url === undefined ? [] : [{ url: url.slice(1), node }];
        });
      const [one] = urls;
      const other = urls.find(({ url }) => url !== one?.url);
      if (one !== undefined && other !== undefined)
        report(
          file.path,
          lineOf(file, other.node),
          `${other.url} beside ${one.url}: a file holds one endpoint, or those of one resource`,
        );
    }
  },
};

export const nameRules: readonly Rule[] = [alikeFiles, typeTwice, oneResource];
