// Every kind of word there is, against everything that may happen to its giver before the second.
// Invariant: a kind that is not here does not compile; a word counts while its giver could give it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fillId, nodeId, type ProposalId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { encode } from "#core/codec.ts";
import type { Actor, Command } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { adminPermissions, type Permission } from "#core/records.ts";
import type { RulesChange } from "#core/rules-change.ts";
import { wordsAbout } from "#core/words/say.ts";
import { wordIn } from "#core/words/told.ts";
import { subjectOf, type WordCommand, wordKinds } from "#core/words/word.ts";
import { Stage } from "./fallback-stage.ts";
import { order, root, type Trader, World } from "./world.ts";

const DAY_MILLIS = 86_400_000;
const usd = (dollars: number) => micros(BigInt(dollars) * 1_000_000n);
const layer = { kind: "layered", attachBps: 800, exhaustBps: 2000 } as const;
const reason = "drill";

/** One kind of words: what two people say, and how it is seen to be done. */
interface Kind {
  readonly world: World;
  readonly olga: Trader;
  readonly otto: Trader;
  readonly word: WordCommand;
  /** Carries out the second word, where files come with it. */
  readonly second?: Command;
  /** Another choice about the subject, where there is one. */
  readonly other?: WordCommand;
  /** An account whose owner has a stake in the subject. */
  readonly staked?: Trader;
}

/** Idle is an operator without authority; anna has sold bela ten of a market to December. */
function plain() {
  const world = new World();
  world.print("2024-10", "300000");
  world.nowMillis += 60_000;
  const idle = world.openIdle("idle");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const [anna, bela] = [world.trader("anna", "90000"), world.trader("bela", "90000")];
  const listing = world.listing("2024-12", layer);
  const { marketId } = listing;
  world.order(order(listing, "SELL", "10", "0.05"), anna, listing);
  world.order(order(listing, "BUY", "10", "0.05"), bela);
  return { world, idle, olga, otto, anna, bela, listing, marketId };
}

const keyOf = (label: string, permissions: readonly Permission[] = adminPermissions) => ({
  ...{ label, prefix: "fp_test_word", digest: label, permissions },
  ...{ ratePerMinute: null, expiresAtSeconds: null },
});

const margin = (requirementBps: number): RulesChange => ({
  tiers: { institutional: { requirementBps } },
});

function ofAccounts(make: (on: ReturnType<typeof plain>) => Omit<Kind, "world" | "olga" | "otto">) {
  return (): Kind => {
    const on = plain();
    return { world: on.world, olga: on.olga, otto: on.otto, ...make(on) };
  };
}

const ofPool = (type: "FundGuarantee" | "FundFinancing") =>
  ofAccounts(() => {
    const amount = (dollars: number) => ({ type, amountMicros: usd(dollars), memo: null }) as const;
    return { word: amount(2_000_000), other: amount(2_000_001) };
  });

