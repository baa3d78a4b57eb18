// GET /api/model: how good the reference prices have been, by the record and by the prints here.
// Invariant: a figure never stands without the number of pairs it is of, nor without its hindsight.
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { Type } from "typebox";
import { formatMonth } from "#base/month.ts";
import { LIVE_MONTHS, LIVE_PLACES, LiveRecord, type LiveScores } from "#quoting/live-record.ts";
import { panels, record, recordedOn, weakSpots } from "#quoting/model-record.ts";
import type { MarketData, ReferenceData } from "#quoting/reference.ts";
import { nothing, publicData, type Route } from "../route/route.ts";

const ByLayer = (description: string) =>
  Type.Array(Type.Union([Type.Number(), Type.Null()]), {
    description: `${description}, of the layers 2–10, 5–15 and 8–20 %; null where nothing was paid`,
  });

const Figures = {
  model: Type.String(),
  brier: Type.Number({
    description: "mean over six events, declines of 2 to 20 %; lower is better",
  }),
  log: Type.Number({ description: "log score of the same events; lower is better" }),
  fairOverPayout: ByLayer("mean fair value over mean payout"),
  priceOverPayout: ByLayer("mean price without add-ons over mean payout"),
};

const ModelAnswer = Type.Object(
  {
    model: Type.String({ description: "the model that quotes" }),
    record: Type.Object({
      date: Type.String(),
      hindsight: Type.String(),
      rows: Type.Array(
        Type.Object({
          panel: Type.String(),
          places: Type.Integer(),
          pairs: Type.Integer({ description: "of origin and outcome, over all horizons" }),
          origins: Type.String(),
          horizonMonths: Type.Union([Type.Integer(), Type.Null()], {
            description: "null: the mean over 6, 12, 18, 24 and 36 months",
          }),
          ...Figures,
        }),
      ),
    }),
    live: Type.Object({
      hindsight: Type.String(),
      rows: Type.Array(
        Type.Object({
          index: Type.String(),
          level: Type.String(),
          horizonMonths: Type.Integer(),
          firstMonth: Type.String({ description: "of the months whose prints were foretold" }),
          lastMonth: Type.String(),
          pairs: Type.Integer(),
          knownThen: Type.Integer({ description: "pairs whose origin was itself a first print" }),
          ...Figures,
        }),
      ),
    }),
    weakSpots: Type.Array(Type.String()),
  },
  { title: "ModelRecord" },
);

const recordHindsight =
  "Constants of each year were fitted only on outcomes before its January. The files are later " +
  "restatements of history, and the form of the models was chosen on them.";
const liveHindsight =
  `First prints of the newest ${LIVE_MONTHS} months here, foretold from the prints up to each ` +
  `origin with today's constants; at most ${LIVE_PLACES} places of a level. Of pairs beyond ` +
  "knownThen the origin's history came later than the origin.";

/** Draws the live record once between two releases, whoever asks, and serves others meanwhile. */
export class LiveOnce {
  readonly #ports: Pick<MarketData, "exchange" | "series">;
  #version = -1;
  #drawn: Promise<readonly LiveScores[]> = Promise.resolve([]);

  constructor(ports: Pick<MarketData, "exchange" | "series">) {
    this.#ports = ports;
  }

  scores(): Promise<readonly LiveScores[]> {
    const { version } = this.#ports.series;
    if (version !== this.#version) {
      this.#version = version;
      this.#drawn = this.#draw();
    }
    return this.#drawn;
  }

  async #draw(): Promise<readonly LiveScores[]> {
    const { version } = this.#ports.series;
    const steps = new LiveRecord(this.#ports).drawn();
    let step = steps.next();
    while (step.done !== true) {
      await yieldToLoop();
      step = steps.next();
    }
    // Prints that came meanwhile may have been seen by some of the steps only.
    return version === this.#ports.series.version ? step.value : this.#draw();
  }
}

export function showModel(ports: ReferenceData): Route {
  const live = new LiveOnce(ports);
  return publicData.read({
    url: "/api/model",
    access: "public",
    summary:
      "How good the reference prices have been: the record, and old forecasts against prints",
    cost: 5,
    params: nothing,
    query: nothing,
    data: ModelAnswer,
    read: async () => ({
      data: {
        model: ports.reference.model,
        record: {
          date: recordedOn,
          hindsight: recordHindsight,
          rows: record.map((one) => ({
            ...panels[one.panel],
            ...one,
            fairOverPayout: [...one.fairOverPayout],
            priceOverPayout: [...one.priceOverPayout],
          })),
        },
        live: { hindsight: liveHindsight, rows: (await live.scores()).map(liveShown) },
        weakSpots: [...weakSpots],
      },
    }),
  });
}

const liveShown = ({ firstMonth, lastMonth, scores, ...one }: LiveScores) => ({
  ...one,
  firstMonth: formatMonth(firstMonth),
  lastMonth: formatMonth(lastMonth),
  pairs: scores.pairs,
  brier: scores.brier,
  log: scores.log,
  fairOverPayout: scores.premiumOverPayout.map(finite),
  priceOverPayout: scores.priceOverPayout.map(finite),
});

const finite = (ratio: number): number | null => (Number.isFinite(ratio) ? ratio : null);
