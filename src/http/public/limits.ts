// GET /api/limits: every limit a client can run into, from where it is enforced.
// Invariant: no number is written here; each is the constant, setting or schema that refuses.
import { type Static, Type } from "typebox";
import { formatDecimal } from "#base/decimal.ts";
import { indexKinds } from "#base/index-kind.ts";
import { usdNumber } from "#base/money.ts";
import { MAX_TICK, MIN_TICK } from "#base/price.ts";
import { formatLots, lots, MAX_ORDER_LOTS } from "#base/quantity.ts";
import { financingTerms } from "#core/acceptance/terms.ts";
import { DEFAULT_KEY_RATE } from "#core/account/accounts.ts";
import { MAX_OPEN_ORDERS } from "#core/account/caps.ts";
import { MAX_LIVE_KEYS } from "#core/keys/keys.ts";
import { MOST_OTHER_LISTINGS, MOST_UNFILLED_LISTINGS } from "#core/leaving.ts";
import { kycTiers } from "#core/records.ts";
import {
  bustShown,
  concentrationShown,
  fractionOf,
  fundShown,
  liquidityShown,
  priceRulesShown,
  type Rules,
} from "#core/rules.ts";
import type { ExchangeView } from "#views/exchange.ts";
import {
  AnnouncedRules,
  announcedRules,
  BustShape,
  ConcentrationShape,
  FundShape,
  PriceRulesShape,
} from "../records/announced-rules.ts";
import { nothing, publicData, type Route } from "../route/route.ts";
import { isCancelAccess, loopbackRate, publicKeyRate } from "../server/admission.ts";
import { burstOf } from "../server/rate-limit.ts";
import { SECRET_ATTEMPTS_PER_MINUTE } from "../server/secret-attempts.ts";
import { FEED_DEFAULTS, MOST_STREAMS } from "../stream/feed.ts";
import { MOST_ORDERS } from "../trading/batch-input.ts";
import { TICK_TEXT } from "../trading/price-text.ts";
import { MOST_STREAM_MARKETS } from "./stream.ts";
import { MOST_SUBSCRIBED } from "./subscriptions.ts";

export interface LimitPorts {
  readonly exchange: ExchangeView;
  /** Every route there is. */
  routes(): readonly Route[];
  readonly publicRatePerMinute: number;
  readonly maxKeyRatePerMinute: number;
}

const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()]);

const Rate = Type.Object({
  credential: Type.Enum([
    "none",
    "x-api-key",
    "Bearer key",
    "x-admin-secret",
    "wrong x-admin-secret",
  ]),
  /** The caller whose requests are counted together. */
  per: Type.Enum(["address", "loopback", "key", "secret"]),
  /** The bucket its requests are counted in: cancels never compete with anything else. */
  bucket: Type.Enum(["general", "cancel"]),
  perMinute: Type.Integer({ description: "units a minute where the key says nothing else" }),
  burst: Type.Integer({ description: "units that may be spent at once at that rate" }),
  maxPerMinute: IntegerOrNull,
});

const Limits = Type.Object({
  rates: Type.Array(Rate),
  routes: Type.Array(
    Type.Object({
      method: Type.String(),
      path: Type.String(),
      cost: Type.Integer({ description: "units a request costs" }),
      bucket: Type.Enum(["general", "cancel"], { description: "the rate it is taken from" }),
      defaultLimit: IntegerOrNull,
      maxLimit: IntegerOrNull,
    }),
  ),
  orders: Type.Object({
    tick: Type.String(),
    minPrice: Type.String(),
    maxPrice: Type.String(),
    minAmount: Type.String(),
    maxAmount: Type.String(),
    maxBatchOrders: Type.Integer(),
    maxOpenOrders: Type.Integer(),
    maxUntradedListings: Type.Integer({
      description: "series that an account's orders have listed and nobody has traded yet",
    }),
    maxOtherListings: Type.Integer({
      description:
        "those of them that are no standard series, from the print of March, June, September or " +
        "December",
    }),
  }),
  keys: Type.Object({ maxLiveKeys: Type.Integer() }),
  streams: Type.Object({
    maxPerAddress: Type.Integer(),
    maxPerKey: Type.Integer(),
    maxInAll: Type.Integer(),
    maxMarkets: Type.Integer({ description: "ids of markets in an address" }),
    maxSubscribed: Type.Integer({ description: "ids of markets, and of places, set by a body" }),
    maxWaitingBytes: Type.Integer({ description: "that may wait for a reader who has caught up" }),
    heartbeatSeconds: Type.Integer(),
  }),
  financing: Type.Object({
    aprBps: Type.Integer({ description: "installments: interest a year" }),
    carryAprBps: Type.Integer({ description: "at funding: interest a year, by days of 365" }),
    minDownPaymentBps: Type.Integer({ description: "installments: of the premium" }),
    maxMonths: Type.Integer(),
    graceDays: Type.Integer({ description: "before all of an overdue acceptance is due" }),
    maxOwed: Type.Record(Type.String(), Type.Number(), {
      description: "USD an owner may owe over all its accounts, by KYC tier",
    }),
  }),
  kyc: Type.Array(
    Type.Object({
      tier: Type.Enum([...kycTiers]),
      liquidityTier: Type.String(),
      maxPosition: Type.Number({ description: "USD of coverage in one market" }),
      maxDaily: Type.Number({ description: "USD of coverage in a UTC day" }),
      maxTotal: Type.Number({ description: "USD of coverage over all markets" }),
      maxPositionSize: Type.Number({ description: "USD of coverage, the liquidity tier's" }),
      maxDailyVolume: Type.Number({ description: "USD of coverage, the liquidity tier's" }),
      maxOpenPositions: Type.Integer(),
      tradingFee: Type.Number({
        description: "fraction of max(min(price, 1 − price), 0.01) × amount",
      }),
      marginRequirement: Type.Number({ description: "fraction of 1 − mark a seller posts" }),
    }),
  ),
  liquidity: Type.Array(
    Type.Object({
      metricType: Type.Enum([...indexKinds]),
      minLiquidity: Type.Number(),
      minProviders: Type.Integer(),
      spreadMax: Type.Number(),
    }),
  ),
  bust: BustShape,
  fund: FundShape,
  concentration: ConcentrationShape,
  price: PriceRulesShape,
  announced: AnnouncedRules,
});