const kinds: { readonly [T in WordCommand["type"]]: () => Kind } = {
  OpenAccount: ofAccounts(() => {
    const open = (label: string) =>
      ({ type: "OpenAccount", name: "new", role: "operator", address: label }) as const;
    const word = { ...open("0x1"), key: keyOf("new") };
    return { word, other: { ...word, key: keyOf("new", ["admin:read"]) } };
  }),
  IssueKey: ofAccounts(({ idle }) => ({
    word: { type: "IssueKey", accountId: idle.id, key: keyOf("given") },
    other: { type: "IssueKey", accountId: idle.id, key: keyOf("other") },
  })),
  SetOwner: ofAccounts(({ idle, anna, bela }) => ({
    word: { type: "SetOwner", accountId: idle.id, owner: anna.id },
    other: { type: "SetOwner", accountId: idle.id, owner: bela.id },
  })),
  FundAccount: ofAccounts(({ anna }) => {
    const fund = (dollars: number) =>
      ({
        type: "FundAccount",
        accountId: anna.id,
        amountMicros: usd(dollars),
        memo: null,
      }) as const;
    return { word: fund(2_000_000), other: fund(2_000_001), staked: anna };
  }),
  SetCaps: ofAccounts(({ anna }) => {
    const caps = (most: number) =>
      ({ type: "SetCaps", accountId: anna.id, maxOpenOrders: most }) as const;
    return { word: caps(2_000), other: caps(3_000), staked: anna };
  }),
  SetCredit: ofAccounts(({ anna }) => {
    const credit = (dollars: number) =>
      ({ type: "SetCredit", accountId: anna.id, creditMicros: usd(dollars) }) as const;
    return { word: credit(900_000), other: credit(800_000), staked: anna };
  }),
  FundGuarantee: ofPool("FundGuarantee"),
  FundFinancing: ofPool("FundFinancing"),
  SetRules: ofAccounts(() => ({
    word: { type: "SetRules", rules: margin(9_000) },
    other: { type: "SetRules", rules: margin(8_000) },
  })),
  WithdrawRules: ofAccounts(({ world, olga, otto }) => {
    for (const { actor } of [olga, otto])
      world.do(actor, { type: "SetRules", rules: margin(9_000) });
    const [announcementId] = world.state.announcedRules.keys();
    assert.ok(announcementId !== undefined);
    return { word: { type: "WithdrawRules", announcementId } };
  }),
  SetFundingLimit: ofAccounts(() => ({
    word: { type: "SetFundingLimit", limitMicros: usd(5_000_000) },
    other: { type: "SetFundingLimit", limitMicros: usd(6_000_000) },
  })),
  SetRoot: ofAccounts(() => ({
    word: { type: "SetRoot", on: true },
    other: { type: "SetRoot", on: false },
  })),
  CancelMarket: ofAccounts(({ marketId, anna }) => ({
    word: { type: "CancelMarket", marketId, reason },
    staked: anna,
  })),
  SettleByFallback: () => {
    const stage = new Stage();
    stage.runTo(Date.UTC(2025, 10, 19));
    const word = stage.step({ step: "void" });
    const { olga, otto, anna } = stage;
    return { world: stage, olga, otto, word, staked: anna };
  },
  DecideDispute: ofAccounts(({ world, marketId, anna, bela }) => {
    world.runTo(Date.UTC(2025, 0, 20));
    world.print("2024-12", "240000");
    world.do(bela.actor, { type: "OpenDispute", marketId, reason, evidence: null });
    const decide = (evidence: string) =>
      ({ type: "DecideDispute", marketId, decision: "uphold", valueE15: null, evidence }) as const;
    return { word: decide("page 3"), other: decide("page 4"), staked: anna };
  }),
  BustFill: ofAccounts(({ world, listing, anna, bela }) => {
    world.order(order(listing, "SELL", "10", "0.9"), anna);
    world.order(order(listing, "BUY", "10", "0.9"), bela);
    const id = fillId(`fil-${world.state.fillCount}`);
    return { word: { type: "BustFill", fillId: id, reason }, staked: anna };
  }),
  ApproveRelease: ofAccounts(({ world, anna }) => {
    world.runTo(Date.UTC(2025, 0, 20));
    const accept = world.release(world.observe("2024-12", "240000"));
    const { release } = accept;
    const reasons = [{ code: "MOVE_TOO_LARGE", message: "a fifth in two months" }];
    world.do(root, { type: "QuarantineRelease", release, reasons });
    return {
      word: { type: "ApproveRelease", releaseId: release.id },
      second: { ...accept, fromQuarantine: true },
      staked: anna,
    };
  }),
  ApprovePlace: ofAccounts(({ world, anna }) => {
    world.runTo(Date.UTC(2025, 0, 20));
    const texas = nodeId("state:tx");
    const seen = world.observe("2024-12", "240000");
    world.place = nodeId("state:oh");
    const accept = world.release(world.observe("2024-12", "201000"));
    const { id: releaseId } = accept.release;
    const reasons = [{ code: "MOVE_TOO_LARGE", message: "It moves by 20 %." }];
    const heldPlaces = [{ nodeId: texas, regionId: "54", reasons, observations: [seen] }];
    world.do(root, { ...accept, release: { ...accept.release, rows: 1, held: 1 }, heldPlaces });
    const place = { releaseId, nodeId: texas } as const;
    const counted = { firstPrints: 1, revisions: 0, unchanged: 0, rescaled: 0 };
    const digests = { printsDigest: "", latestDigest: "" };
    const readings = [{ releaseId, ...counted, ...digests, observations: [seen] }];
    return {
      word: { type: "ApprovePlace", ...place },
      second: { type: "ReleasePlace", ...place, readings },
      staked: anna,
    };
  }),
};

