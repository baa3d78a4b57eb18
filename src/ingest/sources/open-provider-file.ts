// Chooses the reader of a provider's file of an index at a level: the one place that knows all.
// Invariant: a file is read by the reader of what it is sent as; no reader guesses another's.
import type { IndexKind } from "#base/index-kind.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import type { PrintLevel } from "#prints/release.ts";
import { readCensusHvs } from "./census-hvs.ts";
import { readFred } from "./fred.ts";
import { readNclimdiv } from "./nclimdiv.ts";
import type { ProviderFile } from "./provider-file.ts";
import { readZillowWide } from "./zillow.ts";

/** The sample's files are in the layouts of the providers whose place it takes. */
interface FileOrigin {
  readonly provider: string;
  readonly index: IndexKind;
  readonly level: PrintLevel;
}

/**
 * @param source decompressed bytes; it is closed where the file is refused here
 * @throws ReleaseRefusal, here or while reading rows
 */
export async function openProviderFile(
  source: AsyncIterable<Uint8Array>,
  { provider, index, level }: FileOrigin,
): Promise<ProviderFile> {
  const isOf = (name: string): boolean => provider === name || provider === "sample";
  switch (index) {
    case "zhvi":
    case "zori":
      if (level === "nation" || !isOf("zillow")) break;
      return await readZillowWide(source, { index, level });
    case "vacancy":
      if (level === "nation" && isOf("fred")) return await readFred(source);
      if ((level !== "state" && level !== "metro") || !isOf("census")) break;
      return await readCensusHvs(source, level);
    case "weather":
      if (level !== "state" || !isOf("noaa")) break;
      return await readNclimdiv(source);
  }
  throw new ReleaseRefusal("WRONG_LEVEL", {}, `${provider} has no file of ${index} by ${level}.`);
}

/** Whether a region of the file is one line, below a first line of column names. */
export const isWide = (index: IndexKind): boolean => index === "zhvi" || index === "zori";
