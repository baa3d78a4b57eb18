// GET /api/overview: every place of a level, with its newest value and the price of a layer.
// Invariant: all rows of an answer are of the same prints, and it is made once for all who ask.
import { setTimeout as pause } from "node:timers/promises";
import { type Static, Type } from "typebox";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { formatMonth, type Month, monthAt, monthEndMillis } from "#base/month.ts";
import type { DeclinePayoff } from "#contract/series.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { geoLevels } from "#geo/node.ts";
import {
  type OverviewAsked,
  overviewSteps,
  type PlaceOverview,
  unpriceable,
} from "#quoting/overview.ts";
import type { ReferenceData } from "#quoting/reference.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import { jsonType } from "../route/envelope.ts";
import { invalidField, type Refused, refuse } from "../route/errors.ts";
import { closed, nothing, type Page, publicData, type Route } from "../route/route.ts";
import { type KeepingPorts, keptUntil } from "./kept-until.ts";
import { nextPublication } from "./next-publication.ts";

export interface OverviewPorts extends ReferenceData, AttributionPorts, KeepingPorts {}

const COST = 5;
const DEFAULT_MONTHS = 12;
const MOST_MONTHS = { zhvi: 60, zori: 36, vacancy: 60, weather: 60 } as const;
const layerNames = ["200-1000", "500-1500", "800-2000"] as const;

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

const OverviewPlace = Type.Object(
  {
    nodeId: Type.String(),
    name: Type.String(),
    stateCode: Type.String(),
    fips: TextOrNull,
    value: Type.Number(),
    yoy: Type.Union([Type.Number(), Type.Null()]),
    asOfMonth: Type.String(),
    expiry: Type.String({ description: "the month that the price is for: asOfMonth and `months`" }),
    price: Type.Union([Type.Number(), Type.Null()], {
      description: "the reference price of the layer, per 1 of coverage; null where there is none",
    }),
    priceReason: Type.Union([Type.Enum([...unpriceable]), Type.Null()], {
      description: "why there is no price, as a quote of it would be refused; else null",
    }),
    attribution: Type.String(),
  },
  { title: "OverviewPlace" },
);
type OverviewPlaceData = Static<typeof OverviewPlace>;

const siblings = {
  index: Type.Enum([...indexKinds]),
  level: Type.Enum([...geoLevels]),
  months: Type.Integer(),
  layer: Type.Enum([...layerNames]),
  newestRelease: Type.Union([
    Type.Object(
      { id: Type.String(), publishedAt: Type.String(), ingestedAt: Type.String() },
      { description: "the newest accepted of the index at the level" },
    ),
    Type.Null(),
  ]),
  nextExpectedAt: Type.Union([Type.String(), Type.Null()], {
    description: "when the print after the newest is expected; past once it is late",
  }),
};

const query = closed({
  index: Type.Optional(Type.Enum([...indexKinds], { default: "zhvi" })),
  level: Type.Enum([...geoLevels], {
    description: "state or county; one finer than a county needs `state`",
  }),
  state: Type.Optional(Type.String({ pattern: "^[A-Za-z]{2}$" })),
  months: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, default: DEFAULT_MONTHS })),
  layer: Type.Optional(Type.Enum([...layerNames], { default: "200-1000" })),
});

export function showOverview(ports: OverviewPorts): Route {
  const overviews = new Overviews(ports);
  return publicData.read({
    url: "/api/overview",
    access: "public",
    isHot: true,
    summary: "Every place of a level: newest value, change over a year, and what a layer costs",
    refusals: ["OVERLOADED"],
    cost: COST,
    params: nothing,
    query,
    data: Type.Array(OverviewPlace),
    siblings,
    read: async ({ query: sent }) => {
      const asked = askedOf(sent);
      if ("refused" in asked) return asked;
      const page = await overviews.page(asked);
      if (page === undefined) return refuse("OVERLOADED");
      return { ...page, headers: keptUntil(ports, page.expectedMillis) };
    },
  });
}

interface NamedLayer extends OverviewAsked {
  readonly layer: (typeof layerNames)[number];
}

function askedOf(sent: Static<typeof query>): NamedLayer | Refused {
  const { index = "zhvi", level, state, months = DEFAULT_MONTHS, layer = "200-1000" } = sent;
  if (state === undefined && level !== "state" && level !== "county") {
    return invalidField("state", `must be given for the level ${level}, such as TX`);
  }
  if (months > MOST_MONTHS[index]) {
    return invalidField("months", `must be at most ${MOST_MONTHS[index]} for ${index}`);
  }
  return { index, level, stateCode: state?.toUpperCase(), months, layer, payoff: payoffOf(layer) };
}

function payoffOf(layer: string): DeclinePayoff {
  const [attachBps = 0, exhaustBps = 0] = layer.split("-").map(Number);
  return { kind: "layered", attachBps, exhaustBps };
}

interface Kept {
  /** The prints, places and month it was made of. */
  readonly basis: string;
  readonly page: OverviewPage;
}

interface OverviewPage extends Page {
  /** When the first of its places has a newer print, or its months are counted from the next. */
  readonly expectedMillis: number | undefined;
}

