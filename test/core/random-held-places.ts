// Places that validation holds alone, as a seed draws them: one row of a file is held, the rest
// counts, later files carry it, operators decide, and now and then validation holds it anew.
// Invariant: what the files brought of a place is remembered here, never asked of the exchange.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { chainLevel } from "#base/print-value.ts";
import type { Actor, Command, CommandOf, HeldFrom, PlaceReading } from "#core/command.ts";
import { chainPointName } from "#core/names.ts";
import type { ChainPoint, Observation } from "#core/records.ts";
import type { HeldPlace, HeldPlaceFacts } from "#core/settlement/held-place.ts";
import { placeSubject } from "#core/words/word.ts";
import type { Dice } from "./dice.ts";
import { month, type World } from "./world.ts";

/** A file's row for a place in its newest month. */
export interface PlaceRow {
  readonly place: NodeId;
  readonly month: string;
  readonly value: string;
  /** As `World.observe` takes it. */
  readonly link: string | null | undefined;
}

/** A file that carries the place, and its first print of it, unless the month has one. */
interface Carried {
  readonly releaseId: ReleaseId;
  readonly print: Observation | undefined;
}

const reasons = [{ code: "MOVE_TOO_LARGE", message: "drill" }] as const;

export class RandomHeldPlaces {
  readonly #world: World;
  readonly #dice: Dice;
  readonly #rows = new Map<ReleaseId, readonly PlaceRow[]>();
  /** Where the journal stood when a place was held last. */
  #heldAt = -1;

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  isHeld(index: IndexKind, place: NodeId): boolean {
    return this.#find(index, place) !== undefined;
  }

  any(): HeldPlace | undefined {
    const all = this.#holds();
    return all.length === 0 ? undefined : this.#dice.pick(all);
  }

  remember(id: ReleaseId, rows: readonly PlaceRow[]): void {
    this.#rows.set(id, rows);
  }

  /** That a file carried the place, though it was no place when the file was taken. */
  carriedLate(id: ReleaseId, row: PlaceRow): void {
    this.#rows.set(id, [...(this.#rows.get(id) ?? []), row]);
  }

  /** Where the provider stands with a place: its files go on while it is held. */
  published(point: ChainPoint): ChainPoint {
    const held = this.#find(point.index, point.nodeId);
    if (held === undefined) return point;
    const months = this.#filesOf(held).map(({ row }) => month(row.month));
    const newest = months.reduce((one, other) => (one > other ? one : other), point.month);
    return { ...point, month: newest, gaps: [] };
  }

