// Times as people write them, and as the exchange takes and gives them.
// Invariant: a time without a zone is refused, but for a plain date, which is its midnight in UTC.
import { UsageFault } from "./faults.ts";

const form = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** `2024-11-20` or `2024-11-20T15:00:00Z` → ISO 8601 in UTC. */
export function instantOf(text: string, name: string): string {
  const date = form.exec(text)?.[1];
  const millis = date === undefined || !isDay(date) ? Number.NaN : Date.parse(text);
  if (Number.isNaN(millis)) {
    throw new UsageFault(`${name} must be a time such as 2024-11-20 or 2024-11-20T15:00:00Z`);
  }
  return new Date(millis).toISOString();
}

/** Unix seconds, written as such or as a time. */
export function secondsOf(text: string, name: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return Math.floor(Date.parse(instantOf(text, `${name} (Unix seconds, or a time)`)) / 1000);
}

const unitSeconds = new Map([
  ["", 1],
  ["s", 1],
  ["m", 60],
  ["h", 3600],
  ["d", 86_400],
  ["w", 604_800],
]);

/** `90`, `15m`, `12h`, `3d`, `2w` → seconds. */
export function durationSeconds(text: string): number {
  const match = /^(\d{1,9})([smhdw]?)$/.exec(text);
  const unit = unitSeconds.get(match?.[2] ?? "?");
  if (match === null || unit === undefined) {
    throw new UsageFault("the duration must be written 90s, 15m, 12h, 3d or 2w");
  }
  return Number(match[1]) * unit;
}

/** Date.parse takes 30 February for 1 March. */
function isDay(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}
