// firstprint market …: markets and their resolution for everybody, their life for the operator.
// Invariant: a settled value is shown with the attribution that came with it.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { monthName, monthText } from "./figures.ts";
import { pageOptions, pageRemark } from "./page.ts";
import { tellWaiting } from "./proposal.ts";
import type { Screen } from "./screen.ts";
import { moveText, ownShare, paidOn, payoutText } from "./settled.ts";
import { field, time } from "./table.ts";

const marketFields = [
  field("id"),
  field("frontendId", "frontend id"),
  field("status"),
  field("tradingClosed", "trading closed"),
  field("phase"),
  field("indicative.price", "would meet at"),
  field("indicative.volume", "would trade"),
  field("indicative.surplus", "left over"),
  field("description"),
  field("marketType", "type"),
  field("geoNodeId", "place"),
  field("metricType", "metric"),
  field("comparator"),
  field("threshold"),
  field("measurementMonth", "measured in", monthName),
  field("resolutionTimestamp", "print expected", time),
  field("outcomes.0.price", "YES"),
  field("outcomes.1.price", "NO"),
  field("outcomes.0.priceBasis", "price from"),
  field("reason"),
  field("createdAt", "listed", time),
  field("termsHash", "terms hash"),
];

const listFields = [
  field("frontendId", "market"),
  field("status"),
  field("geoNodeId", "place"),
  field("metricType", "metric"),
  field("threshold"),
  field("measurementMonth", "month"),
  field("outcomes.0.price", "YES"),
  field("outcomes.0.priceBasis", "from"),
  field("id"),
];

const resolutionFields = [
  field("marketId", "market"),
  field("frontendId", "frontend id"),
  field("status"),
  field("geoNodeId", "place"),
  field("metric"),
  field("comparator"),
  field("threshold"),
  field("measurementMonth", "measured in", monthName),
  field("outcome"),
  field("move", "index"),
  field("pays"),
  field("share", "to be paid"),
  field("paidOn", "paid on"),
  field("settledValue", "settled value"),
  field("comparisonValue", "comparison value"),
  field("observation.releaseId", "release"),
  field("observation.ingestedAt", "ingested", time),
  field("resolvedAt", "resolved", time),
  field("disputeWindowEndsAt", "dispute window ends", time),
  field("disputed"),
  field("finalizedAt", "finalized", time),
  field("attribution"),
];

function marketText(screen: Screen, market: unknown): string {
  const resolved = at(market, "resolution");
  const settlement =
    resolved === null || resolved === undefined
      ? []
      : [
          field("resolution.outcome", "outcome"),
          field("resolution.payoutFraction", "payout fraction"),
          field("resolution.settledValue", "settled value"),
          field("resolution.disputeWindowEndsAt", "dispute window ends", time),
          field("resolution.finalizedAt", "finalized", time),
        ];
  return screen.record([...marketFields, ...settlement, field("attribution")], market);
}

const createMarket: CliCommand = {
  words: "market create",
  about: "List a market on the level of an index: will the first print reach the threshold",
  takes: ["place", "month", "gte|lte", "threshold"],
  options: {
    index: { value: "index", about: "zhvi (the default), zori, vacancy or weather" },
    id: { value: "mkt-NNN", about: "its frontend id; the next free one when left out" },
  },
  example: "market create state:tx 2025-04 gte 300000",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const frontendId = args.option("id");
    const answer = await exchange.post("/api/admin/markets", {
      ...(frontendId === undefined ? {} : { frontendId }),
      index: args.option("index") ?? "zhvi",
      geoNodeId: args.word("place"),
      measurementMonth: monthText(args.word("month"), "<month>"),
      comparator: args.word("gte|lte"),
      threshold: args.word("threshold"),
    });
    screen.show(answer, () => marketText(screen, at(answer.json, "data")));
    return undefined;
  },
};

const listMarkets: CliCommand = {
  words: "market list",
  about: "List the markets in the order they were listed",
  options: {
    status: { value: "status", about: "ACTIVE, PAUSED, RESOLVED, CANCELLED or FINALIZED" },
    level: { value: "level", about: "state, county, city, neighborhood or zip" },
    state: { value: "code", about: "two letters" },
    zip: { value: "zip", about: "five digits" },
    ...pageOptions,
  },
  example: "market list --status ACTIVE --state TX",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const query = args.given("status", "level", "state", "zip", "page", "limit");
    const answer = await exchange.read("/api/markets", query);
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(listFields, rows, "No markets."));
    pageRemark(screen, answer);
    return undefined;
  },
};

