// The writer of an entry leaves out what the reader is told, record by record and to the byte.
// Invariant: compared with the plain way: the record without all that `Told` knows of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountId, fillId, marketId, orderId, rfqId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import type { BookLevel } from "#core/book/order.ts";
import { encode } from "#core/codec.ts";
import type { EventOf } from "#core/event.ts";
import {
  fillText,
  inputText,
  levelText,
  orderText,
  positionText,
  postingText,
  tradedText,
} from "#core/record-texts.ts";
import type { Fill } from "#core/records.ts";
import { type Fields, fieldsOf, Told, without } from "#core/small.ts";
import { exampleRecords } from "./example-records.ts";
import { order as sent, tick } from "./world.ts";

const { market: listed, order: placed } = exampleRecords();
const [anna, bela] = [placed.accountId, accountId("bela")];
const example = sent({ marketId: listed.id }, "BUY", "1", "0.05");

const markets = fc.constantFrom(listed.id, marketId('another "market"'));
const ids = fc.constantFrom(orderId("ord-1"), orderId("ord-2"));
const accounts = fc.constantFrom(anna, bela);
const ticks = fc.constantFrom(tick("0.05"), tick("0.06"));
const amounts = fc.constantFrom(lots(0n), lots(100n));
const cash = fc.constantFrom(micros(0n), micros(50_000n));
const times = fc.constantFrom(placed.createdAtMillis, 7);
const truth = fc.boolean();

/** A field that is new in a record is missing here, and this does not compile. */
type EachOf<Whole, Left = never> = Record<Exclude<keyof Whole, Left>, unknown>;

/** Fields of an order as it is sent, each of them as it may be. */
const asSent = {
  marketId: markets,
  outcomeIndex: fc.constantFrom(0, 1),
  side: fc.constantFrom("BUY", "SELL"),
  priceTick: ticks,
  amountLots: amounts,
  expirySeconds: fc.constantFrom(0, 9),
  timeInForce: fc.constantFrom("GTC", "IOC"),
  postOnly: truth,
  reduceOnly: truth,
  clientOrderId: fc.constantFrom(null, "mine", 'm\u001e"'),
  selfTradePrevention: fc.constantFrom("cancel_incoming", "cancel_both"),
  cancelOnRelease: fc.constant(true),
  group: fc.constantFrom("one", "two"),
} as const;
const asPlaced = {
  ...asSent,
  accountId: accounts,
  filledLots: amounts,
  status: fc.constantFrom("OPEN", "CANCELLED"),
  cancelReason: fc.constantFrom(null, "REQUESTED"),
  createdAtMillis: times,
  rank: fc.constantFrom(1, 2),
} as const;

/** Changed fields stand first in some of them: a record's own order is kept. */
const inputs = fc
  .tuple(fc.record(asSent, { requiredKeys: [] }), truth)
  .map(([changes, isFirst]) => ({ ...(isFirst ? changes : {}), ...example, ...changes }));
const orders = fc
  .tuple(fc.record(asPlaced, { requiredKeys: [] }), truth)
  .map(([changes, isFirst]) => ({ ...(isFirst ? changes : {}), ...placed, ...changes }));
const positions = fc.record({
  accountId: accounts,
  marketId: markets,
  heldLots: amounts,
  costMicros: cash,
  realisedMicros: cash,
  flowMicros: cash,
});
const fills = fc
  .tuple(
    fc.record({
      id: fc.constantFrom(fillId("fil-1"), fillId("fil-2")),
      marketId: markets,
      yesTick: ticks,
      amountLots: amounts,
      takerOrderId: ids,
      makerOrderId: ids,
      buyer: accounts,
      seller: accounts,
      takerBuysYes: truth,
      timeMillis: times,
    } satisfies EachOf<Fill, "rfqId">),
    truth,
  )
  .map(([fill, isQuoted]) => (isQuoted ? { ...fill, rfqId: rfqId("rfq-1") } : fill));
const named = fc.option(markets, { nil: undefined });

const toldOf = (market: unknown): Told => new Told(placed.createdAtMillis, market, []);

const plain = (record: object, known: Fields): string => encode(without(record, known));

test("an order, as it is sent and as it is told, is what its reader is not told", () => {
  const many = { maxLength: 3 };
  fc.assert(
    fc.property(named, fc.array(inputs, many), fc.array(orders, many), (market, asked, placed) => {
      const [writer, reader] = [toldOf(market), toldOf(market)];
      for (const told of [writer, reader]) told.sent(anna, asked.map(fieldsOf));
      for (const input of asked)
        assert.equal(inputText(input, writer), plain(input, reader.input()));
      for (const order of placed) {
        assert.equal(orderText(order, writer), plain(order, reader.order(order.accountId)));
      }
    }),
    { numRuns: 500 },
  );
});

test("a position is what its reader is not told, also when it is told again", () => {
  fc.assert(
    fc.property(named, fc.array(positions, { maxLength: 6 }), (market, told) => {
      const [writer, reader] = [toldOf(market), toldOf(market)];
      for (const each of told) {
        const position = { ...each, claim: { dueMicros: micros(2n), paidMicros: micros(1n) } };
        const known = reader.position(each.accountId, each.marketId);
        assert.equal(positionText(position, writer), plain(position, known));
        reader.held(position);
      }
    }),
    { numRuns: 200 },
  );
});

test("fills, levels, what was paid for them and traded are what their reader is not told", () => {
  const level = fc.record({
    marketId: markets,
    side: fc.constantFrom("bid", "ask"),
    tick: ticks,
    openLots: amounts,
    orders: fc.constantFrom(0, 1),
  } satisfies EachOf<BookLevel>);
  fc.assert(
    fc.property(named, fc.option(fills), fills, level, cash, (market, before, fill, level, fee) => {
      const told = toldOf(market);
      if (before !== null) told.filled(before);
      const isNamed = market !== undefined;
      const { takerOrderId, makerOrderId, buyer, seller } = fill;
      const sides = { takerOrderId, makerOrderId, buyer, seller };
      assert.equal(fillText(fill, told, isNamed), plain(fill, { ...told.fill(), ...sides }));
      assert.equal(levelText(level, told, isNamed), plain(level, told.market));
      const posting = {
        from: "fees",
        to: `cash:${anna}`,
        amountMicros: fee,
        reason: fee === 0n ? "premium" : "fee",
        reference: fill.id,
      } as const satisfies EachOf<EventOf<"Posted">["posting"]>;
      const { from, to } = posting;
      assert.equal(postingText(posting, told), plain(posting, { ...told.premium, from, to }));
      const fees = { houseFeesMicros: fee, fundFeesMicros: fee };
      const traded = { marketId: fill.marketId, lastTick: fill.yesTick, ...fees };
      const event = { type: "MarketTraded", ...traded } as const satisfies EachOf<
        EventOf<"MarketTraded">
      >;
      assert.equal(tradedText(event, told), plain(traded, told.traded()));
    }),
    { numRuns: 300 },
  );
});
