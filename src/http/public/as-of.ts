// `asOf`: a series as the exchange knew it when a day ended, UTC.
// Invariant: what a release brought counts from the day it was ingested, whenever it is dated; once
// the day is over the answer never changes again.

import { Type } from "typebox";
import { DAY_MILLIS } from "#base/day.ts";
import type { NodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { addMonths, formatMonth } from "#base/month.ts";
import type { AcceptedRelease } from "#core/records.ts";
import type { Engine } from "#engine/engine.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { SeriesView } from "#views/series.ts";
import { parseInstant } from "../admin/instant.ts";
import { invalidField, type Refused } from "../route/errors.ts";

export const AsOf = Type.Optional(
  Type.String({
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    description: "a day written YYYY-MM-DD",
  }),
);

export interface Day {
  readonly endMillis: number;
}

/** Undefined when no day was named; a day that has not begun is nothing anybody knew. */
export function dayAsked(
  text: string | undefined,
  engine: Pick<Engine, "status">,
): Day | Refused | undefined {
  if (text === undefined) return undefined;
  const startMillis = parseInstant(text);
  if (startMillis === undefined) {
    return invalidField("asOf", "must be a day of the calendar written YYYY-MM-DD");
  }
  if (startMillis > engine.status().engineTimeMillis) {
    return invalidField("asOf", "must not be after today");
  }
  return { endMillis: startMillis + DAY_MILLIS };
}

interface AsOfPorts {
  readonly exchange: ExchangeView;
  readonly series: SeriesView;
}

/** A held place's prints count as known only from the decision to release it. */
export const knownSinceMillis = (
  { ingestedAtMillis, rereads = [] }: AcceptedRelease,
  node: NodeId,
): number =>
  rereads.find(({ place }) => place?.nodeId === node)?.place?.atMillis ?? ingestedAtMillis;

/** Undefined where nothing was known of the place yet. */
export function indexValueOn(ports: AsOfPorts, index: IndexKind, node: NodeId, day: Day) {
  const known = ports.series.points(index, node).filter(({ releaseId }) => {
    const release = ports.exchange.releases.get(releaseId);
    invariant(release !== undefined, `release ${releaseId}, whose print is known, is accepted`);
    return knownSinceMillis(release, node) < day.endMillis;
  });
  const newest = known.at(-1);
  if (newest === undefined) return undefined;

  const value = ports.series.indexValue(index, node, newest.month);
  invariant(value !== undefined, `${index} of ${node} has a value up to its own month`);
  // A month that a later release filled in lies before the newest one and was not known either.
  const months = new Set(known.map(({ month }) => formatMonth(month)));
  const knewYearAgo = months.has(formatMonth(addMonths(newest.month, -12)));
  return {
    ...value,
    series: value.series.filter(({ month }) => months.has(month)),
    yoy: knewYearAgo ? value.yoy : null,
  };
}
