// The sentences a scenario is written in: a pattern each, and the act it stands for.
// Invariant: every line of a scenario is read by exactly one sentence, whole.
import assert from "node:assert/strict";
import { parseDecimal } from "#base/decimal.ts";
import { keyId, orderId } from "#base/ids.ts";
import { isIndexKind } from "#base/index-kind.ts";
import { type Micros, parseMicros } from "#base/money.ts";
import { parsePrintValue } from "#base/print-value.ts";
import type { Payoff } from "#contract/terms.ts";
import type { Command, OrderInput } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { type KycTier, kycTiers, permissions, roles } from "#core/records.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { setRules } from "#test/core/set-rules.ts";
import { decision, order, root, system, tick } from "#test/core/world.ts";
import type { Scenario } from "./exchange.ts";
import { amendment, protection } from "./order-words.ts";

type Words = (name: string) => string;
type Act = (scenario: Scenario, words: Words) => void;

const HOUR_MILLIS = 3_600_000;

/** Reads and does one line; `repeat 5: …` does it five times and tells the last. */
export function tell(scenario: Scenario, line: string): readonly string[] {
  const [, times = "1", inner = line] = /^repeat (\d+): (.+)$/.exec(line) ?? [];
  for (let at = 1; at <= Number(times); at += 1) {
    scenario.takeLines();
    scenario.world.judgesRefusals = at === Number(times);
    const matches = sentences.flatMap(([pattern, act]) => {
      const match = pattern.exec(inner);
      return match === null ? [] : [{ act, groups: match.groups ?? {} }];
    });
    const [found] = matches;
    assert.ok(found !== undefined && matches.length === 1, `${matches.length} sentences: ${line}`);
    found.act(scenario, (name) => found.groups[name] ?? "");
  }
  return scenario.takeLines();
}

const ORDER =
  /^(?<side>buys|sells) (?<amount>\S+) (?<outcome>YES|NO) at (?<price>\S+) on (?<where>.+)$/;
const WHERE = /^(?<market>\w+)(?: \((?<how>[^)]+)\))?$/;

