// The query string, read strictly: each name once, decoded once, numbers by one grammar.
// Invariant: text becomes a number or a boolean only where the schema asks for one, exactly.
import type { TObject } from "typebox";
import { type FieldFault, keyInPlace } from "./errors.ts";
import { shownName } from "./faults.ts";
import { holdsKey } from "./key-codec.ts";

type QueryValue = string | number | boolean;

/** The members; a number that is not written as one stays text, for the schema to refuse. */
export function readQuery(
  text: string,
  schema: TObject,
): { readonly value: Record<string, QueryValue> } | { readonly fault: FieldFault } {
  const value: Record<string, QueryValue> = {};
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const cut = pair.indexOf("=");
    const name = decoded(cut < 0 ? pair : pair.slice(0, cut));
    const member = decoded(cut < 0 ? "" : pair.slice(cut + 1));
    if (name === undefined || member === undefined) {
      return {
        fault: { field: shownName(name ?? "query"), message: "has a broken percent-encoding" },
      };
    }
    const declared = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (declared === undefined) {
      const known = Object.keys(schema.properties).join(", ");
      const message = `is no parameter here${known === "" ? "" : `; known: ${known}`}`;
      return { fault: { field: shownName(name), message } };
    }
    if (holdsKey(member)) return { fault: { field: name, message: keyInPlace } };
    if (Object.hasOwn(value, name)) return { fault: { field: name, message: "is given twice" } };
    value[name] = typed(member, typeOf(declared));
  }
  return { value };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const typeOf = (schema: object): unknown => ("type" in schema ? schema.type : undefined);

function typed(text: string, type: unknown): QueryValue {
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const pattern = type === "integer" ? wholeNumber : type === "number" ? plainNumber : undefined;
  if (pattern === undefined || text.length > 32 || !pattern.test(text)) return text;
  const value = Number(text);
  return Object.is(value, -0) ? text : value;
}

const wholeNumber = /^-?(?:0|[1-9][0-9]*)$/;
const plainNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
