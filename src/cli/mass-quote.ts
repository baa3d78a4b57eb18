// firstprint quote mass: two-sided quotes of many markets from a file, 200 in each command.
// Invariant: a market that is refused is shown with its reason, and the command then fails.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { UsageFault } from "./faults.ts";
import { amountText } from "./figures.ts";
import { type FileRow, rowsIn } from "./rows-file.ts";
import { field } from "./table.ts";

const MOST_QUOTES = 200;

const columns = ["marketId", "bid", "bidAmount", "ask", "askAmount"] as const;
type QuoteRow = FileRow<(typeof columns)[number]>;

const fields = [
  field("marketId", "market"),
  field("bid.orderId", "bid"),
  field("bid.status", "status"),
  field("ask.orderId", "ask"),
  field("ask.status", "status"),
  field("error.message", "refused because"),
];

const massQuote: CliCommand = {
  words: "quote mass",
  about: "Quote the markets of a CSV file on both sides, each in place of what rests there",
  takes: ["file"],
  options: {
    "cancel-on-release": {
      about: "take all of them back when a release of their index is awaited",
    },
    group: { value: "name", about: "a group of your orders, with a protection of its own" },
  },
  example: "quote mass quotes.csv",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const rows = await rowsIn(args.word("file"), columns);
    const flag = args.flag("cancel-on-release") ? { cancelOnRelease: true } : {};
    const shared = { ...flag, ...args.given("group") };
    const quotes = rows.map((row, index) => ({ ...quoteOf(row, index + 1), ...shared }));
    let refused = 0;
    for (let from = 0; from < quotes.length; from += MOST_QUOTES) {
      const sent = quotes.slice(from, from + MOST_QUOTES);
      const answer = await exchange.post("/api/trading/quotes/mass", { quotes: sent });
      const answered = items(at(answer.json, "data.quotes"));
      screen.show(answer, () => screen.table(fields, answered, "No quotes."));
      screen.note(`Orders cancelled: ${at(answer.json, "data.cancelledCount")}.`);
      refused += answered.filter((quote) => at(quote, "error") !== null).length;
    }
    if (refused > 0) screen.note(`Refused: ${refused} of ${quotes.length}.`);
    return refused > 0 ? 1 : 0;
  },
};

function quoteOf(row: QuoteRow, line: number) {
  const { marketId, bid, bidAmount, ask, askAmount } = row;
  if (marketId === undefined) throw new UsageFault(`row ${line} names no market`);
  return {
    marketId,
    bid: sideOf(bid, bidAmount, `row ${line}: bid`),
    ask: sideOf(ask, askAmount, `row ${line}: ask`),
  };
}

function sideOf(price: string | undefined, amount: string | undefined, where: string) {
  if (price === undefined && amount === undefined) return null;
  if (price !== undefined && amount !== undefined) return { price, amount: amountText(amount) };
  throw new UsageFault(`${where} needs both a price and an amount, or neither`);
}

export const massQuoteCommands: readonly CliCommand[] = [massQuote];
