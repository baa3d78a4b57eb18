// Histories of two owners and a stranger in a market that falls, with every invariant judged after
// every command; test/attacks/pairs-in-a-falling-market.long.test.ts judges what they are paid.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { played } from "./falling-market.ts";

const HISTORIES = sizeOfRun("FIRSTPRINT_FALLING_HISTORIES", 15);
const FIRST = 1;

test("every invariant holds through loans, hedges, voids, falls and default auctions", () => {
  let auctions = 0;
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed += 1) {
    const { world } = played(seed, { judgesInvariants: true });
    auctions += world.state.auctionCount;
  }
  assert.ok(auctions > 0, "a seller on margin was auctioned");
});
