// Describes the faults of a body or query, one line a field: the schema's findings in plain words.
// Invariant: one fault a field, in the order of the findings; values sent are never echoed.
import type { TObject } from "typebox";
import type { FieldFault } from "./errors.ts";

/** One finding of a schema's check. */
interface Finding {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** As many as help; a body of a thousand mistakes is not answered with a thousand lines. */
export const MOST_FAULTS = 20;

export function faultsOf(findings: Iterable<Finding>, schema: TObject): readonly FieldFault[] {
  const faults = new Map<string, string>();
  for (const finding of findings) {
    for (const { field, message } of inWords(finding, schema)) {
      if (!faults.has(field)) faults.set(field, message);
    }
    if (faults.size >= MOST_FAULTS) break;
  }
  return [...faults].map(([field, message]) => ({ field, message }));
}

/** `["orders", "3", "price"]` → `orders[3].price`. */
export const fieldName = (path: readonly string[]): string =>
  path
    .map(shownName)
    .reduce(
      (name, step) =>
        /^[0-9]+$/.test(step) ? `${name}[${step}]` : name === "" ? step : `${name}.${step}`,
      "",
    );

/** A name longer than any of ours may be a secret in the wrong place: too little of it to use. */
export const shownName = (name: string): string =>
  name.length <= LONGEST_NAME ? name : `${name.slice(0, SHOWN_OF_LONGER)}…`;

const LONGEST_NAME = 24;
const SHOWN_OF_LONGER = 7;

function inWords(finding: Finding, schema: TObject): readonly FieldFault[] {
  const path = steps(finding.instancePath);
  const at = (name: string): string => fieldName([...path, name]);
  switch (finding.keyword) {
    case "required":
      return names(finding.params, "requiredProperties").map((name) => ({
        field: at(name),
        message: expectation([...path, name], schema) ?? "is required",
      }));
    case "additionalProperties":
      return names(finding.params, "additionalProperties").map((name) => ({
        field: at(name),
        message: "is not a field of this request",
      }));
    case "boolean":
      // The finding on the stranger itself; the one on its holder names it better.
      return [];
    default:
      return [
        {
          field: fieldName(path),
          message: expectation(path, schema) ?? plainMessage(finding),
        },
      ];
  }
}

function plainMessage({ keyword, params, message }: Finding): string {
  if (keyword !== "enum") return message;
  return `must be one of ${names(params, "allowedValues").join(", ")}`;
}

/** `must be …` from the schema's own description of the member, where it has one. */
function expectation(path: readonly string[], schema: TObject): string | undefined {
  let at: unknown = schema;
  for (const step of path) at = member(at, step);
  const description = property(at, "description");
  return typeof description === "string" ? `must be ${description}` : undefined;
}

const member = (schema: unknown, step: string): unknown =>
  /^[0-9]+$/.test(step)
    ? property(schema, "items")
    : property(property(schema, "properties"), step);

const property = (holder: unknown, name: string): unknown =>
  typeof holder === "object" && holder !== null && Object.hasOwn(holder, name)
    ? Object.getOwnPropertyDescriptor(holder, name)?.value
    : undefined;

const steps = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

function names(params: object, name: string): readonly string[] {
  const list = property(params, name);
  return Array.isArray(list) ? list.map(String) : [];
}