const sentences: readonly (readonly [RegExp, Act])[] = [
  [/^trader (?<name>\w+) (?<cash>\S+)(?: (?<tier>basic|enhanced|institutional))?$/, enter],
  [
    /^open (?<name>\w+) as (?<role>\w+)$/,
    (scenario, words) => {
      const role = roles.find((one) => one === words("role")) ?? assert.fail("no such role");
      scenario.open(words("name"), role);
    },
  ],
  [/^fund (?<name>\w+) (?<amount>\S+)$/, fund],
  [
    /^(?<name>\w+) inquires for (?<tier>\w+)$/,
    (scenario, words) => {
      scenario.give(scenario.actor(words("name")), {
        type: "RequestKyc",
        tier: tierOf(words("tier")),
      });
    },
  ],
  [
    /^approve (?<name>\w+)(?: as (?<tier>\w+))?$/,
    (scenario, words) => {
      const tier = words("tier") === "" ? null : tierOf(words("tier"));
      scenario.give(root, decision(scenario.trader(words("name")).id, "approve", tier, true));
    },
  ],
  [
    /^reject (?<name>\w+)(?<hit> by sanctions)?$/,
    (scenario, words) => {
      const { id } = scenario.trader(words("name"));
      scenario.give(root, decision(id, "reject", null, words("hit") === ""));
    },
  ],
  [
    /^the index is (?<index>\w+)$/,
    (scenario, words) => {
      const kind = words("index");
      scenario.world.index = isIndexKind(kind) ? kind : assert.fail(`no index ${kind}`);
    },
  ],
  [
    /^print (?<month>\S+) (?<value>\S+)(?: linked at (?<link>\S+))?(?<alone> without a link)?$/,
    print,
  ],
  [
    /^root accepts (?<label>\w+)$/,
    (scenario, words) => {
      scenario.give(root, scenario.release(words("label")));
    },
  ],
  [
    /^hold (?<month>\S+) (?<value>\S+) as (?<label>\w+)(?<again> again)?$/,
    (scenario, words) => {
      const { world } = scenario;
      const { type: _type, ...brought } =
        words("again") === ""
          ? world.release(world.observe(words("month"), words("value")))
          : scenario.release(words("label"));
      scenario.keepRelease(words("label"), { type: "AcceptRelease", ...brought });
      const message = `moves to ${words("value")}`;
      const reasons = [{ code: "MOVE_TOO_LARGE", message }];
      scenario.give(root, { type: "QuarantineRelease", release: brought.release, reasons });
    },
  ],
  [
    /^(?<name>\w+) approves (?<label>\w+)$/,
    (scenario, words) => {
      const { release } = scenario.release(words("label"));
      scenario.give(scenario.actor(words("name")), {
        type: "ApproveRelease",
        releaseId: release.id,
      });
    },
  ],
  [
    /^(?<name>\w+) releases (?<label>\w+)$/,
    (scenario, words) => {
      const command = scenario.release(words("label"));
      scenario.give(scenario.actor(words("name")), { ...command, fromQuarantine: true });
    },
  ],
  [
    /^(?<name>\w+) rejects (?<label>\w+)$/,
    (scenario, words) => {
      const { release } = scenario.release(words("label"));
      const reason = "as the story has it";
      const command = { type: "RejectRelease", releaseId: release.id, reason } as const;
      scenario.give(scenario.actor(words("name")), command);
    },
  ],
  [
    /^series (?<letter>\w+) (?<payoff>.+) to (?<end>\S+) mark (?<mark>\S+)$/,
    (scenario, words) => {
      nameListing(scenario, words);
    },
  ],
  [
    /^list (?<letter>\w+) (?<payoff>.+) to (?<end>\S+) mark (?<mark>\S+)$/,
    (scenario, words) => {
      const listing = nameListing(scenario, words);
      scenario.give(root, { type: "ListMarket", listing, frontendId: null });
    },
  ],
  [
    /^(?<name>\w+) (?<order>(?:buys|sells) .+)$/,
    (scenario, words) => {
      const { input, listing } = orderOf(scenario, words("order"));
      scenario.give(scenario.actor(words("name")), { type: "PlaceOrder", order: input, listing });
    },
  ],
  [/^(?<name>\w+) batch: (?<orders>.+)$/, batch],
  [
    /^(?<name>\w+) cancels (?<order>ord-\d+)$/,
    (scenario, words) => {
      const id = orderId(words("order"));
      scenario.give(scenario.actor(words("name")), { type: "CancelOrder", orderId: id });
    },
  ],
  [
    /^(?<name>\w+) cancels all(?: in (?<market>\w+))?$/,
    (scenario, words) => {
      const marketId = words("market") === "" ? null : scenario.market(words("market"));
      scenario.give(scenario.actor(words("name")), { type: "CancelAll", marketId });
    },
  ],
  [
    /^(?<name>\w+) amends (?<order>ord-\d+): (?<changes>.+)$/,
    (scenario, words) => {
      const command = amendment(words("order"), words("changes"), millisOf);
      scenario.give(scenario.actor(words("name")), command);
    },
  ],
  [
    /^(?<name>\w+) cancels all after (?<seconds>\d+) s(?: in (?<market>\w+))?$/,
    (scenario, words) => {
      const marketId = words("market") === "" ? null : scenario.market(words("market"));
      const seconds = Number(words("seconds"));
      scenario.give(scenario.actor(words("name")), { type: "SetCancelAfter", seconds, marketId });
    },
  ],
  [
    /^(?<name>\w+) protects (?<terms>.+)$/,
    (scenario, words) => {
      scenario.give(scenario.actor(words("name")), protection(words("terms")));
    },
  ],
  [
    /^(?<name>\w+) resets the protection$/,
    (scenario, words) => {
      scenario.give(scenario.actor(words("name")), { type: "ResetProtection" });
    },
  ],
  [
    /^clock (?<to>\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?)$/,
    (scenario, words) => {
      scenario.goTo(millisOf(words("to")));
    },
  ],
  [
    /^(?<act>pause|resume) (?<market>\w+)$/,
    (scenario, words) => {
      const marketId = scenario.market(words("market"));
      const types = { pause: "PauseMarket", resume: "ResumeMarket" } as const;
      const act = words("act");
      assert.ok(act === "pause" || act === "resume");
      scenario.give(root, { type: types[act], marketId, reason: "as the story has it" });
    },
  ],
  [
    /^(?<name>\w+) (?<act>voids|withdraws the void of) (?<market>\w+)$/,
    (scenario, words) => {
      const marketId = scenario.market(words("market"));
      const type = words("act") === "voids" ? "CancelMarket" : "WithdrawVoid";
      scenario.give(scenario.actor(words("name")), {
        type,
        marketId,
        reason: "as the story has it",
      });
    },
  ],
  [
    /^(?<act>halt|lift) account (?<name>\w+)$/,
    (scenario, words) => {
      const accountId = scenario.trader(words("name")).id;
      const type = words("act") === "halt" ? "HaltAccount" : "ResumeAccount";
      scenario.give(root, { type, accountId, reason: null });
    },
  ],
  [
    /^(?<act>halt|lift) the exchange$/,
    (scenario, words) => {
      const type = words("act") === "halt" ? "HaltExchange" : "ResumeExchange";
      scenario.give(root, { type, reason: "as the story has it" });
    },
  ],
  [
    /^(?<name>\w+) calls (?<index>\w+)$/,
    (scenario, words) => {
      const index = words("index");
      assert.ok(isIndexKind(index));
      const reason = "as the story has it";
      scenario.give(scenario.actor(words("name")), { type: "OpenWindow", index, reason });
    },
  ],
  [
    /^mark (?<market>\w+) (?<mark>\S+)(?: stressed (?<stressed>\S+))?$/,
    (scenario, words) => {
      const markTick = tick(words("mark"));
      const stressedTick = words("stressed") === "" ? markTick : tick(words("stressed"));
      const marks = [{ marketId: scenario.market(words("market")), markTick, stressedTick }];
      scenario.give(system, publishMarks(marks));
    },
  ],
  [/^(?<name>\w+) makes key (?<label>\w+) for (?<permissions>\S+)(?<more> .+)?$/, makeKey],
  [
    /^(?<name>\w+) uses key (?<label>\w+)$/,
    (scenario, words) => {
      scenario.useKey(words("name"), words("label"));
    },
  ],
  [
    /^(?<name>\w+) revokes key (?<label>\w+)$/,
    (scenario, words) => {
      const key = scenario.keyNamed(words("name"), words("label"));
      assert.ok(key.type === "key");
      scenario.give(scenario.actor(words("name")), { type: "RevokeKey", keyId: key.keyId });
    },
  ],
  [
    /^revoke key-(?<number>\d+) as (?<name>\w+)$/,
    (scenario, words) => {
      const id = keyId(`key-${words("number")}`);
      scenario.give(scenario.actor(words("name")), { type: "RevokeKey", keyId: id });
    },
  ],
  [/^book (?<market>\w+)$/, (scenario, words) => scenario.drawBook(words("market"))],
  [/^market (?<market>\w+)$/, (scenario, words) => scenario.drawMarket(words("market"))],
  [/^orders of (?<name>\w+)$/, (scenario, words) => scenario.drawOrders(words("name"))],
  [/^margin of (?<name>\w+)$/, (scenario, words) => scenario.drawMargin(words("name"))],
  [/^require (?<part>\S+) of (?<tier>\w+)$/, require],
  [
    /^fund the guarantee (?<amount>\S+)$/,
    (scenario, words) => {
      const amountMicros = moneyOf(words("amount"));
      scenario.give(root, { type: "FundGuarantee", amountMicros, memo: null });
    },
  ],
  [
    /^the calls run out$/,
    (scenario) => {
      const { state } = scenario.world;
      scenario.goTo(Math.max(...state.callsDue.keys()));
    },
  ],
  [
    /^the auctions run out$/,
    (scenario) => {
      const all = [...scenario.world.state.auctions.values()];
      scenario.goTo(Math.max(...all.map(({ closesAtMillis }) => closesAtMillis)));
    },
  ],
  [/^balances$/, (scenario) => scenario.drawBalances()],
];

