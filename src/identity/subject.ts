// The person behind an account: the personal data an inquiry is decided on.
// Invariant: it is never part of a command, a log line or an error; only `vault.ts` stores it.

/** All text as the person wrote it; absent = not given. */
export interface Subject {
  readonly kind: "person" | "organisation";
  readonly legalName: string;
  /** Two capital letters. */
  readonly countryCode: string;
  /** YYYY-MM-DD. */
  readonly dateOfBirth?: string;
  readonly registrationNumber?: string;
  readonly address?: string;
}

/** Throws on text that `JSON.stringify` of a subject did not write. */
export function readSubject(text: string): Subject {
  const value: unknown = JSON.parse(text);
  if (!isSubject(value)) throw new Error("the vault holds something that is no subject");
  return value;
}

const isSubject = (value: unknown): value is Subject =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  "legalName" in value &&
  "countryCode" in value;
