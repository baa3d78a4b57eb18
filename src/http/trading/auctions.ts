// /api/trading/auctions: the positions of accounts in default, and a caller's sealed bid for them.
// Invariant: nobody is shown whose positions they are, nor any bid but its own.
import { Type } from "typebox";
import { type AuctionId, auctionId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMicros, MOST_MICROS, parseMicros } from "#base/money.ts";
import { formatLots } from "#base/quantity.ts";
import type { Event } from "#core/event.ts";
import { highestBid } from "#core/margin/auction.ts";
import type { Bid, DefaultAuction } from "#core/margin/auction-record.ts";
import { openShorts } from "#core/margin/takeover.ts";
import { invalidField } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { Done, done } from "./done.ts";
import type { TradingPorts } from "./ports.ts";

const Usd = (description: string) => Type.String({ description: `${description}; USD` });
const Seconds = (description: string) =>
  Type.Integer({ description: `${description}, Unix seconds` });

const BidRecord = Type.Object(
  {
    auctionId: Type.String(),
    amount: Usd("cash of the account in default that is to come with its positions"),
    sequence: Type.Integer({ description: "of equal bids the one with the lower sequence wins" }),
  },
  { title: "Bid" },
);

const bidRecord = ({ auctionId: id, amountMicros, sequence }: Bid) => ({
  auctionId: id,
  amount: formatMicros(amountMicros),
  sequence,
});

const AuctionRecord = Type.Object(
  {
    id: Type.String(),
    openedAt: Seconds("when the account defaulted"),
    closesAt: Seconds("when the least bid wins"),
    positions: Type.Array(
      Type.Object({
        marketId: Type.String(),
        contracts: Type.String({ description: "contracts short" }),
      }),
    ),
    highestBid: Usd("the most a bid may ask for now: the guarantee fund takes all for that"),
    bid: Type.Union([BidRecord, Type.Null()], { description: "the caller's own" }),
  },
  { title: "Auction" },
);

export const listAuctions = (ports: Pick<TradingPorts, "view">): Route =>
  trading.read({
    url: "/api/trading/auctions",
    access: "read:portfolio",
    summary: "Short positions of accounts in default, offered for sealed bids",
    params: nothing,
    query: nothing,
    data: Type.Array(AuctionRecord),
    read: ({ caller }) => {
      const { view } = ports;
      const shown = (auction: DefaultAuction) => {
        const { id, accountId, openedAtMillis, closesAtMillis } = auction;
        const bid = view.bidOf(caller.account.id, id);
        return {
          id,
          openedAt: Math.floor(openedAtMillis / 1000),
          closesAt: Math.floor(closesAtMillis / 1000),
          positions: openShorts(view, accountId).map(({ marketId, shortLots }) => ({
            marketId,
            contracts: formatLots(shortLots),
          })),
          highestBid: formatMicros(highestBid(view, accountId)),
          bid: bid === undefined ? null : bidRecord(bid),
        };
      };
      return { data: [...view.auctions.values()].map(shown) };
    },
  });

const named = Type.Object({ auctionId: Type.String({ maxLength: 64 }) });

const idOf = ({ auctionId: id }: { readonly auctionId: string }): AuctionId =>
  auctionId(id.toLowerCase());

export const placeBid = (): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/auctions/:auctionId/bids",
    access: "create:orders",
    summary: "Bids for all positions of an auction, in place of the bid before; the least bid wins",
    refusals: [
      "ROLE_NOT_TRADER",
      "KYC_REQUIRED",
      "ACCREDITATION_REQUIRED",
      "ACCOUNT_HALTED",
      "EXCHANGE_HALTED",
      "PAYMENT_OVERDUE",
      "FINANCED_POSITION",
      "MARGIN_CALL",
      "IN_DEFAULT",
      "AUCTION_NOT_FOUND",
      "AUCTION_OWN",
      "BID_TOO_HIGH",
      "POSITION_LIMIT",
      "INSUFFICIENT_BALANCE",
    ],
    params: named,
    body: closed({
      amount: Type.String({ maxLength: 40, description: "USD, a decimal string, 0 or more" }),
    }),
    data: BidRecord,
    toCommand: ({ params, body }) => {
      const amountMicros = parseMicros(body.amount);
      if (amountMicros === undefined || amountMicros < 0n || amountMicros > MOST_MICROS) {
        return invalidField(
          "amount",
          'must be a decimal string such as "1250.00" with at most 6 decimals, 0 or more, ' +
            "at most 1000000000000",
        );
      }
      return { command: { type: "PlaceBid", auctionId: idOf(params), amountMicros } };
    },
    render: ({ events }) => ({ data: bidRecord(placedIn(events)) }),
  });

function placedIn(events: readonly Event[]): Bid {
  const changed = events.find((event) => event.type === "BidChanged");
  invariant(changed !== undefined, "a bid that is taken is told");
  return changed.bid;
}

export const withdrawBid = (): Route =>
  trading.write({
    method: "DELETE",
    url: "/api/trading/auctions/:auctionId/bids",
    access: "cancel:orders",
    summary: "Takes the caller's bid back, up to the close",
    refusals: ["AUCTION_NOT_FOUND", "BID_NOT_FOUND"],
    params: named,
    body: nothing,
    data: Done,
    toCommand: ({ params }) => ({ command: { type: "WithdrawBid", auctionId: idOf(params) } }),
    render: () => done,
  });
