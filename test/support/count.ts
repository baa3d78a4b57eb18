// How many, from the environment: what a test does in CI, or what is asked for by hand.
// Invariant: a word that is no whole number stops the test; it never means the usual.

export function countFrom(name: string, usual: number): number {
  const text = process.env[name];
  if (text === undefined) return usual;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${name} is a whole number, not "${text}"`);
  return Number(text);
}