/** Whether this second word decides: it ends the words about the subject as agreed to. */
function decides({ world, word, second = word }: Kind, by: Actor): boolean {
  const outcome = world.try(by, shownTo(second));
  if (isRejected(outcome)) {
    const isHeld = ["RELEASE_HELD", "PLACE_HELD"].includes(outcome.rejection.code);
    assert.ok(isHeld && second !== word, `${word.type}: ${outcome.rejection.code}`);
    return false;
  }
  return wordIn("confirmed", outcome.events) !== undefined;
}

/** Each person is shown a key of its own, and a new account has an address for each request. */
function shownTo(command: Command): Command {
  if (command.type !== "OpenAccount" && command.type !== "IssueKey") return command;
  const key = { ...command.key, digest: `${command.key.digest} for the second` };
  return command.type === "OpenAccount"
    ? { ...command, key, address: "0xsecond" }
    : { ...command, key };
}

const ids = ({ world, word }: Kind): readonly ProposalId[] =>
  wordsAbout(world.state, subjectOf(word)).map(({ id }) => id);

/**
 * Left out, and each but the first proves itself: it has one choice, or it ends before. Nobody but
 * the two who decide has a stake in the others, so there is no account whose owner she could become.
 */
const impossible: Readonly<Record<string, readonly WordCommand["type"][]>> = {
  "she has a stake": [
    ...(["OpenAccount", "IssueKey", "SetOwner", "FundGuarantee", "FundFinancing"] as const),
    ...(["SetRules", "WithdrawRules", "SetFundingLimit", "SetRoot"] as const),
  ],
  "she says something else": [
    ...(["WithdrawRules", "CancelMarket", "SettleByFallback", "BustFill"] as const),
    ...(["ApproveRelease", "ApprovePlace"] as const),
  ],
  "ten days pass": ["WithdrawRules", "DecideDispute", "BustFill"],
  "her key has run out": ["BustFill"],
};

const endsWithin = (millis: number) => (kind: Kind) => {
  const { world, olga, otto, word } = kind;
  world.do(olga.actor, word);
  world.runTo(world.nowMillis + millis);
  world.refused(otto.actor, word);
};

/** Why a happening is impossible for a kind. */
const proofs: Readonly<Record<string, (kind: Kind) => void>> = {
  "she has a stake": ({ staked }) => assert.equal(staked, undefined),
  "she says something else": ({ world, olga, word, other }) => {
    assert.equal(other, undefined);
    const { type, ...said } = word;
    // The step of a fallback is worked out by the exchange: another one is refused.
    if (word.type === "SettleByFallback") {
      world.refused(olga.actor, { ...word, ground: [0, 0, 0, 0] });
      world.refused(olga.actor, { ...word, taken: { step: "cash", last: null } });
      return;
    }
    const chosen = Object.entries(said).filter(
      ([name, value]) => name !== "reason" && !subjectOf(word).includes(value),
    );
    assert.deepEqual(chosen, [], `${type} says no more than its subject`);
  },
  "ten days pass": endsWithin(10 * DAY_MILLIS),
  "her key has run out": endsWithin(3_600_000),
};

for (const [name, types] of Object.entries(impossible)) {
  for (const type of types) {
    test(`${type}: it cannot be that ${name}`, () => {
      (proofs[name] ?? assert.fail(`${name} has no proof`))(kinds[type]());
    });
  }
}

