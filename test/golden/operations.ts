// The acts of operators, once each, and the texts people type: letters that locales disagree about.
// Invariant: together with the other goldens every command there is has been accepted once.
import assert from "node:assert/strict";
import { nodeId, publicKeyId, releaseId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { wholePrint } from "#base/print-value.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import type { Entry } from "#core/outcome.ts";
import type { GeoRecord } from "#core/records.ts";
import { permissions } from "#core/records.ts";
import { wordIn } from "#core/words/told.ts";
import { settling } from "#test/core/fallback-stage.ts";
import {
  decision,
  order,
  root,
  system,
  type Trader,
  tripProtection,
  World,
} from "#test/core/world.ts";

/** Dotted and dotless, sharp, composed and decomposed, beyond the basic plane, digits of others. */
export const hardNames = ["İIıi", "straße", "A\u030angstro\u0308m", "łÓdź", "\u{1D504}ff", "٣۴5"];

const place = (id: string, level: GeoRecord["level"], name: string, more: string): GeoRecord => ({
  id: nodeId(id),
  level,
  name,
  stateCode: "TX",
  fips: null,
  aliases: [more, name.toUpperCase()],
  parentIds: [nodeId("state:tx")],
  housingUnits: 1_000 + name.length,
  active: true,
  providerIds: [`zillow:${id.length}${name.length}`],
});

const reason = "drill: İ ı ß \u{1D504}";

function people(world: World): void {
  for (const name of hardNames) {
    const trader = world.trader(name, "1234.567891", "enhanced");
    const digest = `more of ${name}`;
    const ratePerMinute = 60;
    const key = { label: name, prefix: "fp_test_cccc", digest, permissions, ratePerMinute };
    const expiresAtSeconds = Date.UTC(2025, 2, 30, 1) / 1000;
    world.do(trader.actor, { type: "CreateKey", key: { ...key, expiresAtSeconds } });
  }
  const [first, second] = [...world.state.keys.values()].filter(({ label }) => label !== "first");
  if (first === undefined || second === undefined) throw new Error("keys were made");
  const { accountId, id: keyId } = first;
  world.do({ type: "key", accountId, keyId }, { type: "RevokeKey", keyId });
  const other = second.accountId;
  world.do(root, { type: "HaltAccount", accountId: other, reason });
  world.do(root, { type: "ResumeAccount", accountId: other, reason: null });
}

function subjects(world: World, trader: Trader): void {
  world.do(trader.actor, { type: "RequestKyc", tier: "institutional" });
  world.do(trader.actor, { type: "KeepSubject", subjectId: `sub-${"0".repeat(32)}` });
  world.do(root, { type: "ReadSubject", accountId: trader.id });
  world.do(root, decision(trader.id, "reject", null, true));
  world.do(root, { type: "EraseSubject", accountId: trader.id });
}

function publicKeys(world: World): void {
  const key = { label: "ı", digest: "d".repeat(64), scopes: ["index"], ratePerMinute: 1_200 };
  world.do(root, { type: "IssuePublicKey", key: { ...key, expiresAtSeconds: null } });
  world.do(root, { type: "RevokePublicKey", publicKeyId: publicKeyId("pub-1") });
}

/** A release held, approved and released by another; one rejected; one read again. */
function releases(world: World, operator: Trader): void {
  const first = world.release(world.observe("2024-10", "300000.000000000000001"));
  world.do(root, { ...first, release: { ...first.release, unmatched: 2 } });
  const observation = world.observe("2024-10", "300000.000000000000001");
  const nodes = [
    place("county:48201", "county", "Doña Ana", "Ĳssel"),
    place("zip:77002", "zip", "77002", "İstanbul"),
    place("city:lodz-tx", "city", "Łódź ß", "lodz"),
  ];
  const { id: releaseId } = first.release;
  world.do(root, { type: "LoadGeo", nodes, sha256: "places", rereadDue: [releaseId] });
  const counted = { firstPrints: 9, revisions: 3, unchanged: 2, rescaled: 1 };
  const part = {
    releaseId,
    matched: 1,
    ...counted,
    printsDigest: "digest",
    latestDigest: "digest",
  };
  const newest = [{ ...observation, nodeId: nodeId("county:48201"), releaseId, levelE12: null }];
  const reread = { type: "RereadReleases", index: "zhvi", level: "state" } as const;
  world.do(system, { ...reread, releases: [part], newest });

  const accept = world.release(world.observe("2024-11", "3000000"));
  const hold = { type: "QuarantineRelease", release: accept.release } as const;
  world.do(root, { ...hold, reasons: [{ code: "UNIT_SLIP", message: "×10" }] });
  world.do(root, { type: "RejectRelease", releaseId: accept.release.id, reason });
  world.do(root, { ...hold, reasons: [{ code: "MOVE_TOO_LARGE", message: reason }] });
  world.do(root, { type: "ApproveRelease", releaseId: accept.release.id });
  world.do(operator.actor, { ...accept, fromQuarantine: true });
}

function halts(world: World, trader: Trader): void {
  const thresholdE15 = wholePrint;
  const listing = world.listing("2025-03", { kind: "level", comparator: "gte", thresholdE15 });
  const { marketId } = listing;
  world.do(root, { type: "ListMarket", listing, frontendId: "mkt-I01" });
  world.order(order(listing, "BUY", "12.34", "0.0513", { clientOrderId: "İ-1" }), trader);
  world.do(root, { type: "PauseMarket", marketId, reason });
  world.do(root, { type: "ResumeMarket", marketId, reason });
  world.do(root, { type: "HaltExchange", reason });
  world.do(root, { type: "ResumeExchange", reason });
  tripProtection(world, trader, world.trader("other", "5000"), listing);
  world.runTo(world.nowMillis);
  world.do(trader.actor, { type: "ResetProtection" });
  world.do(trader.actor, { type: "SetCancelAfter", seconds: 3_600, marketId: null });
  world.runTo(world.nowMillis + 3_600_000);
  const amountMicros = micros(123_456_789n);
  world.do(root, { type: "FundGuarantee", amountMicros, memo: "guarantee ı" });
}

/**
 * Two orders that wait for a print that is ten days late, and meet in the auction of that day; one
 * that goes with its day; a file that was none; an operator's word.
 */
function windows(world: World): void {
  const listing = world.listing("2025-05", { kind: "layered", attachBps: 500, exhaustBps: 1500 });
  const [seller, buyer] = [world.trader("late", "2000"), world.trader("later", "2000")];
  world.order(order(listing, "SELL", "7.5", "0.07"), seller, listing);
  world.order(order(listing, "SELL", "1", "0.09", { cancelOnRelease: true }), seller);
  world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: null });
  world.order(order(listing, "BUY", "2.25", "0.08"), buyer);
  world.runTo(world.nowMillis + 11 * 86_400_000);
  const notOne = { index: "zhvi", releaseId: releaseId("rel-none") } as const;
  world.do(system, { type: "AwaitRelease", ...notOne });
  world.do(system, { type: "ForgetAwaited", ...notOne });
  world.do(root, { type: "OpenWindow", index: "zori", reason });
}

