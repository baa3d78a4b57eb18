// A place as a person names it, found by the exchange's search: an id, a zip, or a plain name.
// Invariant: a name that may mean two places is never guessed; the candidates are listed instead.
import { at, items } from "./answer.ts";
import type { ExchangeClient } from "./exchange.ts";
import { UsageFault } from "./faults.ts";

const MOST_CANDIDATES = 8;
const MOST_FOUND = 50;

/**
 * `zip:10001`, `10001`, `Austin, TX` → the place's id, as the exchange understands the text. With an
 * index, a place without it is refused with the nearest that has it. @throws UsageFault
 */
export async function placeId(
  exchange: ExchangeClient,
  text: string,
  index?: string,
): Promise<string> {
  if (text.includes(":") || text.toLowerCase() === "us") return text;
  if (text.trim() === "") throw new UsageFault("give a place: a zip, a name or an id");
  const answer = await exchange.read("/api/geo/search", { q: text, limit: MOST_FOUND });
  const [places, nearest] = ["data", "nearest"].map((name) => items(at(answer.json, name)));
  const [first] = places ?? [];
  if (first === undefined) throw unknownPlace(text, nearest ?? []);
  const named = Number(at(answer.json, "named"));
  const isOnly = named === 0 && places?.length === 1 && at(answer.json, "match") === "part";
  if (named !== 1 && !isOnly) {
    if (at(answer.json, "match") === "spelling") {
      throw listing(`no place is called "${text}"; did you mean one of these?`, places ?? []);
    }
    const meant = named > 1 ? places?.slice(0, named) : places;
    throw listing(`"${text}" may be any of these; give the id:`, meant ?? []);
  }
  const id = String(at(first, "id"));
  const having = nearest?.find((place) => items(at(place, "indexes")).includes(index));
  if (having === undefined || at(having, "id") === id) return id;
  throw listing(`${id} has no ${index} yet; the nearest place that has it:`, [having]);
}

const unknownPlace = (text: string, nearest: readonly unknown[]): UsageFault =>
  nearest.length === 0
    ? new UsageFault(`no place is called "${text}"; try \`search\``)
    : listing(`no place is called "${text}"; the nearest with data:`, nearest);

const listing = (message: string, places: readonly unknown[]): UsageFault =>
  new UsageFault(
    [
      message,
      ...places.slice(0, MOST_CANDIDATES).map((place) => `  ${placeText(place)}`),
      ...(places.length > MOST_CANDIDATES ? ["  … and more: see `firstprint search`"] : []),
    ].join("\n"),
  );

/** Control characters of a name must not reach a terminal. */
function placeText(place: unknown): string {
  const [id, name, level, state] = ["id", "name", "level", "stateCode"].map((member) =>
    String(at(place, member) ?? "-").replaceAll(/\p{Cc}/gu, "\uFFFD"),
  );
  return `${(id ?? "").padEnd(24)} ${name}, ${state} (${level})`;
}
