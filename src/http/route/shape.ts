// Shapes: from unknown input to a value of a schema's type, or a 400 that names each fault.
// Invariant: nothing is coerced and nothing is removed; a value passes as it came or not at all.
import type { Static, TObject } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { Settings } from "typebox/system";
import {
  forbiddenPath,
  isPlain,
  oddNumberPath,
  pastedKeyPath,
  unseenPath,
} from "../server/json-source.ts";
import {
  type FieldFault,
  faultsMessage,
  invalidFields,
  keyInPlace,
  type Refused,
  refuse,
} from "./errors.ts";
import { faultsOf, fieldName } from "./faults.ts";
import { readQuery } from "./query.ts";

/** By itself the checker stops at 8 findings, and a field may take two: the ninth stayed unsaid. */
Settings.Set({ maxErrors: 100 });

type Shaped<S extends TObject> = { readonly value: Static<S> } | Refused;

interface Sent {
  readonly params: unknown;
  /** Its text, still encoded. */
  readonly query: string;
  readonly body: unknown;
}

interface Read<P extends TObject, Q extends TObject, B extends TObject> {
  readonly params: Static<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
}

/** Path, then query, then body of a request; the first that is not of its shape answers. */
export function requestShape<P extends TObject, Q extends TObject, B extends TObject>(schemas: {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}): (sent: Sent) => Read<P, Q, B> | Refused {
  const readPath = pathShape(schemas.params);
  const readQueryText = queryShape(schemas.query);
  const readBody = bodyShape(schemas.body);
  return (sent) => {
    const params = readPath(sent.params);
    if ("refused" in params) return params;
    const query = readQueryText(sent.query);
    if ("refused" in query) return query;
    const body = readBody(sent.body);
    if ("refused" in body) return body;
    return { params: params.value, query: query.value, body: body.value };
  };
}

const unseenInPlace = "has a control character, or one that turns the direction of reading";

/** By their text: most routes share the schema of nothing, or of an id; each is compiled once. */
const validators = new Map<string, Validator>();

function validatorOf(schema: TObject): Validator {
  const text = JSON.stringify(schema);
  const known = validators.get(text);
  if (known !== undefined) return known;
  const made: Validator = Compile(schema);
  validators.set(text, made);
  return made;
}

type Fits<S extends TObject> = (value: unknown) => value is Static<S>;

const fitting = <S extends TObject>(schema: S): Fits<S> => {
  const validator = validatorOf(schema);
  return (value): value is Static<S> => validator.Check(value);
};

/** An absent body counts as `{}`. */
export function bodyShape<S extends TObject>(schema: S): (body: unknown) => Shaped<S> {
  const [validator, fits] = [validatorOf(schema), fitting(schema)];
  const nothing = {};
  const isOptional = fits(nothing);
  return (input) => {
    if (input === undefined && isOptional) return { value: nothing };
    const body = input ?? {};
    if (isPlain(body) && fits(body)) return { value: body };
    const forbidden = forbiddenPath(body);
    if (forbidden !== undefined) {
      return invalid([{ field: fieldName(forbidden), message: "is not a field of any request" }]);
    }
    const odd = oddNumberPath(body);
    if (odd !== undefined) {
      return invalid([{ field: fieldName(odd), message: "must be written as a plain decimal" }]);
    }
    if (!fits(body)) return invalid(faultsOf(validator.Errors(body), schema));
    const hidden = unseenPath(body);
    if (hidden !== undefined) {
      return invalid([{ field: fieldName(hidden), message: unseenInPlace }]);
    }
    const pasted = pastedKeyPath(body);
    if (pasted === undefined) return { value: body };
    return invalid([{ field: fieldName(pasted), message: keyInPlace }]);
  };
}

/** A path whose parts cannot be an id leads nowhere. */
function pathShape<S extends TObject>(schema: S): (params: unknown) => Shaped<S> {
  const fits = fitting(schema);
  return (params) => {
    const pasted = pastedKeyPath(params);
    if (pasted !== undefined) return invalid([{ field: fieldName(pasted), message: keyInPlace }]);
    return fits(params) ? { value: params } : refuse("NOT_FOUND");
  };
}

/** Many ask the same: a query that was read is not read again. Short ones, not many of a route. */
const MOST_QUERIES = 256;
const LONGEST_KEPT = 256;

function queryShape<S extends TObject>(schema: S): (text: string) => Shaped<S> {
  const read = readingQuery(schema);
  const known = new Map<string, Shaped<S>>();
  return (text) => {
    const again = known.get(text);
    if (again !== undefined) return again;
    const shaped = read(text);
    if ("refused" in shaped || text.length > LONGEST_KEPT) return shaped;
    if (known.size >= MOST_QUERIES) known.clear();
    known.set(text, shaped);
    return shaped;
  };
}

function readingQuery<S extends TObject>(schema: S): (text: string) => Shaped<S> {
  const [validator, fits] = [validatorOf(schema), fitting(schema)];
  return (text) => {
    const { value, faults } = readQuery(text, schema);
    const query: unknown = Object.freeze(value);
    if (faults.length === 0 && fits(query)) return { value: query };
    const known = new Set(faults.map(({ field }) => field));
    const others = faultsOf(validator.Errors(query), schema);
    return invalid([...faults, ...others.filter(({ field }) => !known.has(field))]);
  };
}

const inArray = /^[A-Za-z]+\[([0-9]+)\](?:\.(.+))?$/;

/** A 400; in an array the field is named alone and `details.index` says which element. */
function invalid(faults: readonly FieldFault[]): Refused {
  const [first] = faults;
  if (first === undefined) return refuse("INVALID_REQUEST");
  if (first.field === "") {
    return refuse("INVALID_REQUEST", { message: `The body ${first.message}`, errors: faults });
  }
  const element = inArray.exec(first.field);
  if (element === null) return invalidFields(faults);
  const message = faultsMessage(faults);
  const [, index = "0", field = first.field] = element;
  const details = { index: Number(index) };
  return refuse("INVALID_REQUEST", { message, field, details, errors: faults });
}
