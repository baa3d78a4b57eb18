// The purity rules: no clock, chance, environment, waiting or locale in the pure rooms, and only
// integer arithmetic where money is decided.
// Invariant: a banned name is found wherever it stands for the global, also as a type or a local
// variable; a property or an object key of the same name is not the global and is left alone.
import { isBuiltin } from "node:module";
import {
  isBigIntLiteral,
  isBinaryExpression,
  isBindingElement,
  isElementAccessExpression,
  isExportSpecifier,
  isIdentifier,
  isLabeledStatement,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isObjectBindingPattern,
  isPropertyAccessExpression,
  isQualifiedName,
  isStringLiteral,
  isTemplateExpression,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { type Edge, edgesOf, roomOf } from "./tidy-imports.ts";
import { lineOf, nodesOf, type Report, type Rule, type SourceFile, textOf } from "./tidy-tree.ts";

const pureRooms = ["base", "contract", "prints", "geo", "core", "pricing", "views", "quoting"];
const integerRooms = ["base", "contract", "core"];
const wholeRooms = ["contract", "core"];
const shownRooms = ["prints", "geo", "views"];

/** Looks for one banned construct in one file. */
type Check = (file: SourceFile, say: (node: Node, message: string) => void) => void;

const inRooms = (id: string, names: readonly string[], checks: readonly Check[]): Rule => ({
  id,
  check(tree, report) {
    for (const file of tree.sources) {
      const room = roomOf(file.path);
      if (room === undefined || !names.includes(room)) continue;
      for (const check of checks) check(file, sayTo(report, file));
    }
  },
});

const sayTo = (report: Report, file: SourceFile) => (node: Node, message: string) =>
  report(file.path, lineOf(file, node), message);

/** Every use of a global name, whatever for; `unless` lets the harmless uses pass. */
function globals(
  names: readonly string[],
  advice: string,
  unless: (node: Node) => boolean = () => false,
): Check {
  const mentioned = new RegExp(`\\b(${names.join("|")})\\b`);
  return (file, say) => {
    if (!mentioned.test(file.text)) return;
    for (const node of nodesOf(file, SyntaxKind.Identifier)) {
      const name = textOf(file, node);
      if (names.includes(name) && standsForItself(node) && !unless(node))
        say(node, `${name}: ${advice}`);
    }
  };
}

/** False for the name of a property, key, label or export: such a name is not the global. */
function standsForItself(node: Node): boolean {
  const { parent } = node;
  if (isPropertyAccessExpression(parent)) return parent.expression === node;
  if (isQualifiedName(parent)) return parent.left === node;
  if (isLabeledStatement(parent) || isExportSpecifier(parent)) return false;
  const isName = "name" in parent && parent.name === node;
  const isPropertyName = "propertyName" in parent && parent.propertyName === node;
  return !isPropertyName && !(isName && keyKinds.has(parent.kind));
}

const keyKinds = new Set([
  SyntaxKind.PropertyAssignment,
  SyntaxKind.PropertySignature,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
  SyntaxKind.NamedTupleMember,
]);

/** `x.name`, `x?.name` and `x["name"]`: the name read from something, and that something. */
function memberOf(node: Node): { readonly of: Node; readonly name: string } | undefined {
  if (isPropertyAccessExpression(node)) return { of: node.expression, name: node.name.text };
  if (!isElementAccessExpression(node)) return undefined;
  const { argumentExpression: key, expression: of } = node;
  const isNamed = isStringLiteral(key) || isNoSubstitutionTemplateLiteral(key);
  return isNamed ? { of, name: key.text } : undefined;
}

/** The `name` of `const { name } = x`, `const { name: own } = x` and `({ name }) => …`. */
function takenOf(node: Node): string | undefined {
  if (!isBindingElement(node) || !isObjectBindingPattern(node.parent)) return undefined;
  const key = node.propertyName ?? node.name;
  if (key === undefined) return undefined;
  return isIdentifier(key) || isStringLiteral(key) ? key.text : undefined;
}

const readings = [
  SyntaxKind.PropertyAccessExpression,
  SyntaxKind.ElementAccessExpression,
  SyntaxKind.BindingElement,
];

function members(pattern: RegExp, advice: string): Check {
  return (file, say) => {
    for (const node of readings.flatMap((kind) => nodesOf(file, kind))) {
      const name = memberOf(node)?.name ?? takenOf(node);
      if (name !== undefined && pattern.test(name)) say(node, `${name}: ${advice}`);
    }
  };
}

/** True where the only thing done with the global is to read one of these members. */
const onlyReads =
  (isAllowed: (name: string) => boolean) =>
  (node: Node): boolean => {
    const member = memberOf(node.parent);
    return member !== undefined && member.of === node && isAllowed(member.name);
  };

function syntax(kinds: readonly SyntaxKind[], message: string): Check {
  return (file, say) => {
    for (const kind of kinds) for (const node of nodesOf(file, kind)) say(node, message);
  };
}

const pureNode: Rule = {
  id: "pure-node",
  check(tree, report) {
    for (const file of tree.sources) {
      if (!pureRooms.includes(roomOf(file.path) ?? "")) continue;
      for (const edge of edgesOf(file)) {
        if (edge.target !== undefined || !isBuiltin(edge.specifier)) continue;
        if (file.path === "src/base/digest.ts" && isDigest(edge)) continue;
        const advice = "a pure room imports nothing of Node; pass it in";
        report(file.path, edge.line, `"${edge.specifier}": ${advice}`);
      }
    }
  },
};

/** SHA-256 is a pure function of its bytes, and cryptography is never written by hand. */
const isDigest = ({ specifier, names }: Edge): boolean =>
  specifier === "node:crypto" &&
  names !== "all" &&
  names.every((name) => name === "createHash" || name === "hash");

const timeInCommand = "time enters a pure room as an argument, inside the command";

/** Of Date only what is the same always; what depends on where it is, is left to `localDate`. */
function isTimelessDate(node: Node): boolean {
  const { parent } = node;
  if (isNewExpression(parent) && parent.expression === node)
    return (parent.arguments?.length ?? 0) > 0;
  if (isBinaryExpression(parent)) return parent.operatorToken.kind === SyntaxKind.InstanceOfKeyword;
  return parent.kind === SyntaxKind.TypeReference || readsTimeless(node);
}

const readsTimeless = onlyReads((name) => name === "UTC" || name === "parse");
const readsCertain = onlyReads((name) => name !== "random");
/** Reading `pow` is judged here; any other use of Math is left to pure-random. */
const noPower = (node: Node): boolean => memberOf(node.parent)?.name !== "pow";

const localTime =
  /^[gs]et((Full)?Year|Month|Date|Day|Hours|Minutes|(Millis|S)econds|TimezoneOffset)$/;
const localText = /^to(Date|Time)String$/;

const isText = (node: Node): boolean =>
  isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isTemplateExpression(node);

/** A date of parts or of a text: both are of the machine's time zone unless the text says one. */
const localDate: Check = (file, say) => {
  for (const node of nodesOf(file, SyntaxKind.NewExpression)) {
    if (!isNewExpression(node) || !isIdentifier(node.expression)) continue;
    const [first, ...more] = node.arguments ?? [];
    if (node.expression.text !== "Date" || first === undefined) continue;
    if (more.length > 0)
      say(node, "new Date(year, month, …) reads the machine's time zone: use Date.UTC");
    else if (isText(first))
      say(node, "new Date(text) may read the machine's time zone: use Date.UTC");
  }
  for (const node of nodesOf(file, SyntaxKind.Identifier)) {
    if (textOf(file, node) !== "Date" || !standsForItself(node)) continue;
    const member = memberOf(node.parent);
    if (member?.of === node && member.name === "parse")
      say(node, "Date.parse may read the machine's time zone: take the digits apart");
  }
};

/** Members of Math that are exact; `random` is left to pure-random, so that it is reported once. */
const wholeMath = new Set([
  "random",
  "min",
  "max",
  "floor",
  "ceil",
  "trunc",
  "round",
  "abs",
  "sign",
  "imul",
]);
const exact = "differs between Node versions; use integers and rounding.ts, or compute in pricing";

const asPower = "is not the same in every Node: write Math.exp(y * Math.log(x))";

/**
 * `**` where it is exact: of a bigint, of 2, or to a small whole number. Math.pow is the one
 * function of Math that two Nodes were seen to compute differently (20 and 24, 9 % of inputs).
 */
const powers: Check = (file, say) => {
  for (const node of nodesOf(file, SyntaxKind.BinaryExpression)) {
    if (!isBinaryExpression(node)) continue;
    const { left, right, operatorToken } = node;
    const isPower =
      operatorToken.kind === SyntaxKind.AsteriskAsteriskToken ||
      operatorToken.kind === SyntaxKind.AsteriskAsteriskEqualsToken;
    const isWhole = isNumericLiteral(right) && /^[0-3]$/.test(right.text);
    const isOfTwo = isNumericLiteral(left) && left.text === "2";
    if (isPower && !isWhole && !isOfTwo && !isBigIntLiteral(left)) say(node, `** ${asPower}`);
  }
};

const fractions: Check = (file, say) => {
  for (const node of nodesOf(file, SyntaxKind.NumericLiteral)) {
    const text = textOf(file, node);
    if (text.includes(".") || !Number.isInteger(Number(text.replaceAll("_", ""))))
      say(node, `${text} is a fraction: count in micros, ticks, lots or basis points`);
  }
};

/**
 * `process` may be used for its streams and signals; its `env` is read where things are wired.
 * The pure rooms, which may not use `process` at all, are left to pure-environment.
 */
const environment: Rule = {
  id: "environment",
  check(tree, report) {
    for (const file of tree.sources) {
      if (pureRooms.includes(roomOf(file.path) ?? "")) continue;
      if (/^src\/((main|verify|backup|secret|schema|archive)\.ts|cli\/)/.test(file.path)) continue;
      readsEnvironment(file, sayTo(report, file));
      for (const { specifier, line } of edgesOf(file)) {
        if (specifier === "process" || specifier === "node:process")
          report(file.path, line, `use the global process, not "${specifier}"`);
      }
    }
  },
};

const readsEnvironment = globals(
  ["process"],
  "read the environment in src/main.ts and pass the setting in",
  onlyReads((name) => name !== "env"),
);

export const purityRules: readonly Rule[] = [
  pureNode,
  inRooms("pure-clock", pureRooms, [
    globals(["Date"], timeInCommand, isTimelessDate),
    globals(["performance", "Temporal"], timeInCommand),
  ]),
  inRooms("pure-random", pureRooms, [
    globals(["Math"], "chance and ids enter inside the command", readsCertain),
    globals(
      ["crypto"],
      "chance and ids enter inside the command; hashes come from #base/digest.ts",
    ),
  ]),
  inRooms("pure-environment", pureRooms, [
    globals(
      ["process", "globalThis", "global", "console", "fetch", "navigator", "localStorage"],
      "a pure room sees only its arguments; do this in src/main.ts, engine or http",
    ),
    globals(["eval", "Function"], "code made of text cannot be checked; write it down"),
    members(/^(stack|captureStackTrace)$/, "where code lies is not the same everywhere"),
    syntax([SyntaxKind.MetaProperty], "import.meta: a pure room does not know where it lies"),
  ]),
  inRooms("pure-async", pureRooms, [
    globals(
      ["Promise", "PromiseLike", "AsyncIterable", "AsyncIterator", "AsyncGenerator"],
      "a pure room never waits; return plain data",
    ),
    globals(
      ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"],
      "a pure room never waits; the engine calls it when it is due",
    ),
    syntax([SyntaxKind.AsyncKeyword], "async: a pure room never waits; return plain data"),
    syntax(
      [SyntaxKind.AwaitExpression, SyntaxKind.AwaitKeyword],
      "await: a pure room never waits; take what was awaited as an argument",
    ),
  ]),
  inRooms("pure-memory", pureRooms, [
    globals(
      ["WeakRef", "FinalizationRegistry"],
      "when memory is collected is not the same twice; forget things by a rule",
    ),
    globals(["Atomics", "SharedArrayBuffer"], "a pure room shares nothing with other threads"),
  ]),
  inRooms("pure-locale", pureRooms, [
    globals(["Intl"], "depends on the machine's locale; format at the edge"),
    members(/^toLocale|^localeCompare$/, "depends on the machine's locale; compare code units"),
    members(localTime, "reads the machine's time zone; use the UTC form"),
    members(localText, "is of the machine's time zone; use toISOString"),
    localDate,
  ]),
  inRooms("core-arithmetic", integerRooms, [
    syntax(
      [SyntaxKind.AsteriskAsteriskToken, SyntaxKind.AsteriskAsteriskEqualsToken],
      `** ${exact}`,
    ),
    globals(
      ["Math"],
      exact,
      onlyReads((name) => wholeMath.has(name)),
    ),
    globals(["parseFloat"], "read numbers with parseDecimal of #base/decimal.ts"),
    members(/^parseFloat$/, "read numbers with parseDecimal of #base/decimal.ts"),
    globals(["Float16Array", "Float32Array", "Float64Array"], "count in whole numbers"),
    members(/^([gs]etFloat\d+|EPSILON|MIN_VALUE)$/, "count in whole numbers"),
  ]),
  inRooms("shown-arithmetic", shownRooms, [
    globals(
      ["Math"],
      exact,
      onlyReads((name) => wholeMath.has(name)),
    ),
    powers,
  ]),
  inRooms("pricing-power", ["pricing"], [powers, globals(["Math"], `pow ${asPower}`, noPower)]),
  inRooms("core-fraction", wholeRooms, [fractions]),
  environment,
];