  /** The release with one of its places held; itself where none may be. */
  withOneHeld(accept: CommandOf<"AcceptRelease">): CommandOf<"AcceptRelease"> {
    const { sequence } = this.#world;
    const { release, observations } = accept;
    // The intake takes one file at a time: a place that is held twice stops the node.
    if (this.#heldAt === sequence || observations.length === 0) return accept;
    this.#heldAt = sequence;
    const print = this.#dice.pick(observations);
    const left = observations.filter((seen) => seen !== print);
    const held = (release.held ?? 0) + 1;
    return {
      ...accept,
      release: { ...release, firstPrints: left.length, held },
      observations: left,
      heldPlaces: [factsOf(print)],
    };
  }

  /** An operator's decision on a place that is held; now and then a forbidden one. */
  decision(held: HeldPlace, operators: readonly Actor[]): readonly [Actor, Command] {
    const dice = this.#dice;
    const operator = dice.pick(operators);
    const { releaseId, nodeId } = held;
    const isApproved = this.#world.voices(placeSubject(releaseId, nodeId)).length > 0;
    const [first, ...later] = this.#carried(held);
    if (first === undefined) throw new Error(`${releaseId} holds ${nodeId}`);
    // A place that nothing was printed of begins with one of its files.
    const begins = later.some(({ print }) => print !== undefined) || this.#isBegun(held);
    if (begins && dice.chance(20)) {
      const decided = { releaseId, nodeId, reason: "why", ...this.#reading(later) };
      return [operator, { type: "RejectPlace", ...decided }];
    }
    if (dice.chance(isApproved ? 15 : 85)) {
      return [operator, { type: "ApprovePlace", releaseId, nodeId }];
    }
    const decided = { releaseId, nodeId, ...this.#reading([first, ...later]) };
    return [operator, { type: "ReleasePlace", ...decided }];
  }

  /** Of all these files or, where validation holds the place anew, of those before. */
  #reading(files: readonly Carried[]): {
    readonly readings: readonly PlaceReading[];
    readonly heldAnew?: HeldFrom;
  } {
    const at = this.#dice.chance(20) ? this.#dice.below(files.length + 1) : files.length;
    const anew = files[at];
    if (anew?.print === undefined) return { readings: files.map(readingOf) };
    const heldAnew = heldFrom(anew.releaseId, anew.print);
    return { readings: files.slice(0, at).map(readingOf), heldAnew };
  }

  /** Each file's print hangs on the one before it. */
  #carried(held: HeldPlace): readonly Carried[] {
    const world = this.#world;
    world.index = held.index;
    world.place = held.nodeId;
    const printed = new Set<string>();
    let before: Observation | undefined;
    return this.#filesOf(held).map(({ releaseId, row }) => {
      if (printed.has(row.month) || this.#isPrinted(held, row)) {
        return { releaseId, print: undefined };
      }
      const print = linked(world.observe(row.month, row.value, row.link), before, row.link);
      printed.add(row.month);
      if (print.levelE12 !== null) before = print;
      return { releaseId, print };
    });
  }

  #isPrinted({ index, nodeId }: HeldPlace, row: PlaceRow): boolean {
    const at = month(row.month);
    const point = this.#world.state.chainPoints.get(chainPointName(index, nodeId, at));
    return point !== undefined && at <= point.month && !point.gaps.includes(at);
  }

  #isBegun({ index, nodeId, observations: [print] }: HeldPlace): boolean {
    const { chainPoints } = this.#world.state;
    return print !== undefined && chainPoints.has(chainPointName(index, nodeId, print.month));
  }

  /** Of the series, from the release that holds the place on. */
  #filesOf({ index, level, releaseId, nodeId }: HeldPlace) {
    const all = [...this.#world.state.releases.values()];
    const from = all.findIndex(({ id }) => id === releaseId);
    return all.slice(from).flatMap((release) => {
      const row = this.#rows.get(release.id)?.find(({ place }) => place === nodeId);
      const isOfSeries = release.index === index && release.level === level;
      return row !== undefined && isOfSeries ? [{ releaseId: release.id, row }] : [];
    });
  }

  #find(index: IndexKind, place: NodeId): HeldPlace | undefined {
    return this.#holds().find((held) => held.index === index && held.nodeId === place);
  }

  /** A map to a new id holds nothing back. */
  #holds(): readonly HeldPlace[] {
    const all = [...this.#world.state.heldPlaces.values()];
    return all.filter(({ renamed }) => renamed === undefined);
  }
}

export const heldFrom = (id: ReleaseId, print: Observation): HeldFrom => ({
  ...factsOf(print),
  releaseId: id,
});

const factsOf = (print: Observation): HeldPlaceFacts => ({
  nodeId: print.nodeId,
  regionId: print.nodeId,
  reasons,
  observations: [print],
});

const readingOf = ({ releaseId, print }: Carried): PlaceReading => ({
  releaseId,
  firstPrints: print === undefined ? 0 : 1,
  revisions: 0,
  unchanged: print === undefined ? 1 : 0,
  rescaled: 0,
  printsDigest: "",
  latestDigest: "",
  observations: print === undefined ? [] : [print],
});

/** `said`: of the month before, as the file has it; null where it has none. */
function linked(
  print: Observation,
  before: Observation | undefined,
  said: PlaceRow["link"],
): Observation {
  if (said === null || before === undefined || before.levelE12 === null) return print;
  if (before.month > print.month) return print;
  const { month: at, valueE15, levelE12 } = before;
  const level = chainLevel(levelE12, print.valueE15, valueE15);
  return { ...print, link: { month: at, valueE15, levelE12 }, levelE12: level, backfill: false };
}
