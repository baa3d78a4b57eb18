// The providers' publications, as a seed draws it: files of several places, late, held and read
// again.
// Invariant: what is drawn fits the state as it is; of two drawn at once, one may be refused.
import { type NodeId, nodeId, type ReleaseId } from "#base/ids.ts";
import { type IndexKind, periodMonths } from "#base/index-kind.ts";
import { addMonths, formatMonth, type Month, monthAt, monthEndMillis } from "#base/month.ts";
import { formatPrintValue, printValue, wholePrint } from "#base/print-value.ts";
import { isLevelIndex } from "#contract/level.ts";
import type { Payoff } from "#contract/terms.ts";
import type { Actor, Command, CommandOf } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { AcceptedRelease, ChainPoint, GeoRecord } from "#core/records.ts";
import { releaseSubject } from "#core/words/word.ts";
import type { Dice } from "./dice.ts";
import { heldFrom, type PlaceRow, RandomHeldPlaces } from "./random-held-places.ts";
import { RandomRenames } from "./random-renames.ts";
import { levelOf, root, system, type World } from "./world.ts";

const DAY_MILLIS = 86_400_000;

/** A file that comes again and again. */
interface Source {
  readonly index: IndexKind;
  readonly places: readonly NodeId[];
  /** The first values of each place. */
  readonly month: string;
  readonly value: string;
}

const texas = nodeId("state:tx");

/** Of a run, so many from the first on. */
const sources: readonly Source[] = [
  { index: "zhvi", places: [texas, nodeId("state:ca")], month: "2024-10", value: "300000" },
  { index: "vacancy", places: [texas], month: "2024-09", value: "8.4" },
  { index: "zori", places: [nodeId("county:48029")], month: "2024-10", value: "1800" },
  { index: "weather", places: [texas], month: "2024-07", value: "600" },
];

/** In the county file from the start, and known only when an operator has loaded them. */
const latePlaces = [nodeId("county:48201"), nodeId("county:48113")];

/** A protection series of a decline: layered or binary. */
const declines = [
  { kind: "layered", attachBps: 200, exhaustBps: 1000 },
  { kind: "binary", strikeBps: 100 },
] as const;

/** A month of a file, and what it says of the places that have it. */
interface Draft {
  readonly source: Source;
  readonly rows: readonly PlaceRow[];
}

interface Held {
  readonly draft: Draft;
  readonly release: AcceptRelease["release"];
}

type AcceptRelease = CommandOf<"AcceptRelease">;

export class RandomPrints {
  readonly #world: World;
  readonly #dice: Dice;
  readonly #sources: readonly Source[];
  readonly #held = new Map<ReleaseId, Held>();
  readonly #heldPlaces: RandomHeldPlaces;
  readonly #renames: RandomRenames;
  /** Where the journal stood when a reading was asked for last. */
  #rereadAt = -1;

