// The desk's table as a file: each market is a line, a name with a comma stays one field.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { csvOf } from "../../console/src/screens/desk/csv.ts";

const market = {
  id: "srs.zhvi.zip-78704.b2026-10.e2027-10.L0200-1000",
  frontendId: "mkt-7",
  measurementMonth: "2027-10",
  bestBid: 0.0401,
  bestAsk: null,
  mark: 0.042,
};

test("a row is a line, with what rests, what is held and what the rule would quote", () => {
  const row = {
    ...{ name: '"South" Austin, TX', state: "TX", position: -600, edge: 0.475 },
    ...{ bid: { price: 0.04, amount: 250 }, ask: undefined },
  };
  const rows = [
    { ...row, market },
    { ...row, name: "Austin, TX", market },
  ];
  const rule = { below: 20, above: 30, contracts: 5, sides: "bid" } as const;
  const [line, ...others]: Record<string, string>[] = parse(csvOf(rows, rule), { columns: true });
  assert.deepEqual(
    others.map(({ place, state }) => [place, state]),
    [["Austin, TX", "TX"]],
  );
  assert.deepEqual(line, {
    ...{ market: "mkt-7", series: market.id, place: '"South" Austin, TX', state: "TX" },
    ...{ month: "2027-10", bid: "0.0400", "bid contracts": "250", ask: "", "ask contracts": "" },
    ...{ "best bid": "0.0401", "best ask": "", mark: "0.042", position: "-600" },
    ...{ "edge usd": "0.47", "rule bid": "0.0400", "rule ask": "" },
  });
});
