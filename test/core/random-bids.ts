// Bids drawn for the newest auction that runs: most ask for less than the fund, some for too much.
// Invariant: nothing but the dice and the state decides.
import { auctionId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Command } from "#core/command.ts";
import { highestBid } from "#core/margin/auction.ts";
import type { State } from "#core/state.ts";
import type { Dice } from "./dice.ts";

export function randomBid(state: State, dice: Dice): Command {
  const [auction] = [...state.auctions.values()].slice(-1);
  if (auction === undefined) return { type: "WithdrawBid", auctionId: auctionId("auc-1") };
  const { id, accountId } = auction;
  if (dice.chance(15)) return { type: "WithdrawBid", auctionId: id };
  const most = highestBid(state, accountId);
  const drawn = (most * BigInt(dice.below(1_001))) / 1_000n;
  const amountMicros = micros(dice.pick([0n, drawn, drawn, drawn, most, most + 1n]));
  return { type: "PlaceBid", auctionId: id, amountMicros };
}