  constructor(world: World, dice: Dice, count: number) {
    this.#world = world;
    this.#dice = dice;
    this.#heldPlaces = new RandomHeldPlaces(world, dice);
    this.#renames = new RandomRenames(world, dice);
    this.#sources = sources.slice(0, count);
    for (const source of this.#sources) {
      const { month: at, value } = source;
      const rows = source.places.map((place) => ({ place, month: at, value, link: undefined }));
      world.do(root, this.#publish({ source, rows }));
    }
  }

  /** The next month of a file, now and then leaving one out, or bringing a left-out one late. */
  release(): AcceptRelease {
    const draft = this.#draft();
    const accept = this.#publish(draft);
    // Sent by somebody with a stake in what it settles, it is held.
    this.#held.set(accept.release.id, { draft, release: accept.release });
    return accept;
  }

  /** The next file, but mostly what becomes of one that is held, where there is one. */
  publication(operators: readonly Actor[]): readonly [Actor, Command] {
    const held = [...this.#world.state.quarantine.values()];
    const waits = held.some(({ status }) => status === "quarantined") && this.#dice.chance(70);
    return waits ? this.quarantine(operators) : [root, this.release()];
  }

  /** A market that may be listed: a decline from a newest print, or a level. */
  listing(): Listing {
    const point = this.#anyPoint();
    const { index, valueE15, levelE12 } = point;
    // Of a place whose chain is broken nothing may be listed but by an operator.
    if (!isLevelIndex(index) && levelE12 === null) return this.levelListing();
    if (!isLevelIndex(index)) return this.#list(point, this.#dice.pick(declines));
    const whole = valueE15 / wholePrint + BigInt(this.#dice.below(2));
    return this.#list(point, this.#level(whole < 1n ? 1n : whole));
  }

  /** A level of anything, which an operator lists. */
  levelListing(): Listing {
    const point = this.#anyPoint();
    return this.#list(point, this.#level(point.valueE15 / wholePrint));
  }

  /** Validation holds a file back; what operators make of it, and what they may not. */
  quarantine(operators: readonly Actor[]): readonly [Actor, Command] {
    const dice = this.#dice;
    const operator = dice.pick(operators);
    const known = [...this.#world.state.quarantine.values()].slice(-3);
    if (known.length === 0 || dice.chance(15)) return [operator, this.#hold(this.#draft())];
    const [newest = dice.pick(known)] = dice.chance(70) ? known.slice(-1) : [];
    const { id, status } = newest;
    const held = this.#held.get(id);
    if (held === undefined) throw new Error(`${id} was held back here`);
    if (status === "rejected" || dice.chance(8)) return [operator, heldBack(held.release)];
    if (dice.chance(12)) return [operator, { type: "RejectRelease", releaseId: id, reason: "why" }];
    const isApproved = this.#world.voices(releaseSubject(id)).length > 0;
    if (!isApproved && dice.chance(85)) {
      return [operator, { type: "ApproveRelease", releaseId: id }];
    }
    const again = this.#publish(held.draft);
    const { held: _held, ...release } = held.release;
    const { firstPrints, held: places = 0 } = again.release;
    const counts = { firstPrints, ...(places > 0 ? { held: places } : {}) };
    const accept = { ...again, release: { ...release, ...counts } };
    return [operator, dice.chance(90) ? { ...accept, fromQuarantine: true } : accept];
  }

  /** A file of which one place is held, or what operators make of a place that is. */
  heldPlace(operators: readonly Actor[]): readonly [Actor, Command] {
    const held = this.#heldPlaces.any();
    if (held !== undefined && this.#dice.chance(80)) {
      return this.#heldPlaces.decision(held, operators);
    }
    return [root, this.#heldPlaces.withOneHeld(this.release())];
  }

  /** A place under another id in a file, or a word about one. */
  renaming(operators: readonly Actor[]): readonly [Actor, Command] {
    const said = this.#dice.chance(75) ? this.#renames.decision(operators) : undefined;
    if (said !== undefined) return said;
    const draft = this.#draft();
    const whole = this.#publish(draft);
    const [accept, moved] = this.#renames.withOneMoved(whole, draft.rows);
    const rows = draft.rows.filter(({ place }) => place !== moved);
    this.#heldPlaces.remember(accept.release.id, rows);
    // Where it is held, the file is taken later without that place.
    this.#held.set(accept.release.id, { draft: { ...draft, rows }, release: accept.release });
    return [root, accept];
  }

  /** Places become known that files had from the start, which are then read again. */
  places(): readonly [Actor, Command] {
    const { state, sequence } = this.#world;
    const source = this.#sources.find(({ places }) => places.some(isCounty));
    if (source === undefined) return [root, this.release()];
    const ofIndex = [...state.releases.values()].filter(({ index }) => index === source.index);
    const due = ofIndex.filter(({ rereadDue }) => rereadDue === true);
    const late = latePlaces.find((place) => !this.#isKnown(place));
    if (late === undefined) return [root, this.release()];
    // The exchange alone gives it, one at a time: a second beginning of a place stops the node.
    if (due.length > 0 && this.#rereadAt !== sequence) {
      this.#rereadAt = sequence;
      return [system, this.#reread(source, due, late)];
    }
    const unmatched = ofIndex.filter((release) => release.unmatched > 0);
    const rereadDue = unmatched.map(({ id }) => id);
    return [root, { type: "LoadGeo", nodes: [geoOf(late)], sha256: late, rereadDue }];
  }

  #draft(): Draft {
    const source = this.#dice.chance(80) ? this.#earliest() : this.#dice.pick(this.#sources);
    const points = this.#publishedOf(source);
    const at = this.#nextMonth(firstOf(points));
    const due = monthEndMillis(at) + 15 * DAY_MILLIS;
    if (due > this.#world.nowMillis && this.#dice.chance(80)) this.#world.runTo(due);
    const open = points.filter((point) => at > point.month || point.gaps.includes(at));
    const rows = open.map((point) => {
      const value = (point.valueE15 * BigInt(950 + this.#dice.below(80))) / 1000n;
      const link = this.#link(point);
      return {
        place: point.nodeId,
        month: formatMonth(at),
        value: formatPrintValue(printValue(value)),
        link,
      };
    });
    return { source, rows };
  }

  /**
   * Links as this state has them: of a draft that was held, the chain may have gone on since. Of a
   * place that is held the file brings nothing yet.
   */
  #publish({ source, rows }: Draft): AcceptRelease {
    const world = this.#world;
    const { index } = source;
    world.index = index;
    const seen = rows.map(({ place, month: at, value, link }) => {
      world.place = place;
      return world.observe(at, value, link);
    });
    const { type, release } = world.release(...seen);
    this.#heldPlaces.remember(release.id, rows);
    const observations = seen.filter(({ nodeId: of }) => !this.#heldPlaces.isHeld(index, of));
    const held = seen.length - observations.length;
    const known = latePlaces.filter((place) => this.#isKnown(place)).length;
    const unmatched = source.places.some(isCounty) ? latePlaces.length - known : 0;
    const counts = { unmatched, firstPrints: observations.length, ...(held > 0 ? { held } : {}) };
    return { type, release: { ...release, ...counts }, observations };
  }

  #hold(draft: Draft): Command {
    const { release } = this.#publish(draft);
    this.#held.set(release.id, { draft, release });
    return heldBack(release);
  }

  #isKnown(late: NodeId): boolean {
    const hasPrint = this.#world.state.chainPoints.has(`zori|${late}`);
    return hasPrint || this.#heldPlaces.isHeld("zori", late);
  }

  /** The newest file that is due begins the place; now and then validation holds it from one on. */
  #reread({ index }: Source, due: readonly AcceptedRelease[], late: NodeId): Command {
    const carrying = due.filter(({ unmatched }) => unmatched > 0);
    const heldAt = this.#dice.chance(40) ? this.#dice.below(carrying.length) : carrying.length;
    const held = carrying.slice(heldAt);
    for (const { id, lastMonth } of held)
      this.#heldPlaces.carriedLate(id, lateRow(late, lastMonth));
    const taken = carrying.slice(0, heldAt);
    const newest = taken.reduce<AcceptedRelease | undefined>(later, undefined);
    const [first] = held;
    this.#world.index = index;
    this.#world.place = late;
    const print = ({ lastMonth }: AcceptedRelease) =>
      this.#world.observe(formatMonth(lastMonth), LATE_VALUE);
    return {
      type: "RereadReleases",
      index,
      level: due[0]?.level ?? "",
      releases: due.map((release) => ({
        releaseId: release.id,
        matched: taken.includes(release) ? 1 : 0,
        ...(held.includes(release) ? { held: 1 } : {}),
        firstPrints: release === newest ? 1 : 0,
        revisions: 0,
        unchanged: 0,
        rescaled: 0,
        printsDigest: "",
        latestDigest: "",
      })),
      newest: newest === undefined ? [] : [{ ...print(newest), releaseId: newest.id }],
      ...(first === undefined ? {} : { heldPlaces: [heldFrom(first.id, print(first))] }),
    };
  }

  #list({ index, nodeId: place, month: newest }: ChainPoint, payoff: Payoff): Listing {
    const world = this.#world;
    world.index = index;
    world.place = place;
    world.successor = this.#successorOf(index, place, payoff);
    const period = periodMonths[index];
    const soonest = Math.max(1, Math.ceil((monthAt(world.nowMillis) - newest) / period));
    const ahead = soonest + this.#dice.below(period === 1 ? 3 : 2);
    return world.listing(formatMonth(addMonths(newest, period * ahead)), payoff);
  }

  /** Another place of the same files, or none. */
  #successorOf(index: IndexKind, place: NodeId, { kind }: Payoff): NodeId | null {
    const source = this.#sources.find((one) => one.index === index);
    const others = (source?.places ?? []).filter((other) => other !== place);
    const hasNone = this.#dice.chance(40) || kind === "level";
    return hasNone ? null : this.#dice.pick([null, ...others, ...others]);
  }

  #level(whole: bigint): Payoff {
    const comparator = this.#dice.pick(["gte", "lte"] as const);
    return { kind: "level", comparator, thresholdE15: printValue(whole * wholePrint) };
  }

  #nextMonth({ index, month: newest, gaps }: ChainPoint): Month {
    const gap = gaps.at(0);
    if (gap !== undefined && this.#dice.chance(30)) return gap;
    return addMonths(newest, periodMonths[index] * (this.#dice.chance(10) ? 2 : 1));
  }

  /** Now and then none, or the provider has rescaled: the month before reads otherwise. */
  #link({ valueE15 }: ChainPoint): string | null | undefined {
    if (this.#dice.chance(5)) return null;
    if (!this.#dice.chance(6)) return undefined;
    return formatPrintValue(printValue((valueE15 * BigInt(800 + this.#dice.below(400))) / 1000n));
  }

  /** The file whose next month ends first. */
  #earliest(): Source {
    const nextOf = (source: Source): number =>
      firstOf(this.#publishedOf(source)).month + periodMonths[source.index];
    return this.#sources.reduce((one, other) => (nextOf(other) < nextOf(one) ? other : one));
  }

  #pointsOf({ index, places: [first = texas] }: Source): readonly ChainPoint[] {
    return [...this.#world.state.chainPoints.values()].filter(
      (point) => point.index === index && levelOf(point.nodeId) === levelOf(first),
    );
  }

  #publishedOf(source: Source): readonly ChainPoint[] {
    return this.#pointsOf(source).map((point) => this.#heldPlaces.published(point));
  }

  #anyPoint(): ChainPoint {
    return this.#dice.pick(this.#pointsOf(this.#dice.pick(this.#sources)));
  }
}

const LATE_VALUE = "1500";

const lateRow = (place: NodeId, at: Month): PlaceRow => ({
  place,
  month: formatMonth(at),
  value: LATE_VALUE,
  link: undefined,
});

/** Of equals the first. */
const later = (one: AcceptedRelease | undefined, other: AcceptedRelease): AcceptedRelease =>
  one === undefined || other.lastMonth > one.lastMonth ? other : one;

const isCounty = (place: NodeId): boolean => levelOf(place) === "county";

function firstOf(points: readonly ChainPoint[]): ChainPoint {
  const [first] = points;
  if (first === undefined) throw new Error("the first prints are there from the start");
  return first;
}

const heldBack = (release: AcceptRelease["release"]): Command => ({
  type: "QuarantineRelease",
  release,
  reasons: [{ code: "UNIT_SLIP", message: "drill" }],
});

const geoOf = (id: NodeId): GeoRecord => ({
  id,
  level: "county",
  name: id,
  stateCode: "TX",
  fips: id.slice("county:".length),
  aliases: [],
  parentIds: [texas],
  housingUnits: 1_000,
  active: true,
  providerIds: [],
});
