// firstprint portfolio, settlements, ledger, statement: what an account has, and how it came to
// have it.
// Invariant: amounts are shown as the exchange sent them; nothing is added up here.
import { at, type ExchangeResponse, isText, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { monthText } from "./figures.ts";
import type { Option } from "./form.ts";
import type { Screen } from "./screen.ts";
import { settledFields, settledRows } from "./settled.ts";
import { field, time } from "./table.ts";

const accountFields = [
  field("id"),
  field("name"),
  field("cash"),
  field("available"),
  field("locked"),
  field("collateral"),
  field("reserves"),
  field("equity"),
  field("kycTier", "kyc tier"),
  field("halted"),
];

const heldFields = [
  field("marketId", "market"),
  field("amount", "contracts"),
  field("averageCost", "average cost"),
  field("cost"),
  field("realised"),
  field("fees"),
];

const expectedFields = [
  field("expectedPayout", "expected payout"),
  field("payableAt", "payable", time),
];

const positionFields = [
  ...heldFields,
  field("mark"),
  field("priceBasis", "from"),
  field("unrealised"),
  field("collateral"),
  ...expectedFields,
];

const postingFields = [
  field("sequence"),
  field("timestamp", "time", time),
  field("reason"),
  field("reference"),
  field("amount"),
  field("balance"),
];

export const fillFields = [
  field("sequence"),
  field("timestamp", "time", time),
  field("id"),
  field("amount", "contracts"),
  field("price"),
  field("fee"),
  field("liquidity"),
];

export const cursorOptions: Readonly<Record<string, Option>> = {
  limit: { value: "number", about: "how many a page, at most 200; 50 when left out" },
  cursor: { value: "text", about: "go on where a page ended" },
};

/** Said only where the list goes on. */
export function cursorRemark(screen: Screen, answer: ExchangeResponse): void {
  const cursor = at(answer.json, "nextCursor");
  if (isText(cursor)) screen.note(`There is more: --cursor ${cursor}`);
}

const portfolio: CliCommand = {
  words: "portfolio",
  about: "Show the account's cash, its positions, and what those that settled pay and when",
  options: {
    ...cursorOptions,
    all: { about: "positions that are flat too" },
  },
  example: "portfolio --all",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const account = await exchange.read("/api/trading/account", {});
    const held = args.flag("all") ? {} : { held: "true" };
    const query = { ...held, ...args.given("limit", "cursor") };
    const positions = await exchange.read("/api/trading/positions", query);
    const rows = items(at(positions.json, "data"));
    screen.show(account, () => `${screen.record(accountFields, at(account.json, "data"))}\n\n`);
    screen.show(positions, () => screen.table(positionFields, rows, "No positions."));
    const settled = screen.json ? [] : await settledRows(exchange, rows);
    if (settled.length > 0) {
      screen.print(`\nSettled, and not paid yet:\n${screen.table(settledFields, settled, "")}`);
    }
    cursorRemark(screen, positions);
    return undefined;
  },
};

const settlementFields = [
  field("settledAt", "time", time),
  field("marketId", "market"),
  field("kind"),
  field("amount", "contracts"),
  field("payoutFraction", "share paid"),
  field("payout"),
  field("missing"),
  field("amended"),
  field("sequence", "entry"),
];

const settlements: CliCommand = {
  words: "settlements",
  about: "List what markets paid the account at their end, newest first",
  options: {
    market: { value: "market", about: "only of this market" },
    limit: { value: "number", about: "how many a page, at most 50; 20 when left out" },
    cursor: { value: "text", about: "go on where a page ended" },
  },
  example: "settlements --market mkt-001",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const marketId = args.option("market");
    const query = {
      ...args.given("limit", "cursor"),
      ...(marketId === undefined ? {} : { marketId }),
    };
    const answer = await exchange.read("/api/trading/settlements", query);
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(settlementFields, rows, "Nothing was settled."));
    cursorRemark(screen, answer);
    return undefined;
  },
};

const ledger: CliCommand = {
  words: "ledger",
  about: "List the movements of the account's cash, newest first",
  options: {
    reason: { value: "reason", about: "only these, such as premium or fee" },
    ...cursorOptions,
  },
  example: "ledger --reason settlement",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const query = args.given("reason", "limit", "cursor");
    const answer = await exchange.read("/api/trading/ledger", query);
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(postingFields, rows, "No postings."));
    cursorRemark(screen, answer);
    return undefined;
  },
};

const statement: CliCommand = {
  words: "statement",
  about: "Show a month of the account with its digest",
  takes: ["month"],
  options: { csv: { about: "as CSV, for a file" } },
  example: "statement 2024-11 --csv",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const month = monthText(args.word("month"), "<month>");
    const format = args.flag("csv") ? "csv" : "json";
    const answer = await exchange.read("/api/trading/statement", { month, format });
    if (format === "csv") {
      screen.print(answer.body);
      return undefined;
    }
    const data = at(answer.json, "data");
    const table = (title: string, fields: typeof heldFields, member: string): string =>
      `${title}:\n${screen.table(fields, items(at(data, member)), "None.")}\n`;
    screen.show(answer, () =>
      [
        screen.record(
          [field("account"), field("month"), field("final"), field("openingBalance", "opening")],
          data,
        ),
        "",
        table("Postings", postingFields, "postings"),
        table("Fills", fillFields, "fills"),
        table("Positions at its end", [...heldFields, ...expectedFields], "positions"),
        screen.record([field("closingBalance", "closing"), field("sha256")], data),
      ].join("\n"),
    );
    return undefined;
  },
};

export const portfolioCommands: readonly CliCommand[] = [portfolio, settlements, ledger, statement];
