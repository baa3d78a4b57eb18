// Every command as the audit trail tells it: its name, its weight, whom it concerns.
// Invariant: a refused command is told as fully as any other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { auditFacts, isSealed } from "#core/audit.ts";
import type { Actor, Command } from "#core/command.ts";
import { commands } from "#core/command-table.ts";
import type { Event } from "#core/event.ts";
import type { Outcome } from "#core/outcome.ts";
import { type Alert, type AlertType, alertTypes } from "#core/records.ts";
import { newKey, rowsOf } from "./audit-rows.ts";
import { anna, bela, stage } from "./audit-stage.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system } from "./world.ts";

const annasKey: Actor = { type: "key", accountId: anna, keyId: keyId("key-7") };

const factsOf = (actor: Actor, command: Command, outcome: Outcome) =>
  auditFacts({
    sequence: 1,
    envelope: { timeMillis: 0, actor, requestId: null, idempotency: null, command },
    outcome,
  });

/** The entries a reader should see who reads nothing else. */
const warned = new Set<string>([
  "UpgradeRules",
  "BeginTerm",
  "SetRules",
  "WithdrawRules",
  "ApplyRules",
  "HaltAccount",
  "PauseMarket",
  "CancelMarket",
  "WithdrawVoid",
  "OpenDispute",
  "UpholdDispute",
  "EndWindow",
  "OpenWindow",
  "EraseSubject",
  "IssueKey",
  "RevokeKeys",
  "ConfirmProposal",
  "WithdrawProposal",
  "LapseProposal",
  "SetFundingLimit",
  "SetCaps",
  "SetRoot",
  "QuarantineRelease",
  "RecordRefusal",
  "VoidUnpublished",
  "CloseMarks",
  "BeginFallback",
  "SettleByFallback",
  "BustFill",
  "DefaultAcceptance",
  "ExpireKyc",
  "ExpireAccreditation",
  "FireCancelAfter",
  "ReportTrip",
  "CloseAuction",
]);

/** Of the account that their events name. */
const ofTheirEvents: ReadonlySet<string> = new Set([
  "CollectPayment",
  "DefaultAcceptance",
  "CloseAuction",
  "CloseRfq",
  "LapseQuote",
]);

const grave: ReadonlySet<string> = new Set([
  "RecordMaintenance",
  "HaltExchange",
  "ReportMarginCall",
  "EndMarginCalls",
  "CarryOutWord",
]);

test("every command has a name, a resource and its details, and a weight of its own", () => {
  const rows = rowsOf(stage());
  const seen = new Set(rows.map(([command]) => command.type));
  assert.deepEqual([...seen].sort(), Object.keys(commands).sort());
  for (const [command, action, resource, details] of rows) {
    const facts = factsOf(root, command, { events: [] });
    const { type } = command;
    const weight = grave.has(type) ? "critical" : warned.has(type) ? "warning" : "info";
    assert.deepEqual(
      [facts.action, facts.resource, facts.severity, facts.success],
      [action, resource, weight, type !== "RecordRefusal"],
      type,
    );
    assert.deepEqual(facts.details, details, type);
  }
});

test("a refused command is a warning at least, and says why it was refused", () => {
  for (const [command, action, resource, details] of rowsOf(stage())) {
    const facts = factsOf(annasKey, command, { rejection: { code: "PERMISSION_DENIED" } });
    const weight = grave.has(command.type) ? "critical" : "warning";
    assert.deepEqual(
      [facts.action, facts.resource, facts.severity, facts.success],
      [action, resource, weight, false],
    );
    const why = isSealed(command) ? {} : { refusedAs: "PERMISSION_DENIED" };
    assert.deepEqual(facts.details, { ...details, ...why });
  }
});

test("an entry concerns the account it names, or else the one that gave it", () => {
  for (const [command] of rowsOf(stage())) {
    const { type } = command;
    const facts = factsOf(annasKey, command, { events: [] });
    assert.equal(facts.actor, isSealed(command) ? "sealed" : anna);
    const named = "accountId" in command ? bela : null;
    assert.equal(facts.concerns, named ?? (ofTheirEvents.has(type) ? null : anna), type);
    if (isSealed(command)) continue;
    for (const [actor, word] of [
      [root, "root"],
      [system, "system"],
    ] as const) {
      const other = factsOf(actor, command, { events: [] });
      assert.deepEqual([other.actor, other.concerns], [word, named], type);
    }
  }
});