const showMarket: CliCommand = {
  words: "market show",
  about: "Show a market by its id or frontend id",
  takes: ["market"],
  example: "market show mkt-001",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/markets/{id}", { id: args.word("market") });
    screen.show(answer, () => marketText(screen, at(answer.json, "data")));
    return undefined;
  },
};

const showResolution: CliCommand = {
  words: "market resolution",
  about: "Show what a market settled on, what it pays, to you too with a key, and when",
  takes: ["market"],
  example: "market resolution mkt-001",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/markets/{id}/resolution", { id: args.word("market") });
    const resolution = at(answer.json, "data");
    const share = screen.json ? "-" : await ownShare(exchange, resolution);
    const told = {
      ...Object(resolution),
      move: moveText(resolution),
      pays: payoutText(resolution),
      share,
      paidOn: paidOn(resolution),
    };
    screen.show(answer, () => screen.record(resolutionFields, told));
    return undefined;
  },
};

const controlFields = [
  field("id"),
  field("status"),
  field("reason"),
  field("shortfall"),
  field("voidProposal.by", "void proposed by"),
  field("voidProposal.reason", "void proposed because"),
  field("voidProposal.lapsesAt", "void lapses", time),
  field("fallbackSince", "fallback since", time),
];

const controlCommand = (
  verb: "pause" | "resume" | "cancel" | "cancel-withdrawal",
  about: string,
  reason: string,
): CliCommand => ({
  words: `market ${verb}`,
  about,
  takes: ["market"],
  options: { reason: { value: "text", required: true, about: "why, for everybody to read" } },
  example: `market ${verb} mkt-001 --reason "${reason}"`,
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const given = { id: args.word("market"), ...args.given("reason") };
    const answer = await exchange.post(`/api/admin/markets/{id}/${verb}`, given);
    screen.show(answer, () => screen.record(controlFields, at(answer.json, "data")));
    return undefined;
  },
});

const waitingCommand: CliCommand = {
  words: "market waiting",
  about: "Show what in a market waits for a second person",
  takes: ["market"],
  example: "market waiting mkt-001",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/admin/markets/{id}", { id: args.word("market") });
    screen.show(answer, () => screen.record(controlFields, at(answer.json, "data")));
    return undefined;
  },
};

const fallbackCommand: CliCommand = {
  words: "market fallback",
  about: "Propose the fallback of its terms for a market whose print is 60 days late",
  takes: ["market"],
  options: { reason: { value: "text", required: true, about: "why, for everybody to read" } },
  example: 'market fallback mkt-001 --reason "the provider stopped the series"',
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    tellWaiting(
      screen,
      await exchange.post("/api/admin/markets/{id}/fallback", {
        id: args.word("market"),
        ...args.given("reason"),
      }),
    );
    return undefined;
  },
};

const bustCommand: CliCommand = {
  words: "fill bust",
  about: "Propose to undo a fill that is off the reference, while its window lasts",
  takes: ["fill"],
  options: { reason: { value: "text", required: true, about: "why, for both parties to read" } },
  example: 'fill bust fil-7 --reason "a price with a digit too many"',
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    tellWaiting(
      screen,
      await exchange.post("/api/admin/fills/{id}/bust", {
        id: args.word("fill"),
        ...args.given("reason"),
      }),
    );
    return undefined;
  },
};

export const marketCommands: readonly CliCommand[] = [
  createMarket,
  listMarkets,
  showMarket,
  controlCommand("pause", "Let a market take cancels only", "a correction is announced"),
  controlCommand("resume", "Let a paused market trade again", "the correction is out"),
  controlCommand(
    "cancel",
    "Propose to void a market, or agree: the second person's word reverses every payment in it",
    "listed by mistake",
  ),
  controlCommand("cancel-withdrawal", "Take back a proposed void", "it was the right month"),
  waitingCommand,
  fallbackCommand,
  bustCommand,
  showResolution,
];
