// The names that records are kept under where two or three ids make one.
// Invariant: two records have one name only where they are the same.
import type { AccountId, MarketId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { calendarMonth, type Month } from "#base/month.ts";

export const positionName = (account: AccountId, market: MarketId): string =>
  `${account}|${market}`;

export const clientOrderName = (account: AccountId, clientOrderId: string): string =>
  `${account}|${clientOrderId}`;

export const groupName = (account: AccountId, group: string): string => `${account}|${group}`;

export const cancelAfterName = (account: AccountId, market: MarketId | null): string =>
  `${account}|${market ?? ""}`;

export const awaitingName = (index: string, node: string, month: number): string =>
  `${index}|${node}|${month}`;

/** The series of a month of an index: of weather, each month of the year has its own. */
export const chainPointName = (index: IndexKind, node: string, month: Month): string =>
  index === "weather" ? `${index}|${node}|${calendarMonth(month)}` : `${index}|${node}`;

interface SeriesName {
  readonly index: IndexKind;
  readonly level: string;
  readonly variable?: string | undefined;
}

/** A place in one series of files. */
export const heldPlaceName = ({ index, level, variable }: SeriesName, node: string): string =>
  `${index}|${level}|${variable ?? ""}|${node}`;

/** A place whose map to another region waits for its second word; it may be held beside it. */
export const renamingName = (series: SeriesName, node: string): string =>
  `${heldPlaceName(series, node)}|renamed`;

/** The subject of entries in which this was done, besides the name of the entry itself. */
export const actionSubject = (action: string): string => `action:${action}`;