export const showLimits = (ports: LimitPorts): Route =>
  publicData.read({
    url: "/api/limits",
    access: "public",
    summary: "Rates, costs, page sizes, order limits and what each KYC tier allows",
    params: nothing,
    query: nothing,
    data: Limits,
    read: () => ({
      data: {
        rates: ratesOf(ports),
        routes: ports
          .routes()
          .filter(({ surface }) => surface !== "page")
          .map(routeLimits),
        orders: orderLimits,
        keys: { maxLiveKeys: MAX_LIVE_KEYS },
        streams: streamLimits,
        financing: financingShown(ports.exchange.rules),
        kyc: kycTiers.map((tier) => tierLimits(ports.exchange.rules, tier)),
        liquidity: indexKinds.map((metricType) => ({
          metricType,
          ...liquidityShown(ports.exchange.rules.liquidity[metricType]),
        })),
        bust: bustShown(ports.exchange.rules),
        fund: fundShown(ports.exchange.rules),
        concentration: concentrationShown(ports.exchange.rules),
        price: priceRulesShown(ports.exchange.rules),
        announced: announcedRules(ports.exchange),
      },
    }),
  });

function ratesOf({ publicRatePerMinute, maxKeyRatePerMinute }: LimitPorts): Static<typeof Rate>[] {
  const rates = [
    ["none", "address", "ip", publicRatePerMinute, null],
    ["none", "loopback", "loopback", loopbackRate(publicRatePerMinute), null],
    ["x-api-key", "key", "key", publicKeyRate(publicRatePerMinute), maxKeyRatePerMinute],
    ["Bearer key", "key", "key", DEFAULT_KEY_RATE, maxKeyRatePerMinute],
    ["Bearer key", "key", "cancel", DEFAULT_KEY_RATE, maxKeyRatePerMinute],
    ["x-admin-secret", "secret", "root", maxKeyRatePerMinute, null],
    ["wrong x-admin-secret", "address", "admin-secret", SECRET_ATTEMPTS_PER_MINUTE, null],
  ] as const;
  return rates.map(([credential, per, name, perMinute, maxPerMinute]) => ({
    credential,
    per,
    bucket: name === "cancel" ? "cancel" : "general",
    perMinute,
    burst: burstOf({ name, ratePerMinute: perMinute }),
    maxPerMinute,
  }));
}

function routeLimits({ method, url, cost, access, schemas }: Route) {
  const { limit } = schemas.query.properties;
  return {
    method,
    path: url,
    cost,
    bucket: isCancelAccess(access) ? ("cancel" as const) : ("general" as const),
    defaultLimit: wholeNumber(limit, "default"),
    maxLimit: wholeNumber(limit, "maximum"),
  };
}

function wholeNumber(schema: object | undefined, name: string): number | null {
  const value: unknown = schema === undefined ? undefined : Reflect.get(schema, name);
  return typeof value === "number" ? value : null;
}

const orderLimits = {
  tick: TICK_TEXT,
  minPrice: formatDecimal(BigInt(MIN_TICK), 4),
  maxPrice: formatDecimal(BigInt(MAX_TICK), 4),
  minAmount: formatLots(lots(1n)),
  maxAmount: formatLots(MAX_ORDER_LOTS),
  maxBatchOrders: MOST_ORDERS,
  maxOpenOrders: MAX_OPEN_ORDERS,
  maxUntradedListings: MOST_UNFILLED_LISTINGS,
  maxOtherListings: MOST_OTHER_LISTINGS,
};

const streamLimits = {
  maxPerAddress: MOST_STREAMS.address,
  maxPerKey: MOST_STREAMS.key,
  maxInAll: MOST_STREAMS.all,
  maxMarkets: MOST_STREAM_MARKETS,
  maxSubscribed: MOST_SUBSCRIBED,
  maxWaitingBytes: FEED_DEFAULTS.waitingBytes,
  heartbeatSeconds: FEED_DEFAULTS.heartbeatMillis / 1000,
};

const financingShown = ({ tiers }: Rules) => ({
  ...financingTerms,
  maxOwed: Object.fromEntries(kycTiers.map((tier) => [tier, usdNumber(tiers[tier].creditMicros)])),
});

function tierLimits({ tiers }: Rules, tier: (typeof kycTiers)[number]) {
  const terms = tiers[tier];
  return {
    tier,
    liquidityTier: terms.liquidityTier,
    maxPosition: usdNumber(terms.maxPositionMicros),
    maxDaily: usdNumber(terms.maxDailyMicros),
    maxTotal: usdNumber(terms.maxTotalMicros),
    maxPositionSize: usdNumber(terms.maxPositionSizeMicros),
    maxDailyVolume: usdNumber(terms.maxDailyVolumeMicros),
    maxOpenPositions: terms.maxOpenPositions,
    tradingFee: fractionOf(terms.feeBps),
    marginRequirement: fractionOf(terms.requirementBps),
  };
}
