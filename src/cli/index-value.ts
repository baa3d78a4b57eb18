// firstprint index: the newest first print of places, one in full or several in a table.
// Invariant: no value without its attribution.
import { at, type ExchangeResponse, items } from "./answer.ts";
import type { Call, CliCommand } from "./command.ts";
import { placeId } from "./place.ts";
import { field } from "./table.ts";

const valueFields = [
  field("nodeId", "place"),
  field("value"),
  field("yoy", "year over year %"),
  field("asOfMonth", "as of"),
  field("measure.unit", "unit"),
  field("source"),
  field("attribution"),
];

const showIndex: CliCommand = {
  words: "index",
  about: "Show the newest first print of a place and its last months, or of several places",
  takes: ["place…"],
  options: { index: { value: "index", about: "zhvi (the default), zori, vacancy or weather" } },
  example: "index state:tx state:ca --index zhvi",
  needs: "public",
  run: async (call) => {
    const places: string[] = [];
    for (const word of call.args.words) places.push(await placeId(call.exchange, word));
    const [place = "", ...more] = places;
    const query = call.args.given("index");
    if (more.length > 0) return await showSeveral(call, places);
    const answer = await call.exchange.read("/api/index/{nodeId}", { nodeId: place, ...query });
    call.screen.show(answer, () => oneText(call, answer));
    return undefined;
  },
};

function oneText({ screen }: Call, answer: ExchangeResponse): string {
  const data = at(answer.json, "data");
  const months = items(at(data, "series"));
  return [
    screen.record(valueFields, data),
    "",
    screen.table([field("month"), field("value")], months, "No months."),
  ].join("\n");
}

async function showSeveral(
  { args, exchange, screen }: Call,
  places: readonly string[],
): Promise<undefined> {
  const query = { ids: places.join(","), ...args.given("index") };
  const answer = await exchange.read("/api/index", query);
  const rows = items(at(answer.json, "data"));
  screen.show(answer, () => screen.table(valueFields, rows, "No values."));
  const unknown = items(at(answer.json, "unknownIds"));
  if (unknown.length > 0) screen.note(`Unknown, or without data: ${unknown.join(", ")}`);
}

export const indexCommands: readonly CliCommand[] = [showIndex];
