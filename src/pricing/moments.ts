// Mean, variance and median of a few numbers, as the models of this room take them.
// Invariant: none changes its input; of too few numbers the answer is NaN, never a guess.

/** Taken from the first value on, so that equal values have exactly their value as their mean. */
export function meanOf(values: readonly number[]): number {
  const first = values[0] ?? Number.NaN;
  return first + values.reduce((sum, value) => sum + (value - first), 0) / values.length;
}

/** Sample variance, of two values or more. */
export function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}
