// Places that their provider goes on with under another id, as a seed draws them: a file in which
// the place is missing, the map of one region to it, and what a second person makes of that.
// Invariant: the file's value of the place is remembered here; whether it counts, the core decides.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Month } from "#base/month.ts";
import { printValue, wholePrint } from "#base/print-value.ts";
import { comparedMonths, type SharedMonth } from "#contract/same-series.ts";
import type { Actor, Command, CommandOf } from "#core/command.ts";
import { chainPointName } from "#core/names.ts";
import type { Observation } from "#core/records.ts";
import type { HeldPlace } from "#core/settlement/held-place.ts";
import type { Dice } from "./dice.ts";
import type { PlaceRow } from "./random-held-places.ts";
import { month, type World } from "./world.ts";

interface Moved {
  readonly releaseId: ReleaseId;
  readonly index: IndexKind;
  readonly row: PlaceRow;
}

export class RandomRenames {
  readonly #world: World;
  readonly #dice: Dice;
  #moved: Moved[] = [];

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  /**
   * The release with one of its places under another id, and that place; itself where it has none.
   */
  withOneMoved(
    accept: CommandOf<"AcceptRelease">,
    rows: readonly PlaceRow[],
  ): readonly [CommandOf<"AcceptRelease">, moved?: NodeId] {
    const { release, observations } = accept;
    if (observations.length === 0 || !isFor(release)) return [accept];
    const { nodeId } = this.#dice.pick(observations);
    const row = rows.find(({ place }) => place === nodeId);
    if (row === undefined) throw new Error(`${release.id} has a row of ${nodeId}`);
    this.#moved = [...this.#moved.slice(-8), { releaseId: release.id, index: release.index, row }];
    const left = observations.filter((seen) => seen.nodeId !== nodeId);
    const counts = { firstPrints: left.length, unmatched: release.unmatched + 1 };
    return [{ ...accept, release: { ...release, ...counts }, observations: left }, nodeId];
  }

  /** A second word, or the first; undefined where no place has moved. */
  decision(operators: readonly Actor[]): readonly [Actor, Command] | undefined {
    const dice = this.#dice;
    const by = dice.pick(operators);
    const maps = [...this.#world.state.heldPlaces.values()].filter((one) => one.renamed);
    const [map] = maps;
    if (map !== undefined && dice.chance(85)) return [by, this.#second(map)];
    const moved = this.#moved.filter((one) => this.#isOpen(one));
    return moved.length === 0 ? undefined : [by, this.#first(dice.pick(moved))];
  }

  #isOpen({ releaseId, index, row: { place, month: at } }: Moved): boolean {
    const { releases, chainPoints } = this.#world.state;
    const newest = chainPoints.get(chainPointName(index, place, month(at)));
    const isUnmatched = (releases.get(releaseId)?.unmatched ?? 0) > 0;
    return isUnmatched && newest !== undefined && newest.month < month(at);
  }

  /** Mostly on 24 months of equal growth. */
  #first({ releaseId, index, row }: Moved): Command {
    const { chainPoints } = this.#world.state;
    const newest = chainPoints.get(chainPointName(index, row.place, month(row.month)));
    if (newest === undefined) throw new Error(`${row.place} was printed`);
    const shared = this.#shared(index, newest.month);
    return {
      type: "RenamePlace",
      releaseId,
      nodeId: row.place,
      from: row.place,
      to: `${row.place} again`,
      shared: this.#dice.chance(85) ? shared : shared.slice(1),
      observations: [this.#print(index, row)],
    };
  }

  /** Levels may come back on twice the scale; of a rate every value is the same. */
  #shared(index: IndexKind, newest: Month): readonly SharedMonth[] {
    const scale = index === "vacancy" ? 1n : 2n;
    return comparedMonths(index, newest).map((at, count) => {
      const known = BigInt(100 + (count % 5)) * wholePrint;
      return { month: at, knownE15: printValue(known), givenE15: printValue(known * scale) };
    });
  }

  #second(map: HeldPlace): Command {
    const { releaseId, nodeId, observations } = map;
    const named = { releaseId, nodeId };
    if (this.#dice.chance(15)) {
      return { type: "RejectPlace", ...named, reason: "another place", readings: [] };
    }
    const counts = { firstPrints: 1, revisions: 0, unchanged: 0, rescaled: 0 };
    const reading = { releaseId, ...counts, printsDigest: "", latestDigest: "", observations };
    return { type: "ReleasePlace", ...named, readings: [reading] };
  }

  #print(index: IndexKind, { place, month: at, value, link }: PlaceRow): Observation {
    const world = this.#world;
    world.index = index;
    world.place = place;
    return world.observe(at, value, link);
  }
}

/** No map is made of weather; counties are those that become known late. */
const isFor = ({ index, level }: CommandOf<"AcceptRelease">["release"]): boolean =>
  index !== "weather" && level !== "county";
