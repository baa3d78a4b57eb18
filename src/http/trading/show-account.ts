// GET /api/trading/account: the account's money at one glance.
// Invariant: cash = available + locked, and locked = collateral + reserves + lockedUntilFinal, each
// to the micro-dollar.
import { Type } from "typebox";
import { formatMicros, micros } from "#base/money.ts";
import { faceOf } from "#base/quantity.ts";
import { maxDaily, maxOpenOrders, takenToday } from "#core/account/caps.ts";
import { microsUp } from "#core/margin/requirement.ts";
import type { Account } from "#core/records.ts";
import { RoleName } from "../admin/account-record.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import { KycRecord } from "./kyc-record.ts";
import type { TradingPorts } from "./ports.ts";
import { worthOf } from "./position-record.ts";

const OwnAccount = Type.Object(
  {
    id: Type.String(),
    address: Type.String(),
    name: Type.String(),
    role: RoleName,
    cash: Type.String(),
    available: Type.String({ description: "cash that may leave, or pay for orders" }),
    locked: Type.String({ description: "collateral, reserves and lockedUntilFinal" }),
    collateral: Type.String({ description: "what positions hold back" }),
    reserves: Type.String({ description: "what open orders hold back beyond that" }),
    lockedUntilFinal: Type.String({
      description:
        "what markets that are not final have paid, beyond collateral and reserves there",
    }),
    equity: Type.String({ description: "cash, and every position at its mark" }),
    kycStatus: KycRecord.properties.status,
    kycTier: KycRecord.properties.tier,
    halted: Type.Boolean(),
    maxDaily: Type.String({ description: "USD of coverage it may trade in a UTC day" }),
    tradedToday: Type.String({
      description: "USD of coverage filled in it, and promised by open quotes for requests",
    }),
    maxOpenOrders: Type.Integer({ description: "orders it may have open" }),
    openOrders: Type.Integer({ description: "orders it has open" }),
  },
  { title: "OwnAccount" },
);

function limitsOf({ view, engine }: TradingPorts, account: Account) {
  const nowMillis = engine.status().engineTimeMillis;
  return {
    maxDaily: formatMicros(maxDaily(view.rules, account)),
    tradedToday: formatMicros(faceOf(takenToday({ state: view.limits, nowMillis }, account.id))),
    maxOpenOrders: maxOpenOrders(account),
    openOrders: view.exposures.totals(account.id).openOrders,
  };
}

export const showAccount = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/account",
    access: "read:portfolio",
    summary: "The account's cash, what is locked, and its equity at the marks",
    params: nothing,
    query: nothing,
    data: OwnAccount,
    read: ({ caller: { account } }) => {
      const { view } = ports;
      const { id, address, name, role, kyc, halted } = account;
      const cash = view.cash(id);
      const locked = view.exposures.locked(id);
      const { liabilityParts, initialParts } = view.exposures.shortTotals(id);
      const collateral = microsUp(liabilityParts + initialParts);
      const coverMicros = view.exposures.cover(id);
      let worth = 0n;
      for (const position of view.positionsOf(id)) {
        const market = view.markets.get(position.marketId);
        if (market === undefined || position.heldLots === 0n) continue;
        worth += worthOf(position, market);
      }
      return {
        data: {
          id,
          address,
          name,
          role,
          cash: formatMicros(cash),
          available: formatMicros(micros(cash - locked)),
          locked: formatMicros(locked),
          collateral: formatMicros(collateral),
          reserves: formatMicros(micros(coverMicros - collateral)),
          lockedUntilFinal: formatMicros(micros(locked - coverMicros)),
          equity: formatMicros(micros(cash + worth)),
          kycStatus: kyc.status,
          kycTier: kyc.tier,
          halted,
          ...limitsOf(ports, account),
        },
      };
    },
  });
