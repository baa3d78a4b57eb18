// A default auction in its place: who is in it, its bids, and when the clock is to close it.
// Invariant: an auction's bids are gone with it.
import type { EventOf } from "../event.ts";
import type { State } from "../state.ts";
import { bidName, type DefaultAuction } from "./auction-record.ts";

export type AuctionEvent = EventOf<"AuctionOpened" | "AuctionEnded" | "BidChanged">;

export function foldAuction(state: State, event: AuctionEvent): void {
  if (event.type === "AuctionOpened") {
    state.auctionCount += 1;
    putAuction(state, event.auction);
  } else if (event.type === "AuctionEnded") {
    state.auctions.delete(event.auctionId);
    for (const [name, { auctionId }] of state.bids) {
      if (auctionId === event.auctionId) state.bids.delete(name);
    }
  } else if (event.status === "placed") state.bids.set(bidName(event.bid), event.bid);
  else state.bids.delete(bidName(event.bid));
}

export function putAuction({ auctions, due }: State, auction: DefaultAuction): void {
  auctions.set(auction.id, auction);
  const command = { type: "CloseAuction" as const, auctionId: auction.id };
  due.add({ atMillis: auction.closesAtMillis, command });
}
