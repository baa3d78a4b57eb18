// Bytes that are put together to be hashed, and forgotten.
// Invariant: nothing keeps them: the next caller writes over them.

let kept = Buffer.alloc(16_384);

/** Memory to write into, until the next call. */
export function scratch(length: number): Buffer {
  if (kept.length < length) kept = Buffer.allocUnsafe(2 * length);
  return kept.subarray(0, length);
}
