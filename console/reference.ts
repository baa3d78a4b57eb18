// The reference as the console shows it: the OpenAPI document, an operation at a time, by task.
// Invariant: every operation of the document belongs to one task; the build fails where one has
// none.
import { readFileSync } from "node:fs";
import type { Contents, Field, Operation, Parameter } from "./src/screens/docs/contents.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Content>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The first line that an operation's path fits is its task. */
const tasks: readonly (readonly [path: RegExp, title: string])[] = [
  [/^\/api\/admin\/|^\/api\/dev\//, "Operate an exchange"],
  [/^\/api\/geo/, "Find a place"],
  [/^\/api\/(?:index|overview|calendar|releases|history)/, "Read an index and its releases"],
  [/^\/api\/(?:quotes|model)/, "Price protection"],
  [/^\/api\/trading\/acceptances/, "Accept a quote and pay its premium"],
  [/^\/api\/trading\/rfqs/, "Ask for firm quotes of many legs"],
  [/^\/api\/trading\/(?:mandates|quotes|protection|cancel-after)/, "Make markets"],
  [/^\/api\/trading\/(?:orders|fills)/, "Place, change and cancel orders"],
  [/^\/api\/trading\/(?:auctions|marks)/, "Bid for positions in default, and mark"],
  [/stream(?:$|\/)|^\/api\/trading\/webhooks/, "Follow events as they happen"],
  [/^\/api\/trading\/keys|^\/api\/kyc/, "Keys and KYC"],
  [/^\/api\/(?:markets|books)|^\/api\/trading\/certificates/, "Markets, books and resolutions"],
  [/^\/api\/(?:trading|liquidity)\//, "See what an account holds and owes"],
  [/^\/api\/(?:audit|checkpoint|log)/, "Check the record"],
  [/^\/api\/(?:status|health|limits|time|risk)/, "State, time, limits and risk"],
];

/** As they are listed. */
const order = [
  "Find a place",
  "Read an index and its releases",
  "Price protection",
  "Accept a quote and pay its premium",
  "Place, change and cancel orders",
  "Ask for firm quotes of many legs",
  "Make markets",
  "Follow events as they happen",
  "See what an account holds and owes",
  "Markets, books and resolutions",
  "Keys and KYC",
  "Check the record",
  "State, time, limits and risk",
  "Bid for positions in default, and mark",
  "Operate an exchange",
];

interface Reference {
  readonly tasks: readonly {
    readonly title: string;
    readonly operations: readonly Operation[];
  }[];
  readonly taken: Contents["taken"];
}

export function referenceOf(file: string): Reference {
  const document: Document = JSON.parse(readFileSync(file, "utf8"));
  const reader = new Reader(document.components.schemas);
  const byTask = new Map<string, Operation[]>(order.map((title) => [title, []]));
  for (const [path, methods] of Object.entries(document.paths)) {
    const task = tasks.find(([fits]) => fits.test(path))?.[1] ?? "";
    const operations = byTask.get(task);
    if (operations === undefined) throw new Error(`${path} belongs to no task`);
    for (const [method, described] of Object.entries(methods))
      operations.push(reader.operation(method.toUpperCase(), path, described));
  }
  return {
    tasks: [...byTask].map(([title, operations]) => ({ title, operations })),
    taken: takenOf([...byTask.values()].flat()),
  };
}

/** The answers of two operations tell when all the examples were taken. */
function takenOf(operations: readonly Operation[]): Contents["taken"] {
  const text = (id: string): string =>
    JSON.stringify(operations.find((one) => one.id === id)?.answer.example);
  const [, seconds] = /"unixSeconds":(\d+)/.exec(text("getTime")) ?? [];
  const [, month] = /"asOfMonth":"(\d{4}-\d{2})"/.exec(text("getIndexValue")) ?? [];
  if (seconds === undefined || month === undefined) throw new Error("the examples have no time");
  return { unixSeconds: Number(seconds), month };
}

/** Fields within fields are told so far down. */
const DEPTH = 3;

class Reader {
  readonly #schemas: Readonly<Record<string, Schema>>;

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas;
  }

  operation(method: string, path: string, described: Described): Operation {
    const { operationId: id, summary, description: words, security, requestBody } = described;
    const [bodyType, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    const done = Object.entries(described.responses).find(([status]) => status.startsWith("2"));
    const [answerType = "", answer] = Object.entries(done?.[1].content ?? {})[0] ?? [];
    return {
      ...{ id, method, path, summary, words },
      needsKey: security.every((one) => Object.keys(one).length > 0),
      parameters: (described.parameters ?? []).map(
        (one): Parameter => ({
          ...this.#field(one.name, one.schema, one.required, one.description),
          place: one.in,
          example: one.example === undefined ? "" : String(one.example),
        }),
      ),
      ...(bodyType === undefined || body === undefined
        ? {}
        : { body: { type: bodyType, ...this.#shown(body) } }),
      answer: { type: answerType, ...(answer === undefined ? nothing : this.#shown(answer)) },
      refusals: Object.entries(described.responses).flatMap(([status, { $ref }]) => {
        const codes = $ref?.split("/").at(-1)?.split("-");
        return codes === undefined ? [] : [{ status, codes }];
      }),
    };
  }

  #shown({ schema, example, examples }: Content) {
    const shown = example ?? Object.values(examples ?? {})[0]?.value ?? null;
    return { example: shown, fields: this.#fields(schema, "", DEPTH) };
  }

  #resolved(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1);
    const found = name === undefined ? schema : this.#schemas[name];
    if (found === undefined) throw new Error(`${schema.$ref} is nowhere`);
    return found;
  }

  #fields(schema: Schema, before: string, depth: number): readonly Field[] {
    const whole = this.#objectOf(schema);
    const required = new Set(whole.required);
    return Object.entries(whole.properties ?? {}).flatMap(([name, property]) => {
      const isEnvelope = before === "" && (name === "data" || name === "success");
      if (isEnvelope && name === "success") return [];
      const path = isEnvelope ? "" : `${before}${name}`;
      const inner = this.#objectOf(property);
      const isList = this.#resolved(property).type === "array";
      const within =
        depth === 0 || inner.properties === undefined
          ? []
          : this.#fields(inner, path === "" ? " " : `${path}${isList ? "[]" : ""}.`, depth - 1);
      if (isEnvelope && within.length > 0) return within;
      const shown = isEnvelope ? name : path.trim();
      return [this.#field(shown, property, required.has(name), property.description), ...within];
    });
  }

  /** Of an object itself, of a list its items, of what may be null what it is otherwise. */
  #objectOf(schema: Schema): Schema {
    const found = this.#resolved(schema);
    if (found.items !== undefined) return this.#objectOf(found.items);
    const [only] = (found.anyOf ?? []).filter((one) => one.type !== "null");
    return only === undefined ? found : this.#objectOf(only);
  }

  #field(name: string, schema: Schema, isRequired: boolean, words = ""): Field {
    return { name, type: this.#typeOf(schema), isRequired, words };
  }

  #typeOf(schema: Schema): string {
    const { type, enum: values, const: only, anyOf, items } = this.#resolved(schema);
    if (values !== undefined) return values.map(String).join(" | ");
    if (only !== undefined) return String(only);
    if (anyOf !== undefined) return [...new Set(anyOf.map((one) => this.#typeOf(one)))].join(" | ");
    if (items !== undefined) return `list of ${this.#typeOf(items)}`;
    return type ?? "any";
  }
}

const nothing = { example: null, fields: [] };
