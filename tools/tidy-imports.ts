// The import rules: the rooms of the house, the npm packages each may use, and unused permissions.
// Invariant: every way of naming another module (import, export from, import type, a dynamic
// import, a worker's URL) becomes one Edge, so no rule can be passed by choosing another spelling.
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import {
  type CallExpression,
  type ExportDeclaration,
  type ImportDeclaration,
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isMetaProperty,
  isNamedExports,
  isNamedImports,
  isNewExpression,
  isPropertyAccessExpression,
  isStringLiteral,
  type NewExpression,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { lineOf, nodesOf, type Rule, type SourceFile, type Tree, textOf } from "./tidy-tree.ts";

/** The house: each room and the rooms it may import. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contract: ["base"],
  prints: ["base"],
  geo: ["base"],
  core: ["base", "contract"],
  pricing: ["base", "contract"],
  views: ["base", "contract", "core", "prints", "geo"],
  quoting: ["base", "contract", "core", "prints", "geo", "pricing", "views"],
  storage: ["base", "outbound"],
  journal: ["base", "core", "storage"],
  engine: ["base", "core", "journal"],
  ingest: ["base", "contract", "core", "prints", "geo", "engine", "outbound", "storage"],
  identity: ["base", "core", "engine", "storage"],
  outbound: [],
  webhooks: ["base", "core", "engine", "outbound", "storage"],
  sample: ["base", "contract", "core", "prints", "geo", "pricing", "views", "engine", "ingest"],
  http: ["base", "contract", "core", "prints", "geo", "views", "quoting", "engine"],
  witness: ["base", "journal", "outbound", "storage"],
  backup: ["base", "journal", "storage"],
  replay: ["base", "contract", "core", "prints", "geo", "pricing", "quoting", "views"],
  cli: ["base", "pricing", "replay", "sdk", "webhooks"],
  sdk: [],
  node: [
    "base",
    "core",
    "engine",
    "http",
    "identity",
    "ingest",
    "journal",
    "pricing",
    "prints",
    "quoting",
    "sample",
    "storage",
    "views",
    "webhooks",
    "witness",
  ],
};

/** Files of src that stand in no room: they wire rooms together and may import all of them. */
const wiring = [
  "src/main.ts",
  "src/verify.ts",
  "src/backup.ts",
  "src/secret.ts",
  "src/witness.ts",
  "src/schema.ts",
  "src/archive.ts",
];

/** npm packages of src and sdk, and where each may be imported; a pure room never stands here. */
const packages: Readonly<Record<string, readonly string[]>> = {
  fastify: ["src/http/"],
  "@fastify/swagger-ui": ["src/http/"],
  typebox: ["src/http/"],
  aws4fetch: ["src/storage/"],
  pino: ["src/http/", "src/node/"],
  "prom-client": ["src/node/"],
  "csv-parse": ["src/ingest/", "src/cli/rows-file.ts", "src/cli/wide-file.ts"],
  saxes: ["src/ingest/"],
  yauzl: ["src/ingest/"],
  "@stdlib/stats-base-dists-gamma-cdf": ["src/pricing/weather.ts"],
  "@stdlib/stats-base-dists-normal-cdf": [
    "src/pricing/weather.ts",
    "src/pricing/backtest/forecast.ts",
  ],
  "@stdlib/stats-base-dists-normal-quantile": ["src/pricing/weather.ts"],
  pg: [
    "src/storage/",
    "src/journal/",
    "src/ingest/",
    "src/identity/",
    "src/webhooks/",
    "src/backup/",
  ],
  "openapi-fetch": ["sdk/src/client.ts"],
  "eventsource-parser": ["sdk/src/stream.ts"],
};

export type Edge = {
  readonly specifier: string;
  readonly line: number;
  /** The exported names this edge uses; "all" where that cannot be told. */
  readonly names: readonly string[] | "all";
  /** The file of the tree it leads to, if it leads into the tree. */
  readonly target: string | undefined;
};

const edgesByFile = new WeakMap<SourceFile, readonly Edge[]>();

export function edgesOf(file: SourceFile): readonly Edge[] {
  const known = edgesByFile.get(file);
  if (known !== undefined) return known;
  const edges = edgeKinds.flatMap((kind) =>
    nodesOf(file, kind).flatMap((node): Edge[] => {
      const found = readEdge(node);
      if (found === undefined) return [];
      const target = resolve(file.path, found.specifier);
      return [{ ...found, line: lineOf(file, node), target }];
    }),
  );
  edgesByFile.set(file, edges);
  return edges;
}

const edgeKinds = [
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ExportDeclaration,
  SyntaxKind.ImportType,
  SyntaxKind.CallExpression,
  SyntaxKind.NewExpression,
];

function readEdge(node: Node): Pick<Edge, "specifier" | "names"> | undefined {
  if (isImportDeclaration(node)) return withSpecifier(node.moduleSpecifier, importedNames(node));
  if (isExportDeclaration(node)) return withSpecifier(node.moduleSpecifier, passedOnNames(node));
  if (isImportTypeNode(node)) {
    const literal = isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
    const name = node.qualifier;
    return withSpecifier(literal, name !== undefined && isIdentifier(name) ? [name.text] : "all");
  }
  if (isDynamicImport(node)) return withSpecifier(node.arguments[0], "all");
  if (!isModuleUrl(node)) return undefined;
  const edge = withSpecifier(node.arguments?.[0], "all");
  return edge !== undefined && /\.[cm]?tsx?$/.test(edge.specifier) ? edge : undefined;
}

const withSpecifier = (specifier: Node | undefined, names: Edge["names"]) =>
  specifier !== undefined && isStringLiteral(specifier)
    ? { specifier: specifier.text, names }
    : undefined;

function importedNames({ importClause }: ImportDeclaration): Edge["names"] {
  const bindings = importClause?.namedBindings;
  if (bindings !== undefined && !isNamedImports(bindings)) return "all";
  const byDefault = importClause?.name === undefined ? [] : ["default"];
  const named = bindings?.elements.map((one) => (one.propertyName ?? one.name).text) ?? [];
  return [...byDefault, ...named];
}

const passedOnNames = ({ exportClause }: ExportDeclaration): Edge["names"] =>
  exportClause !== undefined && isNamedExports(exportClause)
    ? exportClause.elements.map((one) => (one.propertyName ?? one.name).text)
    : "all";

const isDynamicImport = (node: Node): node is CallExpression =>
  isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword;

/** `new URL("./worker.ts", import.meta.url)`: how a worker's file is named. */
function isModuleUrl(node: Node): node is NewExpression {
  if (!isNewExpression(node) || !isIdentifier(node.expression)) return false;
  const [, base] = node.arguments ?? [];
  return (
    node.expression.text === "URL" &&
    base !== undefined &&
    isPropertyAccessExpression(base) &&
    isMetaProperty(base.expression)
  );
}

/** `#room/file.ts` and relative paths lead into the tree; everything else is a package. */
function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith("#test/")) return specifier.slice(1);
  if (specifier.startsWith("#sdk/")) return `sdk/src/${specifier.slice(5)}`;
  if (specifier.startsWith("#")) return `src/${specifier.slice(1)}`;
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  return undefined;
}

