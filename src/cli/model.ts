// firstprint model …: how good the reference prices have been.
// Invariant: shows what the exchange says; no figure without its number of pairs.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { field } from "./table.ts";

const digits =
  (places: number) =>
  (value: unknown): string => {
    if (Array.isArray(value)) return value.map(digits(places)).join(", ");
    return typeof value === "number" ? value.toFixed(places) : "-";
  };

const figures = [
  field("model"),
  field("horizonMonths", "months"),
  field("pairs"),
  field("brier", "Brier", digits(4)),
  field("log", "log", digits(4)),
  field("fairOverPayout", "fair/payout 2-10, 5-15, 8-20", digits(2)),
  field("priceOverPayout", "price/payout", digits(2)),
];
const recordFields = [field("panel"), ...figures];
const liveFields = [
  ...[field("index"), field("level"), ...figures],
  ...[field("knownThen", "known then"), field("firstMonth", "from"), field("lastMonth", "to")],
];

const show: CliCommand = {
  words: "model show",
  about: "Show how the reference prices did: the record, and old forecasts against the prints here",
  example: "model show",
  needs: "public",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/model", {});
    const data = at(answer.json, "data");
    const [record, live] = [at(data, "record"), at(data, "live")];
    screen.show(answer, () =>
      [
        screen.record([field("hindsight", "record")], record),
        screen.table(recordFields, items(at(record, "rows")), "No record."),
        "",
        screen.record([field("hindsight", "live")], live),
        screen.table(liveFields, items(at(live, "rows")), "No forecast has been settled here yet."),
        "",
        ...items(at(data, "weakSpots")).map((spot) => `- ${String(spot)}`),
      ].join("\n"),
    );
    return undefined;
  },
};

export const modelCommands: readonly CliCommand[] = [show];
