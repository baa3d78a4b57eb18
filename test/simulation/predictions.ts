// An account's money as readers are told of it, held against the books of the auditor.
// Invariant: each amount is read from the answer's own text, and predicted without the core.
import assert from "node:assert/strict";
import { parseDecimal } from "#base/decimal.ts";
import { at, textAt } from "#test/support/exchange.ts";
import type { Auditor } from "./auditor.ts";
import type { Answer, Question } from "./surface.ts";

type Books = Pick<Auditor, "cashOf" | "freeOf" | "holdingOf">;

export function assertAsPredicted(
  { place, key, query }: Pick<Question, "place" | "key" | "query">,
  { text, isJson }: Answer,
  books: Books,
): void {
  if (key === undefined || !isJson) return;
  const { accountId: account } = key;
  const data = at(JSON.parse(text), "data");
  const said = (what: string): string => `${what} of ${account} by ${place}`;
  const cash = books.cashOf(account);
  switch (place) {
    case "GET /api/trading/account":
    case "GET /api/liquidity/margin-health": {
      const name = place.endsWith("account") ? "cash" : "collateralBalance";
      assert.equal(microsAt(data, name), cash, said("the cash"));
      const free = books.freeOf(account);
      if (free !== undefined) assert.equal(microsAt(data, "available"), free, said("what is free"));
      return;
    }
    case "GET /api/trading/positions":
      for (const position of rowsOf(data)) {
        const { held, flow } = books.holdingOf(textAt(position, "marketId"), account);
        assert.equal(parseDecimal(textAt(position, "amount"), 2), held, said("what is held"));
        assert.equal(microsAt(position, "received"), flow, said("what was received"));
      }
      return;
    case "GET /api/trading/ledger": {
      const [newest] = rowsOf(data);
      if (newest === undefined || /reason|cursor/.test(query)) return;
      assert.equal(microsAt(newest, "balance"), cash, said("the newest balance"));
      return;
    }
    case "GET /api/trading/statement": {
      let balance = microsAt(data, "openingBalance");
      for (const posting of rowsOf(at(data, "postings"))) balance += microsAt(posting, "amount");
      assert.equal(balance, microsAt(data, "closingBalance"), said("the sum of the postings"));
      if (at(data, "final") === false) assert.equal(balance, cash, said("the closing balance"));
      return;
    }
    default:
  }
}

const rowsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function microsAt(value: unknown, name: string): bigint {
  return parseDecimal(textAt(value, name), 6) ?? assert.fail(`${name} is money`);
}
