// The coercion family and the content-type family: what a lenient server would take for something
// it was not sent as, and what therefore has to be refused.
// Invariant: what is given as refused is none of what the reference says the operation takes.
import { at, type Json } from "#test/support/exchange.ts";
import { type Draw, pick } from "./hostile-values.ts";

/** JSON of the same meaning in another type, or of the same type in a way that is not taken. */
function coercedTokens(value: Json): readonly string[] {
  const text = JSON.stringify(value);
  const wrapped = [`[${text}]`, `{"value":${text}}`, `[[${text}]]`, JSON.stringify(text), "null"];
  switch (typeof value) {
    case "number":
      return [
        ...wrapped,
        ...[`"${text}"`, `" ${text}"`, `"${text} "`, `"+${text}"`, `"0${text}"`, `"0x10"`],
        ...[
          `${text}e0`,
          `${text}E+0`,
          `${value === 0 ? "" : text}0e-1`,
          "-0",
          "true",
          "false",
          `"${text}.0"`,
          '""',
        ],
      ];
    case "boolean":
      return [
        ...wrapped,
        `"${text}"`,
        value ? "1" : "0",
        value ? '"1"' : '"0"',
        '"yes"',
        "[]",
        "{}",
      ];
    case "string":
      return [
        ...wrapped,
        ...(/^-?[0-9.]+$/.test(value) ? [value, `"${value}e0"`, `" ${value}"`, `"+${value}"`] : []),
        ...["true", "0", "1e3", "{}", "[]", JSON.stringify([...value])],
      ];
    default:
      return [
        ...wrapped,
        '"[object Object]"',
        '""',
        "0",
        "true",
        Array.isArray(value) ? "{}" : "[]",
      ];
  }
}

const isHolder = (value: Json): value is object => typeof value === "object" && value !== null;

/** `value` with `mark` for one of its members, at any depth, and the token that belongs there. */
export function coerced(
  value: object,
  mark: string,
  draw: Draw,
): { readonly value: Json; readonly token: string; readonly name: string } | undefined {
  const names = Object.keys(value);
  if (names.length === 0) return undefined;
  const name = pick(draw, names);
  const member = at(value, name);
  const inner = isHolder(member) && draw(3) > 0 ? coerced(member, mark, draw) : undefined;
  const put = inner?.value ?? mark;
  const changed = Array.isArray(value) ? value.with(Number(name), put) : { ...value, [name]: put };
  return { value: changed, name, token: inner?.token ?? pick(draw, coercedTokens(member)) };
}

/** A number with an exponent, or minus zero: the same number, and not taken. */
export const isOddNumber = (token: string): boolean => /^-?[0-9.]+[eE]|^-0(?:\.0+)?$/.test(token);

const lenientNumbers = [
  ...["%201", "1%20", "1%09", "%2B1", "+1", "01", "1e0", "1E3", "0x10", "0b1", "1_0", "1,0", "1."],
  ...[".5", "-0", "%EF%BC%91", "true", "null", "NaN", "Infinity", "[1]", "%221%22", "1n", "--1"],
];
const lenientBooleans = [
  "True",
  "TRUE",
  "1",
  "0",
  "yes",
  "on",
  "",
  "%20true",
  "null",
  "%22true%22",
];

/** Of a query's member: texts that are not what its schema takes; none where any text may be. */
export function lenientTexts(schema: Json): readonly string[] {
  switch (at(schema, "type")) {
    case "integer":
      return [...lenientNumbers, "1.0", "1.5"];
    case "number":
      return lenientNumbers;
    case "boolean":
      return lenientBooleans;
    default:
      return [];
  }
}

/** JSON in UTF-8 by one header, and not packed: all that an operation with a JSON body takes. */
export function isJsonType(types: readonly string[], encoding: string): boolean {
  const [type = ""] = types;
  const [name = "", ...parameters] = type.split(";").map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((one) => one.startsWith("charset"));
  const isPlain = encoding === "" || encoding === "identity";
  return name === "application/json" && isPlain && charsets.every(isUtf8);
}

const isUtf8 = (parameter: string): boolean => /^charset="?utf-8"?$/.test(parameter);
