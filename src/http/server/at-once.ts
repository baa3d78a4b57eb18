// Work that seldom has to wait: a promise for each step of a read takes longer than its answer.
// Invariant: what would go on after a promise goes on in the same order without one.

/** Goes on with the value at once where it is there, else when it comes. */
export const atOnce = <T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> => (value instanceof Promise ? value.then(next) : next(value));

/** The work's result; what it throws, at once or later, goes to `failed`. */
export function guarded(work: () => unknown, failed: (error: unknown) => unknown): unknown {
  try {
    const done = work();
    return done instanceof Promise ? done.catch(failed) : done;
  } catch (error) {
    return failed(error);
  }
}
