// The strength of a tier of tests: the share of the seeded bugs that it catches.
// Invariant: a bug of the list that was not tried counts as missed.
import type { Trial } from "./trial.ts";

/** The last word on each name counts: a row is tried again after its test was made stronger. */
export function strengthOf(
  names: readonly string[],
  trials: readonly Trial[],
): { readonly lines: readonly string[]; readonly isFull: boolean } {
  const last = new Map(trials.map((trial) => [trial.name, trial]));
  const missed = names.filter((name) => (last.get(name)?.outcome ?? "missed") === "missed");
  const caught = names.length - missed.length;
  const percent = names.length === 0 ? "0" : ((caught / names.length) * 100).toFixed(2);
  return {
    lines: [
      ...missed.map((name) => `missed: ${name}, ${reasonOf(last.get(name))}`),
      `${caught} of ${names.length} caught, ${percent} %`,
    ],
    isFull: caught === names.length && caught > 0,
  };
}

function reasonOf(trial: Trial | undefined): string {
  if (trial === undefined) return "not tried";
  return trial.because ?? `by ${trial.test}`;
}