/** A market whose print does not come: 60 days later two people take the step that applies. */
function unprinted(world: World, operator: Trader): () => void {
  world.successor = null;
  const listing = world.listing("2025-06", { kind: "layered", attachBps: 500, exhaustBps: 1500 });
  const [seller, buyer] = [world.trader("unpaid", "2000"), world.trader("unmet", "2000")];
  world.order(order(listing, "SELL", "3.25", "0.06"), seller, listing);
  world.order(order(listing, "BUY", "3.25", "0.06"), buyer);
  const { marketId } = listing;
  return () => {
    const command = settling(world.state, marketId, { step: "void" }, reason);
    const waiting = wordIn("open", world.do(operator.actor, command));
    assert.ok(waiting !== undefined, "a first word waits");
    world.agree(root, waiting);
  };
}

/** Where clocks of some places stand still or are set back, a command each. */
const hours = [
  Date.UTC(2025, 2, 9, 10),
  Date.UTC(2025, 2, 30, 1, 0, 0, 1),
  Date.UTC(2025, 10, 2, 4, 30),
  Date.UTC(2025, 11, 31, 23, 59, 59, 999),
];

export function operations(): readonly Entry[] {
  const world = new World("sandbox", DECIDER_VERSION - 1);
  world.do(system, { type: "UpgradeRules", version: DECIDER_VERSION });
  for (const storage of ["managed", "managed", "checked", "managed"] as const) {
    world.do(system, { type: "BeginTerm", storage });
  }
  const operator = world.open("ölga", "operator");
  people(world);
  const trader = world.trader("trader", "5000", "enhanced");
  world.runTo(Date.UTC(2024, 11, 20));
  releases(world, operator);
  halts(world, trader);
  windows(world);
  const settleUnprinted = unprinted(world, operator);
  subjects(world, trader);
  publicKeys(world);
  world.refused(trader.actor, { type: "HaltExchange", reason });
  const refusal = { code: "UNAUTHENTICATED", operation: "POST /api/trading/orders" } as const;
  world.do(system, { type: "RecordRefusal", ...refusal, count: 7 });
  const lost = { subject: "entries 12 to 17", before: "17", after: "11", reason } as const;
  world.do(system, { type: "RecordMaintenance", work: "loss_accepted", ...lost });
  for (const toMillis of hours) {
    world.runTo(toMillis);
    world.do(root, { type: "SetClock", toMillis });
    const amountMicros = micros(BigInt(toMillis));
    world.do(root, { type: "FundGuarantee", amountMicros, memo: reason });
  }
  settleUnprinted();
  return world.journal;
}
