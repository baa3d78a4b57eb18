// The SDK's types, drawn from the OpenAPI document.
// Invariant: a keyword of JSON schema that is not known here ends the run; no type is ever guessed.
type Members = Readonly<Record<string, unknown>>;

const methods = ["get", "post", "patch", "delete"] as const;
const columns = 100;

/** The text of sdk/src/openapi.ts for an OpenAPI document. */
export function typesOf(document: unknown): string {
  const schemas = Object.entries(membersOf(document, "components.schemas"));
  const paths = Object.entries(membersOf(document, "paths"));
  const lines = [
    "// The exchange's OpenAPI document as types, made by `npm run openapi`.",
    "// Invariant: nobody edits this file, and it is not committed.",
    "",
    "/** The records of the exchange, by their names in the document. */",
    "export interface Schemas {",
    ...schemas.flatMap(([name, schema]) => member(1, name, schema, true)),
    "}",
    "",
    "type FileBody = string | Blob | ReadableStream<Uint8Array>;",
    "",
    "interface Refusal {",
    '  content: { "application/json": Schemas["ErrorAnswer"] };',
    "}",
    "",
    "/** Every operation, in the form openapi-fetch reads. */",
    "export interface paths {",
    ...paths.flatMap(([path, item]) => pathLines(path, membersOf(item))),
    "}",
    "",
    "/** Every code of a refusal; docs/reference/errors.md says what each means. */",
    'export type ErrorCode = Schemas["ErrorAnswer"]["code"];',
    "",
    "export const errorCodes: readonly ErrorCode[] = [",
    ...errorCodesOf(document).map((code) => `  ${JSON.stringify(code)},`),
    "];",
    "",
    "/** Writes that take no Idempotency-Key, as `METHOD path`. */",
    "export const writesWithoutKey: readonly string[] = [",
    ...paths.flatMap(([path, item]) => unkeyed(path, membersOf(item))),
    "];",
    "",
  ];
  return lines.join("\n");
}

function pathLines(path: string, item: Members): readonly string[] {
  const known = methods.filter((method) => item[method] !== undefined);
  refuseOthers(item, known, path);
  return [
    `  ${JSON.stringify(path)}: {`,
    ...known.flatMap((method) => operationLines(method, membersOf(item, method))),
    "  };",
  ];
}

function operationLines(method: string, operation: Members): readonly string[] {
  const parameters = itemsOf(operation.parameters).map((one) => membersOf(one));
  const body = operation.requestBody === undefined ? undefined : membersOf(operation.requestBody);
  const answers = Object.entries(membersOf(operation.responses)).filter(([status]) =>
    status.startsWith("2"),
  );
  return [
    ...comment(2, `${operation.summary}. ${operation.description ?? ""}`),
    `    ${method}: {`,
    "      parameters: {",
    ...["query", "header", "path"].flatMap((place) => placeLines(place, parameters)),
    "      };",
    ...(body === undefined
      ? []
      : [
          `      requestBody${body.required === true ? "" : "?"}: {`,
          ...contentLines(4, membersOf(body.content)),
          "      };",
        ]),
    "      responses: {",
    ...answers.flatMap(([status, answer]) => [
      `        ${status}: {`,
      ...contentLines(5, membersOf(answer, "content")),
      "        };",
    ]),
    "        default: Refusal;",
    "      };",
    "    };",
  ];
}

function placeLines(place: string, parameters: readonly Members[]): readonly string[] {
  const own = parameters.filter((one) => one.in === place);
  if (own.length === 0) return [];
  const required = own.some((one) => one.required === true);
  return [
    `        ${place}${required ? "" : "?"}: {`,
    ...own.flatMap(({ name, schema, description, required: must }) =>
      member(5, String(name), { description, ...membersOf(schema) }, must === true),
    ),
    "        };",
  ];
}

const contentLines = (depth: number, content: Members): readonly string[] => [
  `${indent(depth)}content: {`,
  ...Object.entries(content).flatMap(([type, one]) => [
    `${indent(depth + 1)}${JSON.stringify(type)}: ${contentType(type, one, depth + 1)};`,
  ]),
  `${indent(depth)}};`,
];

/** A file goes as bytes, whatever text of it the document could show. */
const contentType = (type: string, one: unknown, depth: number): string =>
  type === "application/json" || type === "text/event-stream"
    ? typeOf(membersOf(one, "schema"), depth)
    : "FileBody";

function unkeyed(path: string, item: Members): readonly string[] {
  return methods
    .filter((method) => method !== "get" && item[method] !== undefined)
    .filter((method) => {
      const parameters = itemsOf(membersOf(item, method).parameters);
      return !parameters.some((one) => membersOf(one).name === "Idempotency-Key");
    })
    .map((method) => `  ${JSON.stringify(`${method.toUpperCase()} ${path}`)},`);
}