const SLICE_MILLIS = 5;
/** As long as a slice: the overview takes half of the loop at most. */
const PAUSE_MILLIS = 5;
const MOST_KEPT_BYTES = 33_554_432;
const MOST_WAITING = 8;
const MOST_TRIES = 3;

class Overviews {
  readonly #ports: OverviewPorts;
  /** The one used last at the end. */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;
  readonly #underWay = new Map<string, Promise<OverviewPage | undefined>>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ports: OverviewPorts) {
    this.#ports = ports;
  }

  /** Undefined where too many wait, or prints came all the while. */
  page(asked: NamedLayer): Promise<OverviewPage | undefined> | OverviewPage | undefined {
    const { index, level, stateCode = "", months, layer } = asked;
    const name = [index, level, stateCode, months, layer].join(" ");
    const kept = this.#kept.get(name);
    if (kept?.basis === this.#basis()) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept.page;
    }
    const known = this.#underWay.get(name);
    if (known !== undefined || this.#underWay.size >= MOST_WAITING) return known;
    const work = this.#turn.then(() => this.#make(name, asked));
    this.#turn = work.catch(() => undefined);
    this.#underWay.set(name, work);
    const over = (): void => void this.#underWay.delete(name);
    work.then(over, over);
    return work;
  }

  #basis(): string {
    const { series, exchange } = this.#ports;
    return [series.version, exchange.releases.size, exchange.geo.version, this.#month()].join(" ");
  }

  #month(): Month {
    return monthAt(this.#ports.engine.status().engineTimeMillis);
  }

  async #make(name: string, asked: NamedLayer): Promise<OverviewPage | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const basis = this.#basis();
      const made = await this.#inSlices(basis, asked);
      if (made === undefined) continue;
      const page = { contentType: jsonType, headers: {}, ...made };
      this.#keep(name, { basis, page });
      return page;
    }
    return undefined;
  }

  /** Undefined where it broke off: the prints are others. */
  async #inSlices(basis: string, asked: NamedLayer) {
    const rows: string[] = [];
    let newest: Month | undefined;
    let began = performance.now();
    for (const place of overviewSteps(this.#ports, asked, this.#month())) {
      if (place !== undefined) {
        rows.push(JSON.stringify(rowOf(this.#ports, place)));
        const { asOf } = place;
        if (newest === undefined || asOf > newest) newest = asOf;
      }
      if (performance.now() - began < SLICE_MILLIS) continue;
      await pause(PAUSE_MILLIS);
      if (this.#basis() !== basis) return undefined;
      began = performance.now();
    }
    const beside = this.#beside(asked, newest);
    const { nextExpectedAt } = beside;
    const monthEnds = monthEndMillis(this.#month());
    return {
      expectedMillis:
        nextExpectedAt === null ? undefined : Math.min(Date.parse(nextExpectedAt), monthEnds),
      bytes: Buffer.from(
        `{"success":true,"data":[${rows.join(",")}],${JSON.stringify(beside).slice(1)}`,
      ),
    };
  }

  #beside({ index, level, months, layer }: NamedLayer, newest: Month | undefined) {
    const releases = [...this.#ports.exchange.releases.values()];
    const release = releases.findLast((one) => one.index === index && one.level === level);
    const newestRelease = release === undefined ? null : releaseShown(release);
    const nextExpectedAt = nextExpected(release, index, newest);
    return { index, level, months, layer, newestRelease, nextExpectedAt };
  }

  #keep(name: string, kept: Kept): void {
    this.#drop(name);
    this.#kept.set(name, kept);
    this.#keptBytes += kept.page.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= MOST_KEPT_BYTES) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#keptBytes -= this.#kept.get(name)?.page.bytes.length ?? 0;
    this.#kept.delete(name);
  }
}

function rowOf(ports: OverviewPorts, place: PlaceOverview): OverviewPlaceData {
  const { node, shown, expiry, price } = place;
  const isPriced = typeof price === "number";
  return {
    nodeId: node.id,
    name: node.name,
    stateCode: node.stateCode,
    fips: node.fips,
    value: shown.value,
    yoy: shown.yoy,
    asOfMonth: shown.asOfMonth,
    expiry: formatMonth(expiry),
    price: isPriced ? price : null,
    priceReason: isPriced ? null : price.unpriced,
    attribution: attributionOfRelease(ports, shown.releaseId),
  };
}

const releaseShown = ({ id, publishedAtMillis, ingestedAtMillis }: AcceptedRelease) => ({
  id,
  publishedAt: new Date(publishedAtMillis).toISOString(),
  ingestedAt: new Date(ingestedAtMillis).toISOString(),
});

/** Null where there is no release, or none of a provider whose days are known. */
function nextExpected(
  release: AcceptedRelease | undefined,
  index: IndexKind,
  newest: Month | undefined,
): string | null {
  if (release === undefined || newest === undefined) return null;
  const next = nextPublication({ provider: release.provider, index }, newest);
  return next === undefined ? null : new Date(next.atMillis).toISOString();
}
