// The sample's files of home values and rents, the releases of each index and level in their order.
// Invariant: they are made anew from a seed, so they are at hand where no provider's file is.
import { sampleReleases } from "#sample/calendar.ts";
import { SampleProvider } from "#sample/provider-files.ts";
import type { SentAs } from "./validation-series.ts";

interface Vintages {
  readonly sentAs: SentAs;
  readonly files: Buffer[];
}

const SEED = 7;
const TODAY_MILLIS = Date.UTC(2026, 0, 25);

export function sampleVintages(): readonly Vintages[] {
  const provider = new SampleProvider(SEED);
  const found = new Map<string, Vintages>();
  for (const release of sampleReleases(SEED, TODAY_MILLIS)) {
    for (const { index, level, text } of provider.files(release)) {
      const name = `${index} ${level}`;
      const vintages = found.get(name) ?? {
        sentAs: { provider: "sample", index, level },
        files: [],
      };
      vintages.files.push(Buffer.from(text));
      found.set(name, vintages);
    }
  }
  return [...found.values()];
}
