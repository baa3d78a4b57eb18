// POST /api/admin/markets: a market on the level of an index at a place in a month.
// Invariant: its terms and its first mark come from the prints known now.
import { Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { formatMonth, parseMonth } from "#base/month.ts";
import { parsePrintValue } from "#base/print-value.ts";
import { hasPrintIn } from "#contract/level.ts";
import { levelListing } from "#quoting/listing.ts";
import { noPrintIn } from "#quoting/print-months.ts";
import type { ReferenceData } from "#quoting/reference.ts";
import { MarketShape, showNewMarket } from "../public/market-shape.ts";
import type { AttributionPorts } from "../records/attribution.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";

export const createMarket = (ports: ReferenceData & AttributionPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/markets",
    access: "admin:markets",
    summary: "Lists a market on the level of an index",
    refusals: ["NOT_FOUND", "NO_INDEX_DATA", "MARKET_EXISTS", "MARKET_NOT_FOUND", "LISTING_STALE"],
    params: nothing,
    body: closed({
      frontendId: Type.Optional(
        Type.String({
          pattern: "^mkt-[0-9]{3,9}$",
          description: "of the form mkt-001",
        }),
      ),
      index: Type.Enum([...indexKinds], { description: `one of ${indexKinds.join(", ")}` }),
      geoNodeId: Type.String(),
      measurementMonth: Type.String(),
      comparator: Type.Enum(["gte", "lte"], { description: "gte or lte" }),
      threshold: Type.String({ maxLength: 40, description: "a decimal string" }),
    }),
    data: MarketShape,
    toCommand: ({ body }) => {
      const { index, comparator } = body;
      const measurementMonth = parseMonth(body.measurementMonth);
      if (measurementMonth === undefined) {
        return invalidField("measurementMonth", "must be a month written YYYY-MM");
      }
      const thresholdE15 = parsePrintValue(body.threshold);
      if (thresholdE15 === undefined || thresholdE15 <= 0n) {
        return invalidField("threshold", 'must be a decimal string above 0, such as "300000"');
      }
      const node = ports.exchange.geo.get(body.geoNodeId);
      if (node === undefined) {
        return refuse("NOT_FOUND", { message: "No such place", field: "geoNodeId" });
      }
      const known = ports.series.newest(index, node.id);
      if (known === undefined) return refuse("NO_INDEX_DATA", { field: "geoNodeId" });
      if (!hasPrintIn(index, measurementMonth)) {
        return invalidField("measurementMonth", noPrintIn(index, measurementMonth, known.month));
      }
      const newest = ports.reference.levels.newest(index, node.id, measurementMonth);
      if (newest === undefined) return refuse("NO_INDEX_DATA", { field: "geoNodeId" });
      if (measurementMonth <= newest.month) {
        const published = formatMonth(newest.month);
        return invalidField("measurementMonth", `must be after ${published}, which is published`);
      }
      const payoff = { kind: "level", comparator, thresholdE15 } as const;
      const listing = levelListing(ports, { index, nodeId: node.id, measurementMonth, payoff });
      if (listing === undefined) {
        return invalidField("measurementMonth", "is further off than the model of marks reaches");
      }
      return { command: { type: "ListMarket", listing, frontendId: body.frontendId ?? null } };
    },
    render: ({ events }) => {
      const listed = events.findLast((event) => event.type === "MarketChanged");
      invariant(listed !== undefined, "a new market is an event");
      return { data: showNewMarket(ports, listed.market) };
    },
  });