test("what a command made is named by what came of it", () => {
  const { world } = stage();
  const events = world.do(root, {
    type: "OpenAccount",
    name: "Cora",
    role: "operator",
    address: "0xc",
    key: newKey,
  });
  const account = events.find((event) => event.type === "AccountChanged")?.account;
  const key = events.find((event) => event.type === "KeyChanged")?.key;
  assert.ok(account !== undefined && key !== undefined);
  const opening = world.journal.at(-1) ?? assert.fail();
  assert.deepEqual(
    [auditFacts(opening).resource, auditFacts(opening).concerns],
    [account.id, account.id],
  );
  const later = { ...key, id: keyId("key-99") };
  const made = factsOf(
    annasKey,
    { type: "CreateKey", key: newKey },
    {
      events: [
        { type: "KeyChanged", key },
        { type: "KeyChanged", key: later },
        { type: "AccountChanged", account },
      ],
    },
  );
  assert.deepEqual([made.resource, made.concerns], ["key-99", anna], "the last key, of its maker");
  const publicKey = { label: "site", digest: "x", scopes: null, ratePerMinute: null } as const;
  const issued = world.do(root, {
    type: "IssuePublicKey",
    key: { ...publicKey, expiresAtSeconds: null },
  });
  const site = issued.find((event) => event.type === "PublicKeyChanged");
  const facts = auditFacts(world.journal.at(-1) ?? assert.fail());
  assert.equal(facts.resource, site?.key.id ?? assert.fail());
});

const alertOf = (type: AlertType, at = 0): Event => {
  const alert: Alert = { id: `alr-${at}`, accountId: bela, type, message: "", atSeconds: at };
  return { type: "AlertRaised", alert };
};
const marks: Command = publishMarks([]);

test("a margin warning is a warning; a margin call, liquidation and haircut are critical", () => {
  const weights = {
    margin_warning: "warning",
    margin_critical: "critical",
    margin_call: "critical",
    liquidation: "critical",
    haircut: "critical",
    payout: "info",
    fallback: "warning",
    auction: "warning",
    rules: "warning",
    bust: "warning",
    webhook: "warning",
    fund_loss: "critical",
    fund_short: "critical",
  } as const;
  for (const type of alertTypes) {
    const facts = factsOf(system, marks, { events: [alertOf(type)] });
    assert.equal(facts.severity, weights[type], type);
    assert.deepEqual(facts.details, {
      markets: 0,
      alerts: [{ account: bela, type }],
      alertCount: 1,
    });
  }
  const worst = factsOf(system, marks, {
    events: [alertOf("margin_warning"), alertOf("haircut", 1)],
  });
  assert.equal(worst.severity, "critical", "the gravest of all weighs");
});

test("a fall of many is told by its first hundred and how many there were", () => {
  const events = Array.from({ length: 101 }, (_, at) =>
    alertOf(at === 100 ? "liquidation" : "margin_warning", at),
  );
  const { details } = factsOf(system, marks, { events });
  const first = { account: bela, type: "margin_warning" };
  assert.deepEqual(details, {
    markets: 0,
    alerts: Array.from({ length: 100 }, () => first),
    alertCount: 101,
  });
});

test("a market that ends with less than it owes is critical, by a micro-dollar", () => {
  const { world, listing, marketId } = stage();
  const seller = world.trader("seller", "100");
  world.order(order(listing, "SELL", "1", "0.05"), seller, listing);
  const market = world.state.market(marketId);
  const ended = (shortfallMicros: bigint) =>
    factsOf(
      system,
      { type: "FinalizeMarket", marketId },
      {
        events: [
          {
            type: "MarketChanged",
            market: { ...market, shortfallMicros: micros(shortfallMicros) },
          },
        ],
      },
    ).severity;
  assert.deepEqual([ended(0n), ended(1n)], ["info", "critical"]);
});
