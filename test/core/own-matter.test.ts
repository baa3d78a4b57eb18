// Every command of operators, about what an account of its own owner has a stake in.
// Invariant: it is refused, unless its row says why not; a command that is not here fails the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fillId, nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { auditFacts } from "#core/audit.ts";
import type { Command, CommandType } from "#core/command.ts";
import { commands } from "#core/command-table.ts";
import { isRejected } from "#core/outcome.ts";
import { adminPermissions, isAdminPermission } from "#core/records.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { decision, order, root, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;
const reason = "drill";

/** Eve is of Olga's owner: she is long in a market that a held release and a held place settle. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  world.nowMillis += 60_000;
  const [anna, eve] = [world.trader("anna", "9000"), world.trader("eve", "9000")];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.join(eve, olga);
  const listing = world.listing("2024-12", layer);
  world.order(order(listing, "SELL", "10", "0.9"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.9"), eve);
  const { marketId } = listing;
  const strays = { fillId: fillId(`fil-${world.state.fillCount}`) };
  const texas = nodeId("state:tx");
  world.runTo(world.nowMillis + 60_000);
  const accept = world.release(world.observe("2024-12", "240000"));
  const { release, observations } = accept;
  const reasons = [{ code: "MOVE_TOO_LARGE", message: "a fifth in two months" }];
  const quarantine = { type: "QuarantineRelease", release, reasons } as const;
  const seen = world.observe("2024-12", "240000");
  world.place = nodeId("state:oh");
  const other = world.release(world.observe("2024-10", "201000"));
  const heldPlaces = [{ nodeId: texas, regionId: "54", reasons, observations: [seen] }];
  return {
    world,
    eve,
    olga,
    otto,
    listing,
    marketId,
    strays,
    accept,
    quarantine,
    other,
    heldPlaces,
    observations,
  };
}

type Stage = ReturnType<typeof stage>;

/** No account, market, fill, release or place is in them. */
const aboutNothing: ReadonlySet<CommandType> = new Set([
  ...(["SetRules", "WithdrawRules", "SetFundingLimit", "SetRoot", "OpenAccount"] as const),
  ...(["IssuePublicKey", "RevokePublicKey", "FundGuarantee", "FundFinancing"] as const),
  ...(["HaltExchange", "ResumeExchange", "ListMarket", "OpenWindow", "LoadGeo"] as const),
  "SetClock",
]);

/** Decided as the command that the proposal holds; and one's own word, taken back. */
const aboutWords: ReadonlySet<CommandType> = new Set(["ConfirmProposal", "WithdrawProposal"]);

/** Each about what is Eve's; held files are sent by root before. */
function ownMatters(on: Stage): readonly Command[] {
  const { eve, marketId, strays, accept, quarantine, other, observations } = on;
  const accountId = eve.id;
  const key = {
    ...{ label: "k", prefix: "fp_test_kkkk", digest: "k", permissions: adminPermissions },
    ...{ ratePerMinute: null, expiresAtSeconds: null },
  };
  const { id: releaseId } = accept.release;
  const place = { releaseId: other.release.id, nodeId: nodeId("state:tx") };
  const decided = { decision: "uphold", valueE15: null, evidence: null } as const;
  const taken = { step: "void" } as const;
  return [
    { type: "SetOwner", accountId, owner: accountId },
    { type: "IssueKey", accountId, key },
    { type: "RevokeKeys", accountId },
    decision(accountId, "approve", "basic", true),
    { type: "ReadSubject", accountId },
    { type: "EraseSubject", accountId },
    { type: "FundAccount", accountId, amountMicros: micros(1n), memo: null },
    { type: "SetCredit", accountId, creditMicros: micros(400_000_000_000n) },
    { type: "SetCaps", accountId, maxOpenOrders: 1 },
    { type: "HaltAccount", accountId, reason },
    { type: "ResumeAccount", accountId, reason },
    { type: "PauseMarket", marketId, reason },
    { type: "ResumeMarket", marketId, reason },
    { type: "CancelMarket", marketId, reason },
    { type: "WithdrawVoid", marketId, reason },
    { type: "SettleByFallback", marketId, reason, taken, ground: [] },
    { type: "BustFill", ...strays, reason },
    { type: "DecideDispute", marketId, ...decided },
    accept,
    quarantine,
    { type: "ApproveRelease", releaseId },
    { type: "RejectRelease", releaseId, reason },
    { type: "RenamePlace", ...place, from: "54", to: "1054", shared: [], observations },
    { type: "ApprovePlace", ...place },
    { type: "ReleasePlace", ...place, readings: [] },
    { type: "RejectPlace", ...place, reason, readings: [] },
  ];
}

const isOperators = (type: CommandType): boolean => {
  const { by } = commands[type];
  return by === "operator" || isAdminPermission(by);
};

test("every command of operators is refused in one's own matter, unless its row says why not", (t) => {
  const on = stage();
  const { world, olga, quarantine, other, heldPlaces } = on;
  world.runTo(Date.UTC(2025, 0, 20));
  world.do(root, quarantine);
  world.do(root, { ...other, release: { ...other.release, rows: 1, held: 1 }, heldPlaces });
  const lines = encodeState(world.state);
  const seen = new Set<CommandType>();
  const taken: CommandType[] = [];
  for (const command of ownMatters(on)) {
    const { type } = command;
    seen.add(type);
    const before = stateHash(world.state);
    const outcome = world.try(olga.actor, command);
    const code = isRejected(outcome) ? outcome.rejection.code : undefined;
    if (commands[type].ownMatter === undefined) {
      assert.equal(code, "CONFLICT_OF_INTEREST", type);
      assert.equal(stateHash(world.state), before);
      const facts = auditFacts(world.journal.at(-1) ?? assert.fail());
      assert.equal(facts.details.refusedAs, "CONFLICT_OF_INTEREST", "it is in the trail");
    } else {
      taken.push(type);
      assert.notEqual(code, "CONFLICT_OF_INTEREST", type);
    }
    world.state = decodeState(lines);
  }
  const all = Object.keys(commands).filter((type) => isOperators(type as CommandType));
  const named = [...seen, ...aboutNothing, ...aboutWords];
  assert.deepEqual(named.sort(), all.sort(), "a command is in no list, or in two");
  t.diagnostic(`${seen.size} commands, ${taken.length} exceptions: ${taken.join()}`);
  assert.deepEqual(taken.sort(), ["AcceptRelease", "QuarantineRelease", "WithdrawVoid"]);
});

test("somebody without a stake gives each of them: nothing else stands in the way of the rule", () => {
  const on = stage();
  const { world, otto, quarantine, other, heldPlaces } = on;
  world.runTo(Date.UTC(2025, 0, 20));
  world.do(root, quarantine);
  world.do(root, { ...other, release: { ...other.release, rows: 1, held: 1 }, heldPlaces });
  const lines = encodeState(world.state);
  for (const command of ownMatters(on)) {
    const outcome = world.try(otto.actor, command);
    const code = isRejected(outcome) ? outcome.rejection.code : undefined;
    assert.notEqual(code, "CONFLICT_OF_INTEREST", command.type);
    world.state = decodeState(lines);
  }
});
