// A list of ids in a query, with commas between.
// Invariant: as many are looked up as an endpoint allows, or none.
import { invalidField, type Refused } from "../route/errors.ts";

export function idsAsked(text: string, most: number, things: string): readonly string[] | Refused {
  const ids = text.split(",").map((id) => id.trim());
  if (ids.includes("")) return invalidField("ids", `must be ids of ${things} with commas between`);
  if (ids.length <= most) return ids;
  return invalidField("ids", `must name at most ${most} ${things}, not ${ids.length}`);
}
