// The made-up housing market under the sample: monthly growth of every place, with momentum.
// Invariant: a function of the seed alone; only + − × ÷ and Math.sqrt, so that its bytes are the
// same everywhere.
import { HISTORY_MONTHS, RELEASES } from "./calendar.ts";
import { bell, randomOf } from "./random.ts";
import type { SampleRegion } from "./regions.ts";

export type SampleIndex = "zhvi" | "zori";

/** Monthly growth that everything leans back to: 4 % a year. */
const LONG_RUN = 0.0033;
/** The last month of the oldest release: what comes after it is published month by month. */
const WINDOW_START = HISTORY_MONTHS - RELEASES;
/** Months over which a place turns onto the course below. */
const TURN_MONTHS = 12;

/** A process that keeps most of last month's value: `keep` of it, around zero. */
interface Momentum {
  readonly keep: number;
  /** Deviation in the long run. */
  readonly spread: number;
}

const nationMomentum: Momentum = { keep: 0.97, spread: 0.0025 };
const stateMomentum: Momentum = { keep: 0.96, spread: 0.0014 };
const countyMomentum: Momentum = { keep: 0.94, spread: 0.0011 };

/** A place's own growth, on top of nation, state and county. */
const ownMomentum: Readonly<Record<SampleRegion["level"], Momentum>> = {
  state: { keep: 0.8, spread: 0.0004 },
  county: { keep: 0.8, spread: 0.0006 },
  city: { keep: 0.82, spread: 0.0009 },
  neighborhood: { keep: 0.85, spread: 0.002 },
  zip: { keep: 0.85, spread: 0.0017 },
};

/**
 * Where home values head while the fourteen releases come out, a month: so that whatever the seed,
 * some protections pay and others do not. Seven tenths of a percent is 8 % in a year.
 */
const courses: Readonly<Record<string, number>> = {
  "county:48453": -0.0045,
  "city:austin-tx": -0.005,
  "zip:78701": -0.0065,
  "zip:78704": -0.0055,
  "nbhd:downtown-austin-tx": -0.0065,
  "county:12071": -0.006,
  "city:cape-coral-fl": -0.0065,
  "zip:33904": -0.006,
  "zip:33914": -0.0065,
  "state:tx": -0.0008,
  "state:fl": -0.0012,
  "state:ny": 0.0035,
  "city:new-york-ny": 0.003,
  "zip:10001": 0.0015,
};
/** How much of its own ups and downs a place keeps on its course. */
const KEPT_ON_COURSE = 0.3;

const MOST_GROWTH = 0.022;
const LEAST_GROWTH = -0.015;

/** Growth of the seed's market; place by place, remembering the factors places share. */
export class SeedMarket {
  readonly #seed: number;
  readonly #factors = new Map<string, readonly number[]>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Growth into each month of the history, a fraction; the first one is not used. */
  growth(index: SampleIndex, region: SampleRegion): readonly number[] {
    const shared = this.#shared(index, region);
    const own = this.#factor(`${index} own ${region.nodeId}`, ownMomentum[region.level]);
    const course = index === "zhvi" ? courses[region.nodeId] : undefined;
    return shared.map((common, at) => {
      const free = LONG_RUN + common + (own[at] ?? 0);
      const weight = course === undefined ? 0 : turned(at);
      const steered = (course ?? 0) + KEPT_ON_COURSE * (own[at] ?? 0);
      return clamp((1 - weight) * free + weight * steered);
    });
  }

  /** The growth a place shares with others; rents follow values at half their pace. */
  #shared(index: SampleIndex, region: SampleRegion): readonly number[] {
    const parts = (of: SampleIndex): (readonly number[])[] => {
      const found = [
        this.#factor(`${of} nation`, nationMomentum),
        this.#factor(`${of} state ${region.stateCode}`, stateMomentum),
      ];
      const { countyFips } = region;
      if (countyFips !== null) {
        found.push(this.#factor(`${of} county ${countyFips}`, countyMomentum));
      }
      return found;
    };
    const values = sumOf(parts("zhvi"));
    if (index === "zhvi") return values;
    return sumOf(parts("zori")).map((own, at) => 0.5 * own + 0.5 * (values[at] ?? 0));
  }

  #factor(name: string, momentum: Momentum): readonly number[] {
    const known = this.#factors.get(name);
    if (known !== undefined) return known;
    const made = momentumPath(this.#seed, name, momentum, HISTORY_MONTHS);
    this.#factors.set(name, made);
    return made;
  }
}

/** The path of a process with momentum, which starts as it goes on. */
export function momentumPath(
  seed: number,
  name: string,
  { keep, spread }: Momentum,
  length: number,
): readonly number[] {
  const random = randomOf(seed, name);
  const shock = spread * Math.sqrt(1 - keep * keep);
  const path: number[] = [];
  let now = spread * bell(random);
  for (let at = 0; at < length; at += 1) {
    path.push(now);
    now = keep * now + shock * bell(random);
  }
  return path;
}

/** 0 before the turn, 1 when the window starts. */
function turned(at: number): number {
  const into = (at - (WINDOW_START - TURN_MONTHS)) / TURN_MONTHS;
  return Math.min(1, Math.max(0, into));
}

const sumOf = (parts: readonly (readonly number[])[]): number[] =>
  Array.from({ length: HISTORY_MONTHS }, (_, at) =>
    parts.reduce((sum, part) => sum + (part[at] ?? 0), 0),
  );

const clamp = (growth: number): number => Math.min(MOST_GROWTH, Math.max(LEAST_GROWTH, growth));
