// How much a test does where the environment asks for more than fits into CI.
// Invariant: what is no whole number is an error, never another number.
import assert from "node:assert/strict";

export function sizeOfRun(setting: string, usual: number): number {
  const text = process.env[setting];
  if (text === undefined) return usual;
  assert.match(text, /^[1-9][0-9]{0,8}$/, `${setting} must be a whole number above 0`);
  return Number(text);
}
