// A source of downloads as an operator sees it: what came last, what is due, what went wrong.
// Invariant: a print is overdue by what the exchange has accepted, whoever brought the file.
import { DAY_MILLIS } from "#base/day.ts";
import type { ReleaseId } from "#base/ids.ts";
import { addMonths, type Month } from "#base/month.ts";
import { hasPrintIn } from "#contract/level.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { expectedPublicationMillis } from "#prints/release.ts";
import { withoutQuery } from "./download.ts";
import type { DownloadFault } from "./fault.ts";
import type { DownloadSource } from "./plan.ts";

/** A provider's day of the month is its habit: releases came up to two weeks later. */
const GRACE_MILLIS = 14 * DAY_MILLIS;
/** One broken connection is nothing; three, in seven minutes, are told to an operator. */
const FAILURES_TOLD = 3;
/** No later attempt of the same plan can help. */
const lasting: readonly string[] = ["TOO_LARGE", "NOT_ALLOWED", "PRIVATE_ADDRESS"];

interface Said {
  readonly code: string;
  readonly message: string;
}

/** Notes of a downloader about a source that it visits. */
export interface Visits {
  askedAtMillis: number | null;
  /** When a file was fetched. */
  cameAtMillis: number | null;
  /** Where it was asked for, the last time. */
  address: string | null;
  failures: number;
  failingSinceMillis: number | null;
  fault: Said | null;
  /** The last file was refused by the intake. */
  refusal: (Said & { readonly atMillis: number }) | null;
  /** The last file that was taken, accepted or held. */
  releaseId: ReleaseId | null;
}

export const noVisits = (): Visits => ({
  askedAtMillis: null,
  cameAtMillis: null,
  address: null,
  failures: 0,
  failingSinceMillis: null,
  fault: null,
  refusal: null,
  releaseId: null,
});

export interface DownloadState extends Visits {
  readonly provider: string;
  readonly index: string;
  readonly level: string;
  /** As the plan has it, without the query. */
  readonly file: string;
  readonly everyHours: number;
  /** When it is asked for the next time. */
  readonly dueAtMillis: number;
  readonly release: AcceptedRelease | null;
  readonly nextPrint: NextPrint | null;
  /** Since when a person should look at it; null: nothing is wrong. */
  readonly wrongSinceMillis: number | null;
}

interface NextPrint {
  readonly month: Month;
  readonly expectedAtMillis: number;
  readonly overdueSinceMillis: number | null;
}

export function stateOf(
  source: DownloadSource,
  visits: Visits,
  releases: ReadonlyMap<ReleaseId, AcceptedRelease>,
  dueAtMillis: number,
  nowMillis: number,
): DownloadState {
  const { provider, index, level, url, everyHours } = source;
  const release = releaseOf(source, visits, releases);
  const nextPrint = release === null ? null : nextPrintOf(source, release.lastMonth, nowMillis);
  const wrong = [
    isFailing(visits) ? visits.failingSinceMillis : null,
    visits.refusal?.atMillis ?? null,
    nextPrint?.overdueSinceMillis ?? null,
  ].filter((millis) => millis !== null);
  return {
    ...visits,
    ...{ provider, index, level, everyHours, dueAtMillis, release, nextPrint },
    file: decodeURI(withoutQuery(url)),
    wrongSinceMillis: wrong.length === 0 ? null : Math.min(...wrong),
  };
}

const isFailing = ({ failures, fault }: Visits): boolean =>
  failures >= FAILURES_TOLD || (failures > 0 && lasting.includes(fault?.code ?? ""));

/** Of weather the release of this file, where it is known; else the newest of the level. */
function releaseOf(
  { index, level }: DownloadSource,
  { releaseId }: Visits,
  releases: ReadonlyMap<ReleaseId, AcceptedRelease>,
): AcceptedRelease | null {
  const own = releaseId === null ? undefined : releases.get(releaseId);
  let newest: AcceptedRelease | null = null;
  for (const release of releases.values()) {
    if (release.index !== index || release.level !== level) continue;
    if (index === "weather" && own !== undefined && release.variable !== own.variable) continue;
    if (newest === null || release.lastMonth >= newest.lastMonth) newest = release;
  }
  return newest;
}

function nextPrintOf(
  { provider, index }: DownloadSource,
  newest: Month,
  nowMillis: number,
): NextPrint {
  let month = addMonths(newest, 1);
  while (!hasPrintIn(index, month)) month = addMonths(month, 1);
  const expectedAtMillis = expectedPublicationMillis(provider, month);
  const lateAtMillis = expectedAtMillis + GRACE_MILLIS;
  return {
    month,
    expectedAtMillis,
    overdueSinceMillis: lateAtMillis <= nowMillis ? lateAtMillis : null,
  };
}

/** The answer to a question that takes nothing. */
export type Asked =
  | {
      readonly outcome: "new";
      readonly address: string;
      readonly bytes: number | null;
      readonly lastModified: string | null;
    }
  | { readonly outcome: "unchanged"; readonly address: string }
  | { readonly outcome: "fault"; readonly code: string; readonly message: string };

export const faultAsked = ({ code, message }: DownloadFault): Asked => ({
  outcome: "fault",
  code,
  message,
});