function enter(scenario: Scenario, words: Words): void {
  const trader = scenario.open(words("name"), "trader");
  const tier = words("tier") === "" ? "institutional" : tierOf(words("tier"));
  scenario.give(root, decision(trader.id, "approve", tier, true));
  scenario.takeLines();
  scenario.give(root, funding(scenario, words("name"), words("cash")));
}

function fund(scenario: Scenario, words: Words): void {
  scenario.give(root, funding(scenario, words("name"), words("amount")));
}

const funding = (scenario: Scenario, name: string, amount: string): Command => ({
  type: "FundAccount",
  accountId: scenario.trader(name).id,
  amountMicros: moneyOf(amount),
  memo: null,
});

/** The margin requirement of a tier, or of everybody. */
function require(scenario: Scenario, words: Words): void {
  const steps = parseDecimal(words("part"), 4) ?? assert.fail("no fraction");
  const tiers = words("tier") === "everybody" ? kycTiers : [tierOf(words("tier"))];
  let { rules } = scenario.world.state;
  for (const tier of tiers) {
    const changed = { ...rules.tiers[tier], requirementBps: Number(steps) };
    rules = { ...rules, tiers: { ...rules.tiers, [tier]: changed } };
  }
  setRules(scenario.world, rules);
}

function print(scenario: Scenario, words: Words): void {
  const link = words("link") === "" ? undefined : words("link");
  const hangsOn = words("alone") === "" ? link : null;
  const { world } = scenario;
  const seen = world.observe(words("month"), words("value"), hangsOn);
  scenario.give(root, world.release(seen));
}

