// An answer of the exchange, and how its JSON is read: by path, believing nothing of its shape.
// Invariant: a member that is not there is undefined, never an exception.

export interface ExchangeResponse {
  readonly status: number;
  /** As it came. */
  readonly body: string;
  /** Undefined where the body is no JSON. */
  readonly json: unknown;
  /** The answer of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
  readonly retryAfter: string | undefined;
}

export function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** `at(answer, "data.account.id")`; a step that is a number reads an array. */
export function at(value: unknown, path: string): unknown {
  let found: unknown = value;
  for (const step of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step))
      return undefined;
    found = Object.getOwnPropertyDescriptor(found, step)?.value;
  }
  return found;
}

export const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isText = (value: unknown): value is string => typeof value === "string";
