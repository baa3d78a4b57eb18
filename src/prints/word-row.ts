// A line of a release compared with what is known, and chained, by its words: without bigints.
// Invariant: undefined, or exactly what `decideNode` says of the same months; doubles only say on
// which side of a limit a value lies, and where one comes near to it, whole numbers decide.
import { chainLevel, chainLevelOf, firstLevel, type PrintValue } from "#base/print-value.ts";
import { LONGEST_BLANK_MONTHS } from "./print-run.ts";
import { PLACES_MASK, valueIn } from "./print-word.ts";

const TWO_E28 = 268_435_456;
const BLANK_HIGH = 0x8000_0000;
const powers = Array.from({ length: PLACES_MASK + 1 }, (_, exponent) => Number(`1e${exponent}`));

const FIRST_LEVEL = Number(firstLevel);
/**
 * A level as a double is off by 6 roundings, each 2^-53 of it: below this, by less than .012, and
 * nothing nearer than `UNSURE` to a limit is believed.
 */
const HIGHEST_SURE = 17_592_186_044_416;
const UNSURE = 0.02;

/** Its halves, low one first, as every machine that Node is built for keeps them. */
const halvesOf = ({ buffer, byteOffset, length }: BigInt64Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, 2 * length);

const isBlankAt = (halves: Uint32Array, at: number): boolean =>
  halves[2 * at + 1] === BLANK_HIGH && halves[2 * at] === 0;

/** The value to within two roundings; NaN where it is not above zero, or wide. */
function doubleAt(halves: Uint32Array, at: number): number {
  const low = halves[2 * at] ?? 0;
  const high = halves[2 * at + 1] ?? 0;
  if (high >= BLANK_HIGH || (high === 0 && low <= PLACES_MASK)) return Number.NaN;
  return (high * TWO_E28 + (low >>> 4)) / (powers[low & PLACES_MASK] ?? 1);
}

/** The months of a place that nobody knew, linked each to the one before it. */
export interface FirstChain {
  /** From the first value on. */
  readonly start: number;
  readonly end: number;
  /** Places in the row that have a value. */
  readonly valued: readonly number[];
  /** The last two levels. */
  readonly levels: readonly [before: bigint | null, last: bigint];
  /** For every month from `start` on, what the chain's roundings added to value/first value. */
  readonly near: Int8Array;
}

/** Undefined where the months are no one run of nearly exact levels, or a word is not plain. */
export function firstChain(words: BigInt64Array): FirstChain | undefined {
  const halves = halvesOf(words);
  const valued: number[] = [];
  const near = new Int8Array(words.length);
  let first = 0;
  let link = 0;
  let level = FIRST_LEVEL;
  let before: number | null = null;
  for (let at = 0; at < words.length; at += 1) {
    if (isBlankAt(halves, at)) continue;
    const value = doubleAt(halves, at);
    if (Number.isNaN(value)) return undefined;
    const linked = valued.at(-1);
    if (linked === undefined) first = value;
    else {
      if (at - linked > LONGEST_BLANK_MONTHS) return undefined;
      before = level;
      level = linkedLevel(words, at, linked, level, level * (value / link));
      const added = level - atFirst(words, at, valued[0] ?? 0, (value / first) * FIRST_LEVEL);
      // Also where one of the two is none.
      if (!(added >= -128 && added <= 127)) return undefined;
      near[at] = added;
    }
    link = value;
    valued.push(at);
  }
  const [start] = valued;
  const last = valued.at(-1);
  if (start === undefined || last === undefined) return undefined;
  const levels = [before === null ? null : BigInt(before), BigInt(level)] as const;
  return { start, end: last + 1, valued, levels, near: near.subarray(start, last + 1) };
}

/** To the nearest, ties to the even one; NaN where it is out of reach. */
function linkedLevel(
  words: BigInt64Array,
  at: number,
  linked: number,
  level: number,
  near: number,
): number {
  if (!(near > 2 && near < HIGHEST_SURE)) return Number.NaN;
  const whole = Math.floor(near);
  const part = near - whole;
  if (Math.abs(part - 0.5) > UNSURE) return part < 0.5 ? whole : whole + 1;
  return Number(
    chainLevel(chainLevelOf(BigInt(level)), valueAt(words, at), valueAt(words, linked)),
  );
}

/** value/first value, rounded down. */
function atFirst(words: BigInt64Array, at: number, first: number, near: number): number {
  if (!(near < HIGHEST_SURE)) return Number.NaN;
  const whole = Math.floor(near);
  const part = near - whole;
  if (part > UNSURE && part < 1 - UNSURE) return whole;
  return Number((valueAt(words, at) * firstLevel) / valueAt(words, first));
}

const valueAt = (words: BigInt64Array, at: number): PrintValue => valueIn(words[at] ?? 0n);

/** How a line repeats the known history of its place. */
export interface Repeated {
  readonly unchanged: number;
  readonly revised: number;
  /** All known months moved by one constant. */
  readonly isRescaled: boolean;
  /** Where in the row the newest month is that both have; all after it are new. */
  readonly lastShared: number;
}

/** Of the largest ratio of new to known to the smallest: below it, they are one constant. */
const SURE_SPREAD = 0.99e-4;
const RESCALE_SPREAD = 1e-6;
const NO_SPREAD = 1e-9;

/**
 * Undefined where it does not come back by one constant, and in all other months that are not
 * plain, too. `shift`: where in the row the known months begin.
 */
export function repeated(
  known: BigInt64Array,
  row: BigInt64Array,
  shift: number,
): Repeated | undefined {
  const olds = halvesOf(known);
  const news = halvesOf(row);
  let [unchanged, revised, lastShared] = [0, 0, -1];
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  let isNew = false;
  for (let at = 0; at < row.length; at += 1) {
    if (isBlankAt(news, at)) continue;
    const old = at - shift;
    if (old < 0 || old >= known.length || isBlankAt(olds, old)) {
      isNew = true;
      continue;
    }
    // A gap was filled in: the months around it decide its level.
    if (isNew) return undefined;
    lastShared = at;
    const ratio = doubleAt(news, at) / doubleAt(olds, old);
    if (Number.isNaN(ratio)) return undefined;
    if (ratio < least) least = ratio;
    if (ratio > most) most = ratio;
    const isSame = news[2 * at] === olds[2 * old] && news[2 * at + 1] === olds[2 * old + 1];
    if (isSame) unchanged += 1;
    else revised += 1;
  }
  if (lastShared < 0 || !(most / least - 1 < SURE_SPREAD)) return undefined;
  const spread = most - least;
  const isSure = Math.abs(spread - RESCALE_SPREAD) > NO_SPREAD && most < 1_000;
  if (unchanged === 0 && revised > 1 && !isSure) return undefined;
  const isRescaled = unchanged === 0 && revised > 1 && spread < RESCALE_SPREAD;
  return { unchanged, revised, isRescaled, lastShared };
}
