// The busts that fast-check draws for the core and its model: of any fill, and of one by which a
// seller closed its position and then used the cash that was free.
// Invariant: a fill is named by its place among the newest, so that it still means something when
// commands before it are gone.
import fc from "fast-check";
import { fillId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Side } from "#core/records.ts";
import type { Pair } from "./pair.ts";
import { order, root, type Trader } from "./world.ts";

type By = "root" | "second";

const actorOf = ({ operator }: Pair, by: By) => (by === "root" ? root : operator.actor);

const other = (by: By): By => (by === "root" ? "second" : "root");

/** Mostly two words, of two people. */
export const busting = fc
  .tuple(
    fc.constantFrom(0, 0, 0, 1, 2, 5),
    fc.constantFrom<By>("root", "second"),
    fc.constantFrom("the other", "the other", "the other", "the same", "nobody"),
  )
  .map(([nth, by, second]) => ({
    words: `${by} would bust fill ${nth} from the newest, and ${second} confirms it`,
    act: (pair: Pair) => {
      wordOf(pair, by, nth);
      if (second !== "nobody") confirmNewest(pair, second === "the same" ? by : other(by));
    },
  }));

const price = fc.constantFrom("0.5", "0.3333", "0.6667", "0.9");

/** Going back, the seller has to cover what it had closed. */
export const closing = fc
  .tuple(fc.constantFrom(0, 1, 2), price, price, fc.constantFrom("withdraws", "bids", "bids twice"))
  .map(([at, first, second, then]) => ({
    words: `trader ${at} sells at ${first}, closes at ${second}, ${then}; that is busted`,
    act: (pair: Pair) => {
      const { traders } = pair;
      const [one, two] = [traders[at], traders[(at + 1) % traders.length]];
      if (one === undefined || two === undefined) return;
      place(pair, two, "BUY", first, "2");
      place(pair, one, "SELL", first, "2");
      place(pair, two, "SELL", second, "2");
      place(pair, one, "BUY", second, "2");
      const free = pair.model.available(one.id);
      const withdrawal = { accountId: one.id, amountMicros: micros(-free), memo: null };
      if (then === "withdraws" && free > 0n) {
        pair.give(root, { type: "FundAccount", ...withdrawal });
      }
      const bids = { withdraws: [], bids: ["4"], "bids twice": ["2", "2"] }[then];
      for (const amount of bids) place(pair, one, "BUY", "0.3333", amount);
      wordOf(pair, "root", 0);
      confirmNewest(pair, "second");
    },
  }));

function place(pair: Pair, { actor }: Trader, side: Side, at: string, amount: string): void {
  const [listing] = pair.listings;
  if (listing === undefined) return;
  const input = order(listing, side, amount, at);
  pair.give(actor, { type: "PlaceOrder", order: input, listing: null });
}

function wordOf(pair: Pair, by: By, nth: number): void {
  const id = fillId(`fil-${Math.max(1, pair.model.fills.length - nth)}`);
  pair.give(actorOf(pair, by), { type: "BustFill", fillId: id, reason: "drill" });
}

/** Also one that was proposed before. */
function confirmNewest(pair: Pair, by: By): void {
  const words = [...pair.world.state.words.values()];
  const newest = words.findLast(({ command }) => command.type === "BustFill");
  if (newest === undefined) return;
  const key = { prefix: "p", digest: "d" };
  pair.give(actorOf(pair, by), { type: "ConfirmProposal", proposalId: newest.id, key });
}
