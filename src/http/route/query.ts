// The query string, read strictly: each name once, decoded once, numbers by one grammar.
// Invariant: text becomes a number or a boolean only where the schema asks for one, exactly.
import type { TObject } from "typebox";
import { holdsKey } from "../server/key-codec.ts";
import { type FieldFault, keyInPlace } from "./errors.ts";
import { MOST_FAULTS, shownName } from "./faults.ts";

type QueryValue = string | number | boolean;

interface ReadQuery {
  readonly value: Readonly<Record<string, QueryValue>>;
  /** Faults no schema can find in the text: at most one for each name. */
  readonly faults: readonly FieldFault[];
}

const noFaults: readonly FieldFault[] = [];

/** The members; a number that is not written as one stays text, for the schema to refuse. */
export function readQuery(text: string, schema: TObject): ReadQuery {
  const value: Record<string, QueryValue> = {};
  if (text === "") return { value, faults: noFaults };
  const faults = new Map<string, string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const cut = pair.indexOf("=");
    const name = decoded(cut < 0 ? pair : pair.slice(0, cut));
    const member = decoded(cut < 0 ? "" : pair.slice(cut + 1));
    const fault = faultOf(name, member, value, schema);
    const field = shownName(name ?? "query");
    if (fault !== undefined && !faults.has(field) && faults.size < MOST_FAULTS) {
      faults.set(field, fault);
    }
    if (name === undefined || member === undefined || !isDeclared(name, schema)) continue;
    value[name] = typed(member, typeOf(schema.properties[name]));
  }
  return { value, faults: [...faults].map(([field, message]) => ({ field, message })) };
}

function faultOf(
  name: string | undefined,
  member: string | undefined,
  before: Readonly<Record<string, QueryValue>>,
  schema: TObject,
): string | undefined {
  if (name === undefined || member === undefined) return "has a broken percent-encoding";
  if (!isDeclared(name, schema)) {
    const known = Object.keys(schema.properties).join(", ");
    return `is no parameter here${known === "" ? "" : `; known: ${known}`}`;
  }
  if (holdsKey(member)) return keyInPlace;
  return Object.hasOwn(before, name) ? "is given twice" : undefined;
}

const isDeclared = (name: string, schema: TObject): boolean =>
  Object.hasOwn(schema.properties, name);

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const typeOf = (schema: object | undefined): unknown =>
  schema !== undefined && "type" in schema ? schema.type : undefined;

function typed(text: string, type: unknown): QueryValue {
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const pattern = type === "integer" ? wholeNumber : type === "number" ? plainNumber : undefined;
  if (pattern === undefined || text.length > 32 || !pattern.test(text)) return text;
  const value = Number(text);
  return Object.is(value, -0) ? text : value;
}

const wholeNumber = /^-?(?:0|[1-9][0-9]*)$/;
const plainNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