/** The room of a path, `undefined` outside src and the SDK, and for the files that wire. */
export const roomOf = (path: string): string | undefined =>
  path.startsWith("sdk/src/") ? "sdk" : /^src\/([^/]+)\//.exec(path)?.[1];

const inSrc = (path: string): boolean => path.startsWith("src/");

const aliasOf = (target: string): string => target.replace(/^src\/|(?<=^sdk\/)src\//, "");

const isClient = (path: string): boolean => /^(sdk|console)\//.test(path);

function forEachEdge(tree: Tree, visit: (file: SourceFile, edge: Edge) => void): void {
  for (const file of tree.sources) for (const edge of edgesOf(file)) visit(file, edge);
}

const room: Rule = {
  id: "room",
  check(tree, report) {
    for (const { path } of tree.texts.filter((file) => inSrc(file.path))) {
      const own = roomOf(path);
      if (/\.[cm]?jsx?$/.test(path))
        report(path, 1, "write it in TypeScript, so it can be checked");
      else if (own !== undefined && rooms[own] === undefined)
        report(path, 1, `no room "${own}" in the house: ${Object.keys(rooms).join(", ")}`);
      else if (own === undefined && !wiring.includes(path))
        report(path, 1, `move it into a room; only ${wiring.join(" and ")} stand outside`);
    }
  },
};

const importTable: Rule = {
  id: "import-table",
  check(tree, report) {
    forEachEdge(tree, (file, { target, line, specifier }) => {
      const own = roomOf(file.path);
      if (own === undefined || target === undefined || !inSrc(target)) return;
      const other = roomOf(target);
      const allowed = rooms[own];
      if (allowed === undefined || other === own) return;
      if (other !== undefined && (rooms[other] === undefined || allowed.includes(other))) return;
      const may = allowed.length === 0 ? "no other room" : `only ${allowed.join(", ")}`;
      report(
        file.path,
        line,
        `${own} may import ${may}: take "${specifier}" out, or move the code`,
      );
    });
  },
};

/** A permission that no import uses only waits to be used wrongly. Judged of the whole house. */
const importIdle: Rule = {
  id: "import-idle",
  check(tree, report) {
    if (!tree.texts.some(({ path }) => path === "tools/tidy-imports.ts")) return;
    const used = new Set<string>();
    forEachEdge(tree, (file, { target }) => {
      used.add(`${roomOf(file.path)} ${roomOf(target ?? "")}`);
    });
    const idle = Object.entries(rooms).flatMap(([own, allowed]) =>
      allowed.filter((other) => !used.has(`${own} ${other}`)).map((other) => `${own} of ${other}`),
    );
    if (idle.length > 0)
      report("tools/tidy-imports.ts", 1, `nothing is imported: ${idle.join(", ")}; take it back`);
  },
};

const importPath: Rule = {
  id: "import-path",
  check(tree, report) {
    const paths = new Set(tree.sources.map(({ path }) => path));
    forEachEdge(tree, (file, { target, line, specifier }) => {
      const aliased = specifier.startsWith("#");
      const other = roomOf(target ?? "");
      if (target === undefined || isClient(file.path)) return;
      if (aliased && inSrc(target) && !paths.has(target))
        report(file.path, line, `"${specifier}" names no file of a room: write #room/file.ts`);
      else if (other !== undefined && other === roomOf(file.path) && aliased)
        report(file.path, line, `inside a room import relatively, not "${specifier}"`);
      else if (other !== undefined && other !== roomOf(file.path) && !aliased)
        report(file.path, line, `across rooms write "#${aliasOf(target)}", not "${specifier}"`);
    });
  },
};

const importOutside: Rule = {
  id: "import-outside",
  check(tree, report) {
    forEachEdge(tree, (file, { target, line, specifier }) => {
      if (target === undefined) return;
      const toSdk = roomOf(target) === "sdk" && rooms[roomOf(file.path) ?? ""]?.includes("sdk");
      if (inSrc(file.path) && /^(test|tools|bench|sdk|console)\//.test(target) && !toSdk)
        report(file.path, line, `src stands alone: take "${specifier}" out`);
      if (isClient(file.path) && inSrc(target))
        report(
          file.path,
          line,
          `a client sees only HTTP: use the OpenAPI types, not "${specifier}"`,
        );
    });
  },
};

const importLiteral: Rule = {
  id: "import-literal",
  check(tree, report) {
    for (const file of tree.sources.filter(({ path }) => inSrc(path))) {
      for (const node of nodesOf(file, SyntaxKind.CallExpression)) {
        const [first] = isDynamicImport(node) ? node.arguments : [];
        if (first !== undefined && !isStringLiteral(first))
          report(
            file.path,
            lineOf(file, node),
            "name the module in a string, so it can be checked",
          );
      }
      for (const node of nodesOf(file, SyntaxKind.Identifier)) {
        if (/^(require|createRequire|getBuiltinModule)$/.test(textOf(file, node)))
          report(file.path, lineOf(file, node), "load modules with import, so it can be checked");
      }
    }
  },
};

const importPackage: Rule = {
  id: "import-package",
  check(tree, report) {
    forEachEdge(tree, (file, { target, line, specifier }) => {
      const inSdk = roomOf(file.path) === "sdk";
      if (target !== undefined || (!inSrc(file.path) && !inSdk)) return;
      if (isBuiltin(specifier)) {
        if (inSdk) report(file.path, line, `a browser has no "${specifier}": do without`);
        return;
      }
      const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
      const places = packages[name];
      if (places?.some((place) => file.path.startsWith(place))) return;
      const advice =
        places === undefined
          ? "add it to the packages of tools/tidy-imports.ts with a decision record, or do without"
          : `only ${places.join(", ")} may: ask that room instead`;
      report(file.path, line, `package "${name}" does not belong here; ${advice}`);
    });
  },
};

export const importRules: readonly Rule[] = [
  room,
  importTable,
  importIdle,
  importPath,
  importOutside,
  importLiteral,
  importPackage,
];
