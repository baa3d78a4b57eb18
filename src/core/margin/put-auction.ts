// A default auction in its place: who is in it, its bids, and when the clock is to close it.
// Invariant: an auction's bids are gone with it.
import { dropOf, setOf } from "#base/set-of.ts";
import type { EventOf } from "../event.ts";
import type { State } from "../state.ts";
import { type Bid, bidName, type DefaultAuction } from "./auction-record.ts";

export type AuctionEvent = EventOf<"AuctionOpened" | "AuctionEnded" | "BidChanged">;

export function foldAuction(state: State, event: AuctionEvent): void {
  if (event.type === "AuctionOpened") {
    state.auctionCount += 1;
    putAuction(state, event.auction);
  } else if (event.type === "AuctionEnded") {
    state.auctions.delete(event.auctionId);
    for (const name of state.bidsIn.get(event.auctionId) ?? []) state.bids.delete(name);
    state.bidsIn.delete(event.auctionId);
  } else if (event.status === "placed") putBid(state, event.bid);
  else dropBid(state, event.bid);
}

export function putBid({ bids, bidsIn }: State, bid: Bid): void {
  bids.set(bidName(bid), bid);
  setOf(bidsIn, bid.auctionId).add(bidName(bid));
}

function dropBid({ bids, bidsIn }: State, bid: Bid): void {
  bids.delete(bidName(bid));
  dropOf(bidsIn, bid.auctionId, bidName(bid));
}

export function putAuction({ auctions, due }: State, auction: DefaultAuction): void {
  auctions.set(auction.id, auction);
  const command = { type: "CloseAuction" as const, auctionId: auction.id };
  due.add({ atMillis: auction.closesAtMillis, command });
}