/** Each happens to olga after her word. */
const happenings: Readonly<Record<string, (kind: Kind) => void>> = {
  "her account is halted": ({ world, olga }) => {
    world.do(root, { type: "HaltAccount", accountId: olga.id, reason });
  },
  "her keys are revoked": ({ world, olga }) => {
    world.do(root, { type: "RevokeKeys", accountId: olga.id });
  },
  "she revokes her only key": ({ world, olga }) => {
    assert.ok(olga.actor.type === "key");
    world.do(olga.actor, { type: "RevokeKey", keyId: olga.actor.keyId });
  },
  "she has a stake": ({ world, olga, staked }) => {
    const { id: accountId } = staked ?? assert.fail("somebody has a stake");
    world.join({ id: accountId }, olga);
  },
  "she says something else": ({ world, olga, other }) => {
    world.do(olga.actor, other ?? assert.fail("there is another choice"));
  },
  "ten days pass": ({ world }) => world.runTo(world.nowMillis + 10 * DAY_MILLIS),
};

for (const [type, make] of Object.entries(kinds)) {
  test(`${type}: two people who say the same decide, at once and whoever spoke before`, () => {
    const kind = make();
    kind.world.do(kind.olga.actor, kind.word);
    assert.equal(ids(kind).length, 1, "a first word waits");
    const again = kind.world.refused(kind.olga.actor, kind.word).code;
    assert.equal(again, wordKinds[kind.word.type].same, "and is not said twice");
    assert.ok(decides(kind, kind.otto.actor));
    assert.deepEqual(ids(kind), [], "nothing waits of what is decided");

    const vetoed = make();
    // Root has no say about itself.
    if (vetoed.other === undefined || vetoed.word.type === "SetRoot") return;
    vetoed.world.do(root, vetoed.other);
    vetoed.world.do(vetoed.olga.actor, vetoed.word);
    assert.ok(decides(vetoed, vetoed.otto.actor), "a first word is nobody's veto");
    assert.deepEqual(ids(vetoed), []);
  });

  // Its entry is read back from parts, with the members of the command in another order.
  test(`${type}: a word is the same in whatever order its members came`, () => {
    const [one, other] = [make(), make()];
    const word = { ...one.word, expiresAfterMillis: one.world.nowMillis };
    const told = one.world.do(one.olga.actor, word);
    const turned = Object.fromEntries(Object.entries(word).reverse());
    const again = other.world.do(other.olga.actor, { ...turned, ...word });
    assert.equal(encode(again), encode(told));
  });

  const can = (name: string): boolean => !impossible[name]?.some((one) => one === type);
  for (const [name, happen] of Object.entries(happenings)) {
    if (!can(name)) continue;
    test(`${type}: no second word decides once ${name}`, () => {
      const kind = make();
      kind.world.do(kind.olga.actor, kind.word);
      const [first] = ids(kind);
      happen(kind);
      if (name !== "she has a stake")
        assert.ok(!ids(kind).includes(first ?? assert.fail()), "gone");
      assert.equal(decides(kind, kind.otto.actor), false);
      const left = kind.world.voices(subjectOf(kind.word));
      if (kind.second === undefined) assert.ok(left.includes(kind.otto.id), "it is a first one");
    });
  }

  if (!can("her key has run out")) continue;
  test(`${type}: no second word decides once her key has run out`, () => {
    const kind = make();
    const { world, olga, otto, word } = kind;
    const expiresAtSeconds = Math.floor(world.nowMillis / 1000) + 3_600;
    const short = { ...keyOf("short"), expiresAtSeconds };
    const made = world.do(olga.actor, { type: "CreateKey", key: short });
    const key = made.find((event) => event.type === "KeyChanged")?.key ?? assert.fail();
    assert.ok(olga.actor.type === "key");
    world.do(olga.actor, { type: "RevokeKey", keyId: olga.actor.keyId });
    world.do({ type: "key", accountId: olga.id, keyId: key.id }, word);
    world.runTo(world.nowMillis + 3_600_000 - 1_000);
    assert.equal(ids(kind).length, 1, "while it lives");
    world.runTo(world.nowMillis + 2_000);
    assert.deepEqual(ids(kind), []);
    assert.equal(decides(kind, otto.actor), false);
  });
}
