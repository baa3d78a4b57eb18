// firstprint auction …: positions of accounts in default, and a sealed bid for them.
// Invariant: shows what the exchange says; nothing is computed here.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { amountText } from "./figures.ts";
import { field, time } from "./table.ts";

const auctionFields = [
  field("id"),
  field("closesAt", "closes", time),
  field("positions"),
  field("highestBid", "highest bid"),
  field("bid.amount", "own bid"),
];
const bidFields = [field("auctionId", "auction"), field("amount")];

const list: CliCommand = {
  words: "auction list",
  about: "List the positions of accounts in default that are auctioned",
  example: "auction list",
  needs: "key",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/trading/auctions", {});
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(auctionFields, rows, "No auction runs."));
    return undefined;
  },
};

const bid: CliCommand = {
  words: "auction bid",
  about: "Bid for all positions of an auction: USD that are to come with them; the least wins",
  takes: ["auction", "amount"],
  example: "auction bid auc-3 1250.00",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post("/api/trading/auctions/{auctionId}/bids", {
      auctionId: args.word("auction"),
      amount: amountText(args.word("amount")),
    });
    screen.show(answer, () => screen.record(bidFields, at(answer.json, "data")));
    return undefined;
  },
};

const withdraw: CliCommand = {
  words: "auction withdraw",
  about: "Take your bid back, up to the close of the auction",
  takes: ["auction"],
  example: "auction withdraw auc-3",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.delete("/api/trading/auctions/{auctionId}/bids", {
      auctionId: args.word("auction"),
    });
    screen.show(answer, () => "The bid is withdrawn.");
    return undefined;
  },
};

export const auctionCommands: readonly CliCommand[] = [list, bid, withdraw];
