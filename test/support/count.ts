// How often a test does what it does: as fits into CI, or as an environment variable says.
// Invariant: a number that is none stops the test, it does not become another number.

export function countFrom(name: string, usual: number): number {
  const text = process.env[name];
  if (text === undefined) return usual;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`${name} must be a whole number from 1`);
  return Number(text);
}
