// firstprint calendar: what is to come, and what should have come by now.
// Invariant: the order is the exchange's own: the earliest first.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { pageOptions, pageRemark } from "./page.ts";
import { field, time } from "./table.ts";

const fields = [
  field("at", "when", time),
  field("overdue"),
  field("kind"),
  field("index"),
  field("level"),
  field("month"),
  field("markets"),
];

const showCalendar: CliCommand = {
  words: "calendar",
  about: "List publications, closings, prints and payouts to come, the earliest first",
  options: {
    kind: {
      value: "kind",
      about: "publication, trading_closes, print, fallback, payout or release_window",
    },
    index: { value: "index", about: "zhvi, zori, vacancy or weather" },
    ...pageOptions,
  },
  example: "calendar --kind print --index zhvi",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read(
      "/api/calendar",
      args.given("kind", "index", "page", "limit"),
    );
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(fields, rows, "Nothing is to come."));
    pageRemark(screen, answer);
    return undefined;
  },
};

export const calendarCommands: readonly CliCommand[] = [showCalendar];
