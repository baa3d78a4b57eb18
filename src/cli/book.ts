// firstprint book, trades, history and stream: what a market shows of its trading, now and as it
// comes.
// Invariant: a stream that breaks off is taken up after the last entry that was printed.
import { at, isText, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { followed } from "./followed.ts";
import type { Screen } from "./screen.ts";
import { field, plain, time } from "./table.ts";

const levelFields = [field("side"), field("price"), field("amount"), field("orders")];

const showBook: CliCommand = {
  words: "book",
  about: "Show what rests in a market's book, in prices of YES, asks above bids",
  takes: ["market"],
  options: { depth: { value: "number", about: "levels a side, at most 100; 20 when left out" } },
  example: "book mkt-001 --depth 5",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/markets/{id}/book", {
      id: args.word("market"),
      ...args.given("depth"),
    });
    const book = at(answer.json, "data");
    const rows = [...side(book, "asks", "ask").reverse(), ...side(book, "bids", "bid")];
    screen.show(answer, () => screen.table(levelFields, rows, "Nothing rests here."));
    const spread = plain(at(book, "spread"));
    screen.note(`Spread ${spread}, as of entry ${plain(at(book, "sequence"))}.`);
    return undefined;
  },
};

const side = (book: unknown, name: string, word: string): object[] =>
  items(at(book, name)).map((level) => ({ side: word, ...Object(level) }));

const tradeFields = [
  field("timestamp", "time", time),
  field("side"),
  field("price"),
  field("amount"),
  field("id"),
  field("sequence", "entry"),
];

const listTrades: CliCommand = {
  words: "trades",
  about: "List a market's trades, newest first, in prices of YES",
  takes: ["market"],
  options: {
    limit: { value: "number", about: "how many, at most 200; 50 when left out" },
    cursor: { value: "text", about: "go on where the page before ended" },
  },
  example: "trades mkt-001 --limit 20",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/markets/{id}/trades", {
      id: args.word("market"),
      ...args.given("limit", "cursor"),
    });
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(tradeFields, rows, "No trades."));
    const next = at(answer.json, "nextCursor");
    if (isText(next)) screen.note(`There are older ones: --cursor ${next}.`);
    return undefined;
  },
};

const candleFields = [
  field("period"),
  field("open"),
  field("high"),
  field("low"),
  field("close"),
  field("volume"),
  field("trades"),
  field("mark"),
];

const showHistory: CliCommand = {
  words: "history",
  about: "Show what was traded in a market by day or month, and its marks, newest first",
  takes: ["market"],
  options: {
    interval: { value: "day|month", about: "day when left out" },
    limit: { value: "number", about: "how many, at most 200; 90 when left out" },
    cursor: { value: "text", about: "go on where the page before ended" },
  },
  example: "history mkt-001 --interval month",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/markets/{id}/history", {
      id: args.word("market"),
      ...args.given("interval", "limit", "cursor"),
    });
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(candleFields, rows, "Nothing is counted yet."));
    const next = at(answer.json, "nextCursor");
    if (isText(next)) screen.note(`There are older ones: --cursor ${next}.`);
    return undefined;
  },
};

const followStream: CliCommand = {
  words: "stream",
  about: "Print what is traded, listed, settled and published, as it becomes durable",
  options: {
    markets: { value: "ids", about: "only of these markets, separated by commas" },
    places: { value: "places", about: "only of markets of these places, or in them" },
    indexes: { value: "indices", about: "only of markets of zhvi, zori, vacancy or weather" },
    expiries: { value: "months", about: "only of markets measured in these months: 2027-10" },
    types: {
      value: "types",
      about: "some of trade, level, market, mark, release, prints and halt, with commas",
    },
    after: { value: "entry", about: "begin after this entry, 0 for all; now when left out" },
    entries: { value: "number", about: "end after so many entries" },
  },
  example: "stream --markets mkt-001 --types trade,level --after 0",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const filter = args.given("markets", "places", "indexes", "expiries", "types");
    const open = (after: number | undefined) =>
      exchange.stream("/api/stream", { ...filter, lastEventId: after });
    for await (const message of followed(open, args, screen)) {
      if (screen.json) screen.print(message.text);
      else printEntry(screen, message.entry);
    }
    return undefined;
  },
};

function printEntry(screen: Screen, entry: unknown): void {
  for (const event of items(at(entry, "events"))) {
    const when = `${plain(at(entry, "sequence"))}  ${time(at(entry, "time"))}`;
    screen.print(`${when}  ${linesOf(event)}`);
  }
}

const shownFields: Readonly<Record<string, readonly string[]>> = {
  trade: ["marketId", "side", "amount", "price", "id"],
  level: ["marketId", "side", "price", "amount", "orders"],
  market: ["marketId", "status", "resolution.outcome", "resolution.attribution", "reason"],
  mark: ["marketId", "mark"],
  release: ["releaseId", "index", "level", "lastMonth", "firstPrints", "attribution"],
  prints: ["releaseId", "index", "attribution"],
  halt: ["halted", "reason"],
};

/** `trade  market … side BUY …`; of a release's prints only that they are there. */
function linesOf(event: unknown): string {
  const type = plain(at(event, "type"));
  const fields = (shownFields[type] ?? []).map((name) =>
    field(name, name.split(".").at(-1) ?? name),
  );
  const told = fields.map((one) => `${one.title} ${one.text(event)}`);
  return [type.padEnd(7), ...told.filter((text) => !text.endsWith(" -"))].join("  ");
}

export const bookCommands: readonly CliCommand[] = [
  showBook,
  listTrades,
  showHistory,
  followStream,
];
