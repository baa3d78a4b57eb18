// firstprint rfq …: asking for firm quotes of one or many legs, quoting them, and taking one.
// Invariant: prices and amounts travel as the digits that were typed.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { amountText } from "./figures.ts";
import { secondsOf } from "./instant.ts";
import { sideOf } from "./order.ts";
import { rowsIn } from "./rows-file.ts";
import { field, time } from "./table.ts";

const summaryFields = [
  field("id"),
  field("isOwn", "own"),
  field("side"),
  field("legCount", "legs"),
  field("coverage"),
  field("closesAt", "closes", time),
  field("status"),
];

const legFields = [
  field("marketId", "market"),
  field("place"),
  field("measurementMonth", "measured in"),
  field("amount", "contracts"),
];

const quoteFields = [
  field("id"),
  field("prices"),
  field("validUntil", "valid until", time),
  field("status"),
  field("reserved"),
];

const columns = [
  ...(["marketId", "index", "place", "measurementMonth"] as const),
  ...(["attachBps", "exhaustBps", "strikeBps", "amount"] as const),
] as const;

async function legsIn(path: string) {
  const rows = await rowsIn(path, columns);
  return rows.map(({ attachBps, exhaustBps, strikeBps, amount, ...names }) => ({
    ...names,
    ...numbered({ attachBps, exhaustBps, strikeBps }),
    amount: amountText(amount ?? ""),
  }));
}

const numbered = (cells: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(cells).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, Number(text)]],
    ),
  );

const nameOption = {
  about: "after a trade the other side reads the account's address, if it shows its own, too",
};

const open: CliCommand = {
  words: "rfq open",
  about: "Ask for firm quotes of the legs in a CSV file, which trade together or not at all",
  takes: ["buy|sell", "file"],
  options: {
    closes: { value: "time", required: true, about: "quotes are taken until then: 30 s to 72 h" },
    audience: { value: "addresses", about: "only these accounts, separated by commas" },
    "show-name": nameOption,
  },
  example: "rfq open buy legs.csv --closes 2027-01-05T16:00:00Z",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const audience = args.option("audience")?.split(",");
    const answer = await exchange.post("/api/trading/rfqs", {
      side: sideOf(args.word("buy|sell")),
      legs: await legsIn(args.word("file")),
      closesAt: secondsOf(args.option("closes") ?? "", "--closes"),
      ...(audience === undefined ? {} : { audience }),
      ...(args.flag("show-name") ? { showName: true } : {}),
    });
    const rfq = at(answer.json, "data");
    screen.show(answer, () => screen.record(summaryFields, rfq));
    return undefined;
  },
};

const list: CliCommand = {
  words: "rfq list",
  about: "List the requests for quotes that the account made or may quote, the newest first",
  options: { before: { value: "rfq", about: "go on after the last of the page before" } },
  example: "rfq list",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/trading/rfqs", args.given("before"));
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(summaryFields, rows, "No requests."));
    return undefined;
  },
};

const show: CliCommand = {
  words: "rfq show",
  about: "Show a request with its legs, and the quotes that the account may see",
  takes: ["rfq"],
  example: "rfq show rfq-1",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/trading/rfqs/{rfqId}", { rfqId: args.word("rfq") });
    const rfq = at(answer.json, "data");
    screen.show(answer, () =>
      [
        screen.record([...summaryFields, field("counterparty")], rfq),
        screen.table(legFields, items(at(rfq, "legs")), ""),
        screen.table(quoteFields, items(at(rfq, "quotes")), "No quotes."),
      ].join("\n\n"),
    );
    return undefined;
  },
};

const quote: CliCommand = {
  words: "rfq quote",
  about: "Quote a request firmly: one price for all legs, or one a leg in their order",
  takes: ["rfq", "price…"],
  options: {
    valid: { value: "time", required: true, about: "until then it can be accepted" },
    "show-name": nameOption,
  },
  example: "rfq quote rfq-1 0.0412 --valid 2027-01-05T17:00:00Z",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const [rfqId = "", ...prices] = args.words;
    const validUntil = secondsOf(args.option("valid") ?? "", "--valid");
    const wish = args.flag("show-name") ? { showName: true } : {};
    const given = { rfqId, prices, validUntil, ...wish };
    const answer = await exchange.post("/api/trading/rfqs/{rfqId}/quotes", given);
    screen.show(answer, () => screen.record(quoteFields, at(answer.json, "data")));
    return undefined;
  },
};

const improve: CliCommand = {
  words: "rfq improve",
  about: "Make a quote of the account better, in one leg at least and worse in none",
  takes: ["quote", "price…"],
  options: { valid: { value: "time", about: "valid longer; as before when left out" } },
  example: "rfq improve rqt-1 0.0405",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const [quoteId = "", ...prices] = args.words;
    const valid = args.option("valid");
    const answer = await exchange.patch("/api/trading/rfqs/quotes/{quoteId}", {
      quoteId,
      prices,
      ...(valid === undefined ? {} : { validUntil: secondsOf(valid, "--valid") }),
    });
    screen.show(answer, () => screen.record(quoteFields, at(answer.json, "data")));
    return undefined;
  },
};

const fillFields = [
  field("id"),
  field("marketId", "market"),
  field("amount", "contracts"),
  field("price", "price of YES"),
];

const accept: CliCommand = {
  words: "rfq accept",
  about: "Take a quote: all legs are filled at its prices at once, or none is",
  takes: ["rfq", "quote"],
  example: "rfq accept rfq-1 rqt-1",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const given = { rfqId: args.word("rfq"), quoteId: args.word("quote") };
    const answer = await exchange.post("/api/trading/rfqs/{rfqId}/accept", given);
    screen.show(answer, () => screen.table(fillFields, items(at(answer.json, "data.fills")), ""));
    return undefined;
  },
};

const cancel: CliCommand = {
  words: "rfq cancel",
  about: "Cancel a request of the account; its quotes are over",
  takes: ["rfq"],
  example: "rfq cancel rfq-1",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const rfqId = args.word("rfq");
    const answer = await exchange.delete("/api/trading/rfqs/{rfqId}", { rfqId });
    screen.show(answer, () => `Cancelled ${rfqId}.`);
    return undefined;
  },
};

export const rfqCommands: readonly CliCommand[] = [
  open,
  list,
  show,
  quote,
  improve,
  accept,
  cancel,
];