function batch(scenario: Scenario, words: Words): void {
  const parts = words("orders")
    .split("; ")
    .map((text) => orderOf(scenario, text));
  const listings = parts.flatMap(({ listing }) => (listing === null ? [] : [listing]));
  scenario.give(scenario.actor(words("name")), {
    type: "PlaceBatch",
    orders: parts.map(({ input }) => input),
    listings,
  });
}

function nameListing(scenario: Scenario, words: Words): Listing {
  const payoff = payoffOf(words("payoff"));
  const listing = scenario.world.listing(words("end"), payoff, words("mark"));
  scenario.name(words("letter"), listing);
  return listing;
}

function orderOf(
  scenario: Scenario,
  text: string,
): { readonly input: OrderInput; readonly listing: Listing | null } {
  const placed = ORDER.exec(text)?.groups ?? assert.fail(`no order: ${text}`);
  const { side, amount = "", outcome, price = "", where = "" } = placed;
  const { market = "", how = "" } = WHERE.exec(where)?.groups ?? assert.fail(`where: ${text}`);
  const plain = order(
    { marketId: scenario.market(market) },
    side === "buys" ? "BUY" : "SELL",
    amount,
    price,
    { outcomeIndex: outcome === "YES" ? 0 : 1 },
  );
  let input = plain;
  for (const way of how === "" ? [] : how.split(", ")) input = { ...input, ...wayOf(way) };
  return { input, listing: scenario.listing(market) };
}

function wayOf(text: string): Partial<OrderInput> {
  const [way, rest = ""] = text.split(/ (.*)/);
  switch (way) {
    case "IOC":
    case "FOK":
      return { timeInForce: way };
    case "post-only":
      return { postOnly: true };
    case "reduce-only":
      return { reduceOnly: true };
    case "cancel-on-release":
      return { cancelOnRelease: true };
    case "until":
      return { expirySeconds: millisOf(rest) / 1000, timeInForce: "GTD" };
    case "ref":
      return { clientOrderId: rest };
    case "own":
      assert.ok(rest === "cancel_incoming" || rest === "cancel_resting" || rest === "cancel_both");
      return { selfTradePrevention: rest };
    default:
      return assert.fail(`an order cannot be ${text}`);
  }
}

function makeKey(scenario: Scenario, words: Words): void {
  const asked = words("permissions").split(",");
  const [, , rate, , until] =
    /^( at (\d+) a minute)?( until (.+))?$/.exec(words("more")) ?? assert.fail("no such key");
  const events = scenario.give(scenario.actor(words("name")), {
    type: "CreateKey",
    key: {
      label: words("label"),
      prefix: "fp_test_story",
      digest: words("label"),
      permissions: permissions.filter((one) => asked.includes("all") || asked.includes(one)),
      ratePerMinute: rate === undefined ? null : Number(rate),
      expiresAtSeconds: until === undefined ? null : millisOf(until) / 1000,
    },
  });
  const [made] = events;
  if (made?.type !== "KeyChanged") return;
  const { accountId, id } = made.key;
  const actor = { type: "key", accountId, keyId: id } as const;
  scenario.keepKey(words("name"), words("label"), actor);
}

function payoffOf(text: string): Payoff {
  const [kind, from = "", to = ""] = text.split(/[ -]/);
  if (kind === "layered") return { kind, attachBps: Number(from), exhaustBps: Number(to) };
  if (kind === "binary") return { kind, strikeBps: Number(from) };
  assert.ok(kind === "gte" || kind === "lte", `no payoff: ${text}`);
  const thresholdE15 = parsePrintValue(from) ?? assert.fail(`no threshold: ${text}`);
  return { kind: "level", comparator: kind, thresholdE15 };
}

const tierOf = (text: string): KycTier =>
  kycTiers.find((tier) => tier === text) ?? assert.fail(`no tier ${text}`);

const moneyOf = (text: string): Micros => parseMicros(text) ?? assert.fail(`no money: ${text}`);

/** A day is its noon, so that no scenario stands on midnight unless it says so. */
function millisOf(text: string): number {
  const millis = text.includes(" ")
    ? Date.parse(`${text.replace(" ", "T")}Z`)
    : Date.parse(`${text}T00:00:00Z`) + 12 * HOUR_MILLIS;
  assert.ok(Number.isSafeInteger(millis), `no time: ${text}`);
  return millis;
}
