// /api/trading/marks: the markets that are settled in cash, and a seller's sealed mark of one.
// Invariant: nobody is shown a mark but its own before all of them are published.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { TICKS_PER_USD } from "#base/price.ts";
import type { Event } from "#core/event.ts";
import { isLive } from "#core/market/life.ts";
import type { SealedMark } from "#core/settlement/mark-records.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

const MarkRecord = Type.Object(
  { marketId: Type.String(), price: Type.Number({ description: "of YES, 0 to 1" }) },
  { title: "SealedMark" },
);

const markRecord = ({ marketId, valueTicks }: SealedMark) => ({
  marketId,
  price: valueTicks / TICKS_PER_USD,
});

const RoundRecord = Type.Object(
  {
    marketId: Type.String(),
    frontendId: Type.String(),
    openedAt: Type.Integer({ description: "Unix seconds" }),
    closesAt: Type.Integer({ description: "when the marks are published, Unix seconds" }),
    mark: Type.Union([MarkRecord, Type.Null()], { description: "the caller's own" }),
  },
  { title: "MarkRound" },
);

type Ports = Pick<TradingPorts, "view">;

export const listMarks = (ports: Ports): Route =>
  trading.read({
    url: "/api/trading/marks",
    access: "read:portfolio",
    summary: "Markets that are settled in cash: sellers without a stake mark them, sealed",
    params: nothing,
    query: nothing,
    data: Type.Array(RoundRecord),
    read: ({ caller }) => ({
      data: [...ports.view.markets.values()].flatMap(({ id, frontendId, status, markRound }) => {
        if (markRound === undefined || !isLive(status)) return [];
        const mark = ports.view.markOf(caller.account.id, id);
        return [
          {
            marketId: id,
            frontendId,
            openedAt: Math.floor(markRound.openedAtMillis / 1000),
            closesAt: Math.floor(markRound.closesAtMillis / 1000),
            mark: mark === undefined ? null : markRecord(mark),
          },
        ];
      }),
    }),
  });

export const giveMark = (ports: Ports): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/marks/:marketId",
    access: "create:orders",
    summary:
      "Says what YES of a market that is settled in cash is worth, in place of the mark before",
    refusals: [
      "ROLE_NOT_TRADER",
      "KYC_REQUIRED",
      "ACCREDITATION_REQUIRED",
      "ACCOUNT_HALTED",
      "EXCHANGE_HALTED",
      "CONFLICT_OF_INTEREST",
      "MARGIN_CALL",
      "IN_DEFAULT",
      "MARKS_NOT_OPEN",
      "MARK_NOT_SELLER",
    ],
    params: Type.Object({ marketId: Type.String({ maxLength: 200 }) }),
    body: closed({
      price: Type.String({ maxLength: 6, description: "0 to 1, at most four decimals" }),
    }),
    data: MarkRecord,
    toCommand: ({ params, body }) => {
      const market = ports.view.marketByAnyId(params.marketId);
      if (market === undefined) return refuse("MARKS_NOT_OPEN");
      if (!/^(0(\.\d{1,4})?|1(\.0{1,4})?)$/.test(body.price)) {
        return invalidField("price", 'must be a decimal string from "0" to "1" with 4 decimals');
      }
      const valueTicks = Math.round(Number(body.price) * TICKS_PER_USD);
      return { command: { type: "GiveMark", marketId: market.id, valueTicks } };
    },
    render: ({ events }) => ({ data: markRecord(givenIn(events)) }),
  });

function givenIn(events: readonly Event[]): SealedMark {
  const given = events.find((event) => event.type === "MarkGiven");
  invariant(given !== undefined, "a mark that is taken is told");
  return given.mark;
}
