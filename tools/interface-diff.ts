// `npm run interface-diff [-- <commit>] [--exit-code]`: how the interface of the working tree
// differs from that of a commit, HEAD unless one is named. With --exit-code a difference ends it
// with 1.
// Invariant: only what a program meets is compared; descriptions and examples are not.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

type Members = Readonly<Record<string, unknown>>;
/** The truths about an operation or a record, each under a name. */
type Facts = Map<string, string>;

/** Words about a schema, and those whose meaning the walk itself tells. */
const untold: ReadonlySet<string> = new Set([
  ...["description", "title", "example", "examples", "default"],
  ...["type", "properties", "patternProperties", "required", "items", "anyOf"],
  ...["$ref", "enum", "const"],
]);

/** A line for each difference between two OpenAPI documents; none where there is none. */
export function differencesOf(before: unknown, after: unknown): readonly string[] {
  const [old, now] = [interfaceOf(before), interfaceOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    if (was === undefined) return [`+ ${name}`];
    if (is === undefined) return [`- ${name}`];
    const changes = changesOf(was, is);
    return changes.length === 0 ? [] : [`~ ${name}`, ...changes];
  });
}

function changesOf(was: Facts, is: Facts): readonly string[] {
  const names = [...new Set([...was.keys(), ...is.keys()])].sort();
  return names.flatMap((name) => {
    const [old, now] = [was.get(name), is.get(name)];
    if (old === now) return [];
    if (old === undefined) return [`    + ${name}${now === "" ? "" : `: ${now}`}`];
    if (now === undefined) return [`    - ${name}`];
    return [`    ~ ${name}: ${now}, was ${old}`];
  });
}

/** The facts of each operation, and of each record that operations share, by its name. */
function interfaceOf(document: unknown): ReadonlyMap<string, Facts> {
  const found = new Map<string, Facts>();
  for (const [path, methods] of membersAt(document, "paths")) {
    for (const [method, operation] of membersAt(methods)) {
      found.set(`${method.toUpperCase()} ${path}`, operationFacts(operation, document));
    }
  }
  for (const [name, schema] of membersAt(document, "components", "schemas")) {
    const facts: Facts = new Map();
    addSchema(facts, name, schema, "");
    found.set(`record ${name}`, facts);
  }
  return found;
}

function operationFacts(operation: unknown, document: unknown): Facts {
  const {
    security,
    "x-rate-cost": cost,
    operationId,
    parameters,
    requestBody,
  } = members(operation);
  const facts: Facts = new Map([
    ["access", JSON.stringify(security)],
    ["cost", String(cost)],
    ["operationId", String(operationId)],
  ]);
  for (const parameter of Array.isArray(parameters) ? parameters : []) {
    const { name, in: place, required, schema } = members(parameter);
    addSchema(facts, `parameter ${name} in ${place}`, schema, required === true ? "" : "optional ");
  }
  if (requestBody !== undefined) {
    const presence = members(requestBody).required === true ? "" : "optional ";
    addContents(facts, "body", requestBody, presence);
  }
  for (const [status, response] of membersAt(operation, "responses")) {
    const answer = followed(response, document);
    const codes = members(answer)["x-error-codes"];
    facts.set(`status ${status}`, "");
    for (const [header] of membersAt(answer, "headers"))
      facts.set(`header ${status} ${header}`, "");
    if (!Array.isArray(codes)) addContents(facts, status, answer, "");
    else for (const code of codes) facts.set(`refusal ${status} ${String(code)}`, "");
  }
  return facts;
}

function addContents(facts: Facts, name: string, holder: unknown, presence: string): void {
  for (const [type, content] of membersAt(holder, "content")) {
    const label = type === "application/json" ? name : `${name} (${type})`;
    addSchema(facts, label, members(content).schema, presence);
  }
}

/** Tells of a value and of all that is in it; a shared record is told of under its own name. */
function addSchema(facts: Facts, name: string, schema: unknown, presence: string): void {
  const { properties, required, items, anyOf, patternProperties, enum: words } = members(schema);
  const choices = Array.isArray(anyOf) ? anyOf.filter(hasParts) : [];
  for (const [at, choice] of choices.entries()) {
    addSchema(facts, choices.length === 1 ? name : `${name}(${at + 1})`, choice, "");
  }
  facts.set(name, `${presence}${kindOf(schema)}`);
  for (const word of Array.isArray(words) ? words : []) facts.set(`${name} = ${word}`, "");
  if (items !== undefined) addSchema(facts, `${name}[]`, items, "");
  const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
  for (const [member, inner] of membersAt(properties)) {
    addSchema(facts, `${name}.${member}`, inner, needed.has(member) ? "" : "optional ");
  }
  for (const [, inner] of membersAt(patternProperties)) addSchema(facts, `${name}.*`, inner, "");
}

const hasParts = (schema: unknown): boolean =>
  ["properties", "items", "enum", "patternProperties"].some((part) => part in members(schema));

/** "number, minimum 0", "object | null" or the name of a record. */
function kindOf(schema: unknown): string {
  const { $ref, anyOf, enum: choices, const: constant, type } = members(schema);
  const kind =
    typeof $ref === "string"
      ? $ref.slice($ref.lastIndexOf("/") + 1)
      : Array.isArray(anyOf)
        ? anyOf.map(kindOf).join(" | ")
        : Array.isArray(choices)
          ? "one of these"
          : String(constant ?? type ?? "anything");
  const limits = Object.entries(members(schema))
    .filter(([name]) => !untold.has(name))
    .map(([name, value]) => `, ${name} ${JSON.stringify(value)}`);
  return [kind, ...limits].join("");
}

/** The shared answer that a reference names. */
function followed(response: unknown, document: unknown): unknown {
  const { $ref } = members(response);
  if (typeof $ref !== "string") return response;
  const steps = $ref.slice("#/".length).split("/");
  return steps.reduce((holder, name) => members(holder)[name], document);
}

const members = (value: unknown): Members =>
  typeof value === "object" && value !== null ? { ...value } : {};

const membersAt = (value: unknown, ...path: readonly string[]) =>
  Object.entries(members(path.reduce((holder, name) => members(holder)[name], value)));

const checkout = fileURLToPath(new URL("../", import.meta.url));

/** Made by the sources of the folder, in a process of its own. */
function documentIn(folder: string): unknown {
  execFileSync(process.execPath, ["tools/openapi.ts"], { cwd: folder, stdio: "inherit" });
  return JSON.parse(readFileSync(join(folder, "sdk/openapi.json"), "utf8"));
}

/** With the dependencies of the working tree. */
function documentAt(commit: string): unknown {
  const folder = mkdtempSync(join(tmpdir(), "firstprint-interface-"));
  try {
    const archive = join(folder, "sources.tar");
    const paths = ["package.json", "src", "sdk", "tools"];
    const options = { cwd: checkout, stdio: "inherit" } as const;
    execFileSync("git", ["archive", "--output", archive, commit, ...paths], options);
    execFileSync("tar", ["-xf", archive, "-C", folder], options);
    symlinkSync(join(checkout, "node_modules"), join(folder, "node_modules"));
    return documentIn(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  const commit = words.find((word) => !word.startsWith("-")) ?? "HEAD";
  const lines = differencesOf(documentAt(commit), documentIn(checkout));
  console.log(
    lines.length === 0
      ? `The interface is that of ${commit}.`
      : `The interface of ${commit} has changed:\n${lines.join("\n")}`,
  );
  if (lines.length > 0 && words.includes("--exit-code")) process.exitCode = 1;
}
