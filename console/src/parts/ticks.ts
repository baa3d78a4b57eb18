// Round values for an axis.
// Invariant: all lie within the range, and the steps are 1, 2 or 5 times a power of ten.

export function ticksOf(low: number, high: number, most: number): readonly number[] {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * step);
}
