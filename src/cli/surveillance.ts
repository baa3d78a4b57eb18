// firstprint surveillance …: trades and holders that an operator looks at twice.
// Invariant: a stretch of the journal that is not the last says how to go on.
import { at, isText, items } from "./answer.ts";
import { rangeOf, rangeOptions } from "./audit.ts";
import type { CliCommand } from "./command.ts";
import { pageOptions, pageRemark } from "./page.ts";
import { field, time } from "./table.ts";

const tradeFields = [
  field("kind"),
  field("timestamp", "time", time),
  field("marketId", "market"),
  field("price"),
  field("amount"),
  field("buyer"),
  field("seller"),
  field("gain"),
  field("fillId", "fill"),
];

const listTrades: CliCommand = {
  words: "surveillance trades",
  about: "List trades to look at twice, a stretch of the journal at a time, newest first",
  options: {
    ...rangeOptions,
    cursor: { value: "text", about: "go on where the page before ended" },
  },
  example: "surveillance trades --from 2024-11-20",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const query = { ...rangeOf(args), ...args.given("cursor") };
    const answer = await exchange.read("/api/admin/surveillance", query);
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(tradeFields, rows, "Nothing in these entries."));
    const next = at(answer.json, "nextCursor");
    if (isText(next)) screen.note(`There are older entries: --cursor ${next}.`);
    return undefined;
  },
};

const holderFields = [
  field("owner"),
  field("marketId", "market"),
  field("side"),
  field("coverage"),
  field("sharePercent", "share %"),
  field("accounts"),
];

const listHolders: CliCommand = {
  words: "surveillance holders",
  about: "List owners of more than a quarter of what is open in a market",
  options: pageOptions,
  example: "surveillance holders --limit 50",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const place = "/api/admin/surveillance/holders";
    const answer = await exchange.read(place, args.given("page", "limit"));
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(holderFields, rows, "Nobody holds so much."));
    pageRemark(screen, answer);
    return undefined;
  },
};

export const surveillanceCommands: readonly CliCommand[] = [listTrades, listHolders];
