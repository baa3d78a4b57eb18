// The numbers that make a test longer than CI can afford, from the environment.
// Invariant: what is no whole number above zero fails the test, it is never a default.
import assert from "node:assert/strict";

export function wholeSetting(name: string, ordinary: number): number {
  const text = process.env[name];
  if (text === undefined) return ordinary;
  assert.match(text, /^[1-9][0-9]{0,8}$/, `${name} is a whole number above zero`);
  return Number(text);
}
