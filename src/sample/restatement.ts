// How the sample's provider changes what it has said: a new scale at every release, a new method
// at one, and small corrections of recent rents.
// Invariant: within one method all values of a place are restated by one constant, rents apart.
import { HISTORY_MONTHS, RELEASES } from "./calendar.ts";
import { momentumPath, type SampleIndex } from "./growth.ts";
import { bell, randomOf } from "./random.ts";
import type { SampleRegion } from "./regions.ts";

/** The release of home values that is made by another method, from 0. */
export const METHOD_CHANGE = 5;

/** A place's share of what all places are rescaled by at a release, and its own. */
const COMMON_RESCALE = 0.008;
const OWN_RESCALE = 0.006;
const MOST_RESCALE = 0.03;
/** The new method's level against the old one's. */
const METHOD_LEVEL = 0.03;
/** The growth by the new method, against the old: about one point less in twelve months. */
const methodGrowth = { keep: 0.92, spread: 0.0012 };
/** The new method agrees with the old one on the newest months before the first release. */
const METHODS_AGREE_FROM = HISTORY_MONTHS - RELEASES;
const AGREEING_MONTHS = 10;

const REVISED_MONTHS = 12;
const NEWEST_REVISION = 0.001;

/** The factor on every value of the place, for each release. */
export function scalesOf(
  seed: number,
  index: SampleIndex,
  region: SampleRegion,
): readonly number[] {
  const own = randomOf(seed, `${index} rescale ${region.nodeId}`);
  let scale = 1;
  return Array.from({ length: RELEASES }, (_, release) => {
    if (release === 0) return scale;
    const common = bell(randomOf(seed, `${index} rescale ${release}`));
    const change = COMMON_RESCALE * common + OWN_RESCALE * bell(own);
    scale *= 1 + Math.min(MOST_RESCALE, Math.max(-MOST_RESCALE, change));
    if (index === "zhvi" && release === METHOD_CHANGE) {
      scale *= 1 + METHOD_LEVEL * bell(own);
    }
    return scale;
  });
}

/** The new method's change to the old one's growth, month by month. */
export function methodChange(seed: number, region: SampleRegion): readonly number[] {
  const name = `method ${region.nodeId}`;
  return momentumPath(seed, name, methodGrowth, HISTORY_MONTHS).map((difference, at) => {
    const left = (METHODS_AGREE_FROM - at) / AGREEING_MONTHS;
    return difference * Math.min(1, Math.max(0, left));
  });
}

/** A release's factors on the newest months of a rent, the newest month first. */
export function revisionsOf(
  seed: number,
  region: SampleRegion,
  release: number,
): readonly number[] {
  const random = randomOf(seed, `revision ${region.nodeId} ${release}`);
  return Array.from(
    { length: REVISED_MONTHS },
    (_, age) => 1 + NEWEST_REVISION * (1 - age / REVISED_MONTHS) * bell(random),
  );
}
