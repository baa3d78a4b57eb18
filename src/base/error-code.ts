// The code that the system gives a failure: ENOENT, EEXIST and their like.
// Invariant: an error without a code has none of them.

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code));
