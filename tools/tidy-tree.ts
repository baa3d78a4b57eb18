// The tree under check: every committed text, and the product's TypeScript with its syntax nodes.
// Invariant: a source that could not be parsed is listed in `unreadable`, never passed over.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Node, SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

export type TextFile = {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
};

export type SourceFile = TextFile & {
  readonly lineStarts: readonly number[];
  readonly nodes: ReadonlyMap<SyntaxKind, readonly Node[]>;
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

function lineAt(file: { readonly lineStarts: readonly number[] }, position: number): number {
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
    return this.parse(listFiles(root).flatMap((path) => readText(root, path)));
  }

  parse(texts: readonly TextFile[]): Tree {
    const sources = texts.filter(({ path }) => /^(src|sdk|console)\/.*\.[cm]?tsx?$/.test(path));
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
      else sources.push(sourceOf(file, parsed));
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
  return [textFile(path, bytes.toString("utf8"))];
}

export const textFile = (path: string, text: string): TextFile => ({
  path,
  text,
  lines: text.split(/\r?\n/),
});

function sourceOf(file: TextFile, root: Node): SourceFile {
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
  return { ...file, lineStarts, nodes };
}
