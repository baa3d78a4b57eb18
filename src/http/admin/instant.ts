// An instant as an operator writes it: ISO 8601, with its zone.
// Invariant: a day that the calendar does not have is no instant; nothing is rolled over.

const form = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds since 1970; a date alone is its first instant, UTC. */
export function parseInstant(text: string): number | undefined {
  const day = form.exec(text)?.[1];
  if (day === undefined) return undefined;
  const millis = Date.parse(text);
  const dayMillis = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(millis) || Number.isNaN(dayMillis)) return undefined;
  return new Date(dayMillis).toISOString().startsWith(day) ? millis : undefined;
}

export const instantForm = "must be an ISO 8601 time such as 2024-11-20 or 2024-11-20T09:30:00Z";
