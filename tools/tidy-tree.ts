// The tree under check: every committed text, and every TypeScript source with its syntax nodes.
// Invariant: a source that could not be parsed is listed in `unreadable`, never passed over.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "typescript/unstable/ast";
import { SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

export type TextFile = {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
};

type Comment = { readonly text: string; readonly start: number };

export type SourceFile = TextFile & {
  readonly lineStarts: readonly number[];
  readonly nodes: ReadonlyMap<SyntaxKind, readonly Node[]>;
  readonly statements: readonly Node[];
  readonly comments: readonly Comment[];
};

export type Tree = {
  readonly texts: readonly TextFile[];
  readonly sources: readonly SourceFile[];
  readonly unreadable: readonly Unreadable[];
};

type Unreadable = { readonly path: string; readonly line: number; readonly why: string };

/** Says that `rule` is broken at a line of a file; each rule gets one bound to itself. */
export type Report = (path: string, line: number, message: string) => void;

export type Rule = {
  readonly id: string;
  readonly check: (tree: Tree, report: Report) => void;
};

export const nodesOf = (file: SourceFile, kind: SyntaxKind): readonly Node[] =>
  file.nodes.get(kind) ?? [];

/** The 1-based line a node's own text (not the comment before it) starts on. */
export const lineOf = (file: SourceFile, node: Node): number => lineAt(file, node.getStart());

/** The node's own text, sliced once: names are compared far more often than they are read. */
export const textOf = (file: SourceFile, node: Node): string =>
  file.text.slice(node.getStart(), node.end);

export function lineAt(file: { readonly lineStarts: readonly number[] }, position: number): number {
  let low = 0;
  let high = file.lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((file.lineStarts[middle] ?? 0) <= position) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** Reads trees; keeps one compiler process, so that a second tree costs milliseconds. */
export class TreeReader {
  readonly #virtual = new Map<string, string>();
  #api: API | undefined;
  #reads = 0;

  read(root: string): Tree {
    const texts = listFiles(root).flatMap((path) => readText(root, path));
    const sources = texts.filter((file) => /\.[cm]?tsx?$/.test(file.path));
    return { texts, ...this.#parse(sources) };
  }

  close(): void {
    this.#api?.close();
    this.#api = undefined;
  }

  /**
   * TypeScript 7 parses in its own process. It is given the texts under a made-up root, without
   * libraries and without resolving imports, so it does nothing but parse.
   */
  #parse(texts: readonly TextFile[]): Pick<Tree, "sources" | "unreadable"> {
    const api = this.#open();
    this.#virtual.clear();
    const root = `/tree-${this.#reads++}/`;
    const config = `${root}tsconfig.json`;
    for (const file of texts) this.#virtual.set(root + file.path, file.text);
    const files = texts.map((file) => file.path);
    this.#virtual.set(config, JSON.stringify({ compilerOptions: parseOnly, files }));
    const snapshot = api.updateSnapshot({ openProjects: [config] });
    const project = snapshot.getProjects().find((one) => one.configFileName === config);
    const sources: SourceFile[] = [];
    const unreadable: Unreadable[] = [];
    for (const file of texts) {
      const parsed = project?.program.getSourceFile(root + file.path);
      if (parsed === undefined) unreadable.push({ path: file.path, line: 1, why: "not parsed" });
      else sources.push(sourceOf(file, parsed, parsed.statements));
    }
    for (const mistake of project?.program.getSyntacticDiagnostics() ?? []) {
      const file = sources.find((one) => root + one.path === mistake.fileName);
      const path = file?.path ?? "tools/tidy-tree.ts";
      const line = file === undefined ? 1 : lineAt(file, mistake.pos);
      unreadable.push({ path, line, why: mistake.text });
    }
    api.updateSnapshot({ closeProjects: [config] });
    return { sources, unreadable };
  }

  #open(): API {
    const readFile = (path: string): string | null => this.#virtual.get(path) ?? null;
    this.#api ??= new API({ cwd: "/", fs: { readFile } });
    return this.#api;
  }
}

const parseOnly = {
  noLib: true,
  types: [],
  noResolve: true,
  module: "nodenext",
  target: "esnext",
  jsx: "preserve",
  noEmit: true,
  allowImportingTsExtensions: true,
};

const neverCommitted = new Set([".git", "node_modules", ".firstprint", "coverage"]);

/** Files that are committed or about to be; outside a checkout, all files in the folder. */
function listFiles(root: string): string[] {
  const tracked = existsSync(join(root, ".git")) ? listTracked(root) : undefined;
  return (tracked ?? walk(root, "")).sort();
}

function listTracked(root: string): string[] | undefined {
  try {
    const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const listed = execFileSync("git", options, { cwd: root, encoding: "utf8", stdio: "pipe" });
    const paths = new Set(listed.split("\0").filter((path) => path !== ""));
    return [...paths].filter((path) => existsSync(join(root, path)));
  } catch {
    // No git, or a checkout it distrusts (another owner): the walk below sees at least as much.
    return undefined;
  }
}

function walk(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return neverCommitted.has(entry.name) ? [] : walk(root, path);
    return entry.isFile() ? [path] : [];
  });
}

function readText(root: string, path: string): TextFile[] {
  if (!statSync(join(root, path)).isFile()) return [];
  const bytes = readFileSync(join(root, path));
  if (bytes.subarray(0, 8_000).includes(0)) return [];
  const text = bytes.toString("utf8");
  return [{ path, text, lines: text.split(/\r?\n/) }];
}

function sourceOf(file: TextFile, root: Node, statements: readonly Node[]): SourceFile {
  const nodes = new Map<SyntaxKind, Node[]>();
  const visit = (node: Node): undefined => {
    const alike = nodes.get(node.kind);
    if (alike === undefined) nodes.set(node.kind, [node]);
    else alike.push(node);
    node.forEachChild(visit);
  };
  visit(root);
  const lineStarts = [0];
  for (let at = file.text.indexOf("\n"); at >= 0; at = file.text.indexOf("\n", at + 1))
    lineStarts.push(at + 1);
  return { ...file, lineStarts, nodes, statements, comments: commentsOf(file.text, nodes) };
}

const literalKinds = [
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.JsxText,
];

/** Outside literals, two slashes or a slash and a star can only start a comment. */
function commentsOf(text: string, nodes: ReadonlyMap<SyntaxKind, readonly Node[]>): Comment[] {
  const literals = literalKinds
    .flatMap((kind) => nodes.get(kind) ?? [])
    .map((node) => ({ start: node.getStart(), end: node.end }))
    .sort((a, b) => a.start - b.start);
  const comments: Comment[] = [];
  let next = 0;
  for (let at = nextSlash(text, 0); at >= 0; ) {
    while ((literals[next]?.end ?? Number.POSITIVE_INFINITY) <= at) next++;
    const literal = literals[next];
    const inside = literal !== undefined && literal.start <= at;
    const end = inside ? literal.end : commentEnd(text, at);
    if (!inside) comments.push({ text: text.slice(at, end), start: at });
    at = nextSlash(text, end);
  }
  return comments;
}

function nextSlash(text: string, from: number): number {
  for (let at = text.indexOf("/", from); at >= 0; at = text.indexOf("/", at + 1)) {
    const following = text[at + 1];
    if (following === "/" || following === "*") return at;
  }
  return -1;
}

function commentEnd(text: string, start: number): number {
  const toLineEnd = text[start + 1] === "/";
  const closing = toLineEnd ? text.indexOf("\n", start) : text.indexOf("*/", start + 2);
  if (closing < 0) return text.length;
  return toLineEnd ? closing : closing + 2;
}
