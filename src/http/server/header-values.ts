// Headers as they were sent.
// Invariant: every value is given, in the order they came: Node itself would join or drop some.
import type { IncomingMessage } from "node:http";

const none: readonly string[] = [];

/** `name` in lower case. */
export function headerValues(
  { rawHeaders }: Pick<IncomingMessage, "rawHeaders">,
  name: string,
): readonly string[] {
  let values = none;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at];
    const value = rawHeaders[at + 1];
    if (sent?.length !== name.length || value === undefined) continue;
    if (sent === name || sent.toLowerCase() === name) values = [...values, value];
  }
  return values;
}
