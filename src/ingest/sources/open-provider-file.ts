// Which reader takes a provider's file of an index at a level: the one place that knows them all.
// Invariant: a file is read by the reader of what it is sent as; no reader guesses another's.
import type { IndexKind } from "#base/index-kind.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import type { PrintLevel, ProviderId } from "#prints/release.ts";
import { readCensusHvs } from "./census-hvs.ts";
import { readFred } from "./fred.ts";
import { readNclimdiv } from "./nclimdiv.ts";
import type { ProviderFile } from "./provider-file.ts";
import { readZillowWide } from "./zillow.ts";

interface SentAs {
  readonly provider: ProviderId;
  readonly index: IndexKind;
  readonly level: PrintLevel;
}

/**
 * @param source decompressed bytes
 * @throws ReleaseRefusal, here or while reading rows
 */
export async function openProviderFile(
  source: AsyncIterable<Uint8Array>,
  { provider, index, level }: SentAs,
): Promise<ProviderFile> {
  switch (index) {
    case "zhvi":
    case "zori":
      if (level === "nation" || (provider !== "zillow" && provider !== "sample")) break;
      return await readZillowWide(source, { index, level });
    case "vacancy":
      if (provider === "fred" && level === "nation") return await readFred(source);
      if (provider !== "census" || (level !== "state" && level !== "metro")) break;
      return await readCensusHvs(source, level);
    case "weather":
      if (provider !== "noaa" || level !== "state") break;
      return await readNclimdiv(source);
  }
  throw new ReleaseRefusal("WRONG_LEVEL", {}, `${provider} has no file of ${index} by ${level}.`);
}
