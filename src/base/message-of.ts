// The sentence of a fault of unknown kind.
// Invariant: anything that was thrown has one.

export const messageOf = (fault: unknown): string =>
  fault instanceof Error ? fault.message : String(fault);
