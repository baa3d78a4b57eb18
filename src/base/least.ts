// The lesser of two amounts of one unit.
// Invariant: it is one of them, and not above the other.

export const least = <T extends bigint>(a: T, b: T): T => (a < b ? a : b);
