// The auditor's own rules of markets whose print does not come: since when they wait, and the step
// that ends them.
// Invariant: nothing of the core is called; of prints the chain is taken as told when they came.
import assert from "node:assert/strict";
import type { Baseline } from "#contract/terms.ts";
import type { Command, CommandOf, Envelope } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { ChainPoint, Market } from "#core/records.ts";
import type { State } from "#core/state.ts";

const WAIT_MILLIS = 60 * 86_400_000;

interface Series {
  newest: ChainPoint;
  newestAtMillis: number;
  /** Every month that was ever the newest. */
  readonly points: Map<number, ChainPoint>;
}

type Print = Pick<ChainPoint, "month" | "valueE15" | "levelE12" | "releaseId">;

export class Fallbacks {
  readonly #markets: ReadonlyMap<string, Market>;
  readonly #series = new Map<string, Series>();
  /** Markets for which a fallback has begun. */
  readonly #begun = new Set<string>();

  constructor(markets: ReadonlyMap<string, Market>) {
    this.#markets = markets;
  }

  /** Before the events of the entry are seen; `done`: what took effect by it. */
  follow({ command, timeMillis }: Envelope, done: Command | undefined): void {
    if (command.type === "BeginFallback") this.#begin(command.marketId, timeMillis);
    const meant = done ?? command;
    if (meant.type === "SettleByFallback") this.#assertApplies(meant, timeMillis);
  }

  see(events: readonly Event[], timeMillis: number): void {
    for (const event of events) {
      if (event.type !== "FrontierMoved") continue;
      const { frontier } = event;
      const name = nameOf(frontier.index, frontier.nodeId, frontier.month);
      const before = this.#series.get(name);
      const isNew = before?.newest.month !== frontier.month;
      const newestAtMillis = isNew ? timeMillis : (before?.newestAtMillis ?? timeMillis);
      const points = (before?.points ?? new Map()).set(frontier.month, frontier);
      this.#series.set(name, { newest: frontier, newestAtMillis, points });
    }
  }

  compareAll({ lastTimeMillis, markets }: State): void {
    for (const { id, status, terms, fallbackSinceMillis } of markets.values()) {
      assert.equal(
        fallbackSinceMillis !== undefined,
        this.#begun.has(id),
        `${id} waits for people`,
      );
      const isLive = status === "ACTIVE" || status === "PAUSED";
      const isDue = terms.expectedAtMillis + WAIT_MILLIS < lastTimeMillis;
      assert.ok(!isLive || !isDue || this.#begun.has(id), `${id} has waited for 60 days`);
    }
  }

  #market = (id: string): Market => this.#markets.get(id) ?? assert.fail(`${id} is known`);

  #begin(id: string, nowMillis: number): void {
    const { terms } = this.#market(id);
    assert.equal(nowMillis, terms.expectedAtMillis + WAIT_MILLIS, `${id} waits for 60 days`);
    assert.ok(!this.#begun.has(id), `a fallback of ${id} begins once`);
    this.#begun.add(id);
  }

  /** Of a first word and of the second. */
  #assertApplies({ marketId, taken }: CommandOf<"SettleByFallback">, nowMillis: number): void {
    const market = this.#market(marketId);
    const { baseline, measurementMonth: end, expectedAtMillis, successor } = market.terms;
    assert.ok(nowMillis >= expectedAtMillis + WAIT_MILLIS, `${marketId} has waited`);
    const own = this.#of(market, market.terms.nodeId);
    if (taken.step === "void") {
      const isPrinted =
        own !== undefined &&
        (baseline === null
          ? own.newestAtMillis > market.createdAtMillis
          : own.newest.month > baseline.month);
      assert.ok(!isPrinted, `${marketId} is void only where nothing was printed`);
      return;
    }
    assert.ok(own !== undefined, `${marketId} was printed`);
    if ((taken.step === "cash" || taken.step === "median") && taken.last === null) {
      assert.equal(baseline, null, `${marketId} is of a level`);
      return;
    }
    assert.ok(baseline !== null && taken.last !== null, `${marketId} has a chain`);
    const chained = [...own.points.values()].filter(
      ({ month, levelE12 }) => month <= end && month >= baseline.month && levelE12 !== null,
    );
    const last = chained.sort((a, b) => a.month - b.month).at(-1);
    this.#assertPrint(taken.last, last);
    const beside = successor === null ? undefined : this.#of(market, successor);
    if (taken.step === "successor") {
      this.#assertPrint(taken.from, beside?.points.get(taken.last.month));
      this.#assertPrint(taken.to, beside?.points.get(end));
      return;
    }
    const run = taken.last.month - baseline.month;
    const hasRun = run * 5 >= (end - baseline.month) * 4;
    assert.equal(hasRun, taken.step === "last-level", `four fifths of ${marketId} were printed`);
    const isFirst = beside?.newest.month === end && taken.last.month < end;
    const had = beside?.points.get(taken.last.month);
    const isBetter = isFirst && beside?.newest.levelE12 !== null && had !== undefined;
    assert.ok(!isBetter, `the successor of ${marketId} comes first`);
  }

  #assertPrint({ month, valueE15, levelE12, releaseId }: Baseline, known: Print | undefined): void {
    const print: Print = { month, valueE15, levelE12, releaseId };
    const shown = known && {
      month: known.month,
      valueE15: known.valueE15,
      levelE12: known.levelE12,
      releaseId: known.releaseId,
    };
    assert.deepEqual(print, shown, "a step rests on a print there is");
  }

  #of({ terms }: Market, place: string): Series | undefined {
    return this.#series.get(nameOf(terms.index, place, terms.measurementMonth));
  }
}

/** Of weather each month of the year has a series of its own. */
const nameOf = (index: string, place: string, month: number): string =>
  index === "weather" ? `${index} ${place} ${month % 12}` : `${index} ${place}`;
