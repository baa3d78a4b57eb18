// An entry of the trail in words: its time to the second, and what was done.
// Invariant: times are in UTC, as the entries have them.
const seconds = new Intl.DateTimeFormat("en-CA", {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});

/** To the second, in UTC: "2027-05-04, 13:05:09". Takes Unix seconds. */
export const timeAndSeconds = (at: number): string => seconds.format(at * 1000);

/** Of `2027-05-04T13:05`, as a field has it, in UTC. */
export const secondsOf = (local: string): number => Math.floor(Date.parse(`${local}Z`) / 1000);

/** `release.ingested` as "release ingested", `rules.in_force` as "rules in force". */
export const actionWords = (action: string): string => action.replaceAll(/[._]/g, " ");
