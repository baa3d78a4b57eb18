// Business days against lists that others have published, and the end of a day of notice.
// Invariant: a notice leaves a day, and ends on a business day.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { afterBusinessDay, isBusinessDay } from "#base/business-days.ts";

/** As the Office of Personnel Management lists them, with the days they are kept on. */
const published = {
  2022: "01-17 02-21 05-30 06-20 07-04 09-05 10-10 11-11 11-24 12-26",
  2026: "01-01 01-19 02-16 05-25 06-19 07-03 09-07 10-12 11-11 11-26 12-25",
  2027: "01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31",
};

test("the federal holidays of a year are those that are published", () => {
  for (const [year, days] of Object.entries(published)) {
    const found: string[] = [];
    for (let at = Date.UTC(Number(year), 0, 1); new Date(at).getUTCFullYear() === Number(year); ) {
      const weekday = new Date(at).getUTCDay();
      const isWorkday = weekday !== 0 && weekday !== 6;
      if (isWorkday && !isBusinessDay(at)) found.push(new Date(at).toISOString().slice(5, 10));
      if (!isWorkday) assert.equal(isBusinessDay(at), false);
      at += 86_400_000;
    }
    assert.equal(found.join(" "), days, year);
  }
});

test("a day of notice ends on a business day, and has one in it", () => {
  for (const [from, to] of [
    ["2026-11-23T15:00:00Z", "2026-11-24T15:00:00Z"],
    // Thanksgiving.
    ["2026-11-25T09:00:00Z", "2026-11-27T09:00:00Z"],
    ["2026-11-26T09:00:00Z", "2026-11-30T00:00:00Z"],
    // Friday to Monday, and a weekend that gives no time.
    ["2026-11-20T20:00:00Z", "2026-11-23T20:00:00Z"],
    ["2026-11-21T10:00:00Z", "2026-11-24T00:00:00Z"],
    ["2026-11-22T23:59:59Z", "2026-11-24T00:00:00Z"],
    // Christmas on a Friday: the Thursday before is a business day.
    ["2026-12-24T12:00:00Z", "2026-12-28T12:00:00Z"],
  ]) {
    const end = afterBusinessDay(Date.parse(from ?? ""));
    assert.equal(end, Date.parse(to ?? ""), `${from} gives ${new Date(end).toISOString()}`);
  }
});

test("no notice is shorter than a day, or longer than five", () => {
  const instants = fc.integer({ min: Date.UTC(2021, 0, 1), max: Date.UTC(2060, 0, 1) });
  fc.assert(
    fc.property(instants, (from) => {
      const end = afterBusinessDay(from);
      assert.ok(isBusinessDay(end));
      const days = (end - from) / 86_400_000;
      assert.ok(days >= 1 && days <= 5.0001, `${days} days`);
    }),
  );
});
