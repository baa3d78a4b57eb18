// A place as a person names it, found by the exchange's search: an id, a zip, or a plain name.
// Invariant: a name that may mean two places is never guessed; the candidates are listed instead.
import { at, isText, items } from "./answer.ts";
import type { ExchangeClient } from "./exchange.ts";
import { UsageFault } from "./faults.ts";

const MOST_CANDIDATES = 8;
const MOST_FOUND = 50;
/** As many letters of a name that nothing is called by still find what was meant. */
const FIRST_LETTERS = 3;

/** `zip:10001`, `10001`, `Austin`, `Austin, TX` → the place's id. @throws UsageFault */
export async function placeId(exchange: ExchangeClient, text: string): Promise<string> {
  if (text.includes(":") || text.toLowerCase() === "us") return text;
  const [name = "", state = ""] = text.split(",").map((part) => part.trim());
  const found = (await search(exchange, name)).filter((place) => isIn(place, state));
  const exact = found.filter((place) => isNamed(place, name));
  const [only, ...more] = exact.length > 0 ? exact : found;
  if (only === undefined) throw await unknownPlace(exchange, text, name);
  if (more.length === 0) return String(at(only, "id"));
  throw listing(`"${text}" may be any of these; give the id:`, [only, ...more]);
}

async function search(exchange: ExchangeClient, name: string): Promise<readonly unknown[]> {
  if (name === "") return [];
  const answer = await exchange.read("/api/geo/search", { q: name, limit: MOST_FOUND });
  return items(at(answer.json, "data"));
}

async function unknownPlace(
  exchange: ExchangeClient,
  text: string,
  name: string,
): Promise<UsageFault> {
  const near = await search(exchange, name.slice(0, FIRST_LETTERS));
  if (near.length === 0) return new UsageFault(`no place is called "${text}"; try \`search\``);
  return listing(`no place is called "${text}"; did you mean one of these?`, near);
}

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

function isNamed(place: unknown, name: string): boolean {
  const names = [at(place, "name"), ...items(at(place, "aliases"))].filter(isText);
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

const isIn = (place: unknown, state: string): boolean =>
  state === "" || String(at(place, "stateCode")).toLowerCase() === state.toLowerCase();
