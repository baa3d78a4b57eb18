// Every sequence of a few mandates and orders in a small world, on the core and on its reference
// model, which finds what a mandate gives by trying one lot less each time.
//
//   FIRSTPRINT_LONGER=1 node --test test/core/every-mandate.long.test.ts
//
// Invariant: as of every sequence of orders: each is lived through from its first command.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lots } from "#base/quantity.ts";
import type { OrderInput } from "#core/command.ts";
import type { MandateTerms } from "#core/mandate/record.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { Pair } from "./pair.ts";
import { type Choice, choicesOf, Walk } from "./walk.ts";
import { order, type Trader } from "./world.ts";

const LONGER = sizeOfRun("FIRSTPRINT_LONGER", 0);

/** Five lots of full collateral each: cash ends what is given as often as budgets do. */
const poor = new Pair({ traders: 2, markets: 1, cash: "0.05" });

function mandateChoices(): readonly Choice[] {
  const [market] = poor.listings;
  const [maker, taker] = poor.traders;
  assert.ok(market !== undefined && maker !== undefined && taker !== undefined);
  const terms = (side: "BUY" | "SELL", spreadTicks: number, most: bigint): MandateTerms => ({
    scope: {
      ...{ index: "zhvi", places: [market.terms.nodeId], levels: null, payoffs: null },
      ...{ minMonths: 1, maxMonths: 60 },
    },
    ...{ side, spreadTicks, spreadTicksPerYear: 12, expirySeconds: 0, collateral: "margin" },
    ...{ mostInMarketLots: lots(most), mostInStateLots: lots(9n), mostInAllLots: lots(4n) },
  });
  const sets = ({ actor, id }: Trader, words: string, of: MandateTerms): Choice => ({
    words: `${id} sets ${words}`,
    actor,
    command: () => ({ type: "SetMandate", mandateId: null, terms: of }),
  });
  const orders = (trader: Trader, ...inputs: readonly OrderInput[]) =>
    choicesOf(trader, inputs).slice(0, inputs.length);
  const at = (price: string, amount: string, options: Partial<OrderInput> = {}) =>
    order(market, "BUY", amount, price, options);
  return [
    sets(maker, "near", terms("SELL", 98, 3n)),
    sets(maker, "far", terms("SELL", 198, 9n)),
    sets(maker, "to buy", terms("BUY", 98, 9n)),
    sets(taker, "near", terms("SELL", 98, 9n)),
    { words: "all off", actor: maker.actor, command: () => ({ ...off }) },
    ...orders(maker, order(market, "SELL", "0.02", "0.06"), order(market, "SELL", "0.01", "0.04")),
    ...orders(
      taker,
      at("0.06", "0.03"),
      at("0.07", "0.06"),
      at("0.07", "0.05", { timeInForce: "FOK" }),
      at("0.065", "0.02", { postOnly: true }),
      order(market, "SELL", "0.06", "0.04"),
    ),
  ];
}

const off = { type: "CancelMandates", mandateId: null } as const;

test("every sequence of mandates and orders: the core gives what the model finds", (t) => {
  const walk = new Walk(poor, mandateChoices());
  const longest = 4 + LONGER;
  walk.upTo(longest);
  const counts = [...walk.seen].map(([word, count]) => `${word} ${count}`).join(", ");
  t.diagnostic(
    `mandates: ${walk.sequences} sequences of up to ${longest}; at their ends ${counts}`,
  );
  const wanted = ["gives 1", "gives 2", "gives 3", "gives 4", "FILL_OR_KILL", "FILLED"];
  const missing = walk.missing([...wanted, "POST_ONLY_WOULD_CROSS"]);
  assert.deepEqual(missing, [], "they met everything they are meant to meet");
});