const errorCodesOf = (document: unknown): readonly unknown[] =>
  itemsOf(membersOf(document, "components.schemas.ErrorAnswer.properties.code").enum);

/** `name: type;` under its description. */
function member(depth: number, name: string, schema: unknown, required: boolean) {
  const members = membersOf(schema);
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const text = typeof members.description === "string" ? members.description : "";
  const type = typeOf(members, depth);
  return [
    ...comment(depth, text),
    `${indent(depth)}${key}${required ? "" : "?"}:${type.startsWith("\n") ? "" : " "}${type};`,
  ];
}

/** Keywords that narrow a value of the type, or explain it. */
const silent = [
  ...["description", "default", "format", "example", "minimum", "maximum", "minLength"],
  ...["maxLength", "minItems", "maxItems", "uniqueItems", "pattern"],
];

function typeOf(schema: Members, depth: number): string {
  const { $ref, anyOf, const: constant, enum: choices, type } = schema;
  if (typeof $ref === "string") {
    refuseOthers(schema, ["$ref", ...silent], $ref);
    return `Schemas[${JSON.stringify($ref.replace("#/components/schemas/", ""))}]`;
  }
  if (anyOf !== undefined) {
    refuseOthers(schema, ["anyOf", ...silent], "anyOf");
    return union(
      itemsOf(anyOf).map((one) => typeOf(membersOf(one), depth)),
      depth,
    );
  }
  if (constant !== undefined || choices !== undefined) {
    refuseOthers(schema, ["type", "const", "enum", ...silent], "a choice");
    const values = choices === undefined ? [constant] : itemsOf(choices);
    return union(
      values.map((one) => JSON.stringify(one)),
      depth,
    );
  }
  if (type === "object") return objectOf(schema, depth);
  if (type === "array") {
    refuseOthers(schema, ["type", "items", ...silent], "an array");
    const element = typeOf(membersOf(schema, "items"), depth);
    return element.includes("|") ? `(${element})[]` : `${element}[]`;
  }
  refuseOthers(schema, ["type", ...silent], String(type));
  if (type === undefined) return "unknown";
  if (type === "integer") return "number";
  if (["number", "string", "boolean", "null"].includes(String(type))) return String(type);
  throw new Error(`no TypeScript type is known for the type ${JSON.stringify(type)}`);
}

/** On one line where that is short, else one below the other. */
function union(types: readonly string[], depth: number): string {
  const line = types.join(" | ");
  if (line.length < columns / 2 || types.length === 1 || types.some((one) => one.includes("\n")))
    return line;
  return types.map((one) => `\n${indent(depth + 1)}| ${one}`).join("");
}

function objectOf(schema: Members, depth: number): string {
  const { properties, patternProperties, additionalProperties } = schema;
  const known = ["type", "required", "properties", "patternProperties", "additionalProperties"];
  refuseOthers(schema, [...known, ...silent], "an object");
  const required = itemsOf(schema.required);
  const named = properties === undefined ? [] : Object.entries(membersOf(properties));
  const open = [
    ...(patternProperties === undefined ? [] : Object.values(membersOf(patternProperties))),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
  ];
  const lines = [
    ...named.flatMap(([name, one]) => member(depth + 1, name, one, required.includes(name))),
    ...open.map((one) => `${indent(depth + 1)}[name: string]: ${typeOf(membersOf(one), depth)};`),
  ];
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("\n")}\n${indent(depth)}}`;
}

const indent = (depth: number): string => "  ".repeat(depth);

/** Nothing where there is nothing to say; broken where it would be too long for a line. */
function comment(depth: number, text: string): readonly string[] {
  const said = text.replaceAll("*/", "* /").replaceAll(/\s+/g, " ").trim();
  if (said === "") return [];
  const lines: string[] = [];
  for (const word of said.split(" ")) {
    const last = lines.at(-1);
    const room = columns - indent(depth).length - " * ".length;
    if (last === undefined || last.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  const only = `${indent(depth)}/** ${said} */`;
  if (only.length <= columns) return [only];
  const start = indent(depth);
  return [`${start}/**`, ...lines.map((line) => `${start} * ${line}`), `${start} */`];
}

function refuseOthers(holder: Members, known: readonly string[], where: string): void {
  const other = Object.keys(holder).find((name) => !known.includes(name));
  if (other !== undefined)
    throw new Error(`"${other}" at ${where} is not known to tools/sdk-types.ts: teach it`);
}

/** The object at a path of names. */
function membersOf(value: unknown, path?: string): Members {
  let found = value;
  for (const name of path?.split(".") ?? []) found = isMembers(found) ? found[name] : undefined;
  if (isMembers(found)) return found;
  throw new Error(
    `the document has no object at ${path ?? "this place"}: ${JSON.stringify(found)}`,
  );
}

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null;

const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
