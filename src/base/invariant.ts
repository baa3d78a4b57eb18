// States what must be true; a breach is our own mistake and stops the node (on in production).
// Invariant: returns only when the condition holds.

export class InvariantBreach extends Error {
  override readonly name = "InvariantBreach";
}

export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantBreach(message);
}

/** The `default` of a switch over a closed union: compiles only when every case is handled. */
export function unreachable(value: never): never {
  throw new InvariantBreach(`unhandled case ${JSON.stringify(value)}`);
}
