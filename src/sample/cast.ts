// The traders of the sample: opened, screened by the sandbox's rule, and given play money.
// Invariant: every account is opened by the operator's own commands; only its key is random.
import { taggedHex } from "#base/digest.ts";
import type { AccountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { type KycTier, type Permission, permissions, type Role } from "#core/records.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { actorOf, type Player, root, type SampleKey, type Stage } from "./stage.ts";

/** The account that the demo key is of. */
const SAMPLE_TRADER = "Sample Trader";

/** Undefined where the store holds no sample. */
export function sampleTraderOf(
  view: Pick<ExchangeView, "releases" | "accounts">,
): AccountId | undefined {
  const isSample = [...view.releases.values()].some(({ provider }) => provider === "sample");
  const trader = [...view.accounts.values()].find(({ name }) => name === SAMPLE_TRADER);
  return isSample ? trader?.id : undefined;
}

export interface Cast {
  readonly operations: Player;
  /** Gives the second word where two people are needed. */
  readonly second: Player;
  readonly hedger: Player;
  readonly makers: readonly Player[];
  readonly trader: Player;
  /** Asks to be admitted, and waits. */
  readonly newcomer: Player;
  /** The trader's own, to try the exchange with. */
  readonly demoKey: SampleKey;
  /** Of both operators, to try with what takes two. */
  readonly operatorKeys: readonly SampleKey[];
}

interface Funds {
  readonly tier: KycTier;
  readonly usd: number;
}

const MEMO = "Sample funds: no real money";
const POOL_MICROS = micros(250_000_000_000n);

const hedgerFunds: Funds = { tier: "enhanced", usd: 250_000 };
const makerFunds: Funds = { tier: "institutional", usd: 2_000_000 };
const traderFunds: Funds = { tier: "enhanced", usd: 100_000 };

/** Opens, screens and funds everybody. */
export async function assemble(stage: Stage, seed: number): Promise<Cast> {
  const desk = await open(stage, seed, "Sample Operations Desk", "operator");
  const operations = desk.player;
  const admitted = async (name: string, funds: Funds) => {
    const opened = await open(stage, seed, name, "trader");
    await screen(stage, operations, opened.player, funds.tier);
    await fund(stage, opened.player, funds.usd);
    return opened;
  };
  const hedger = await admitted("Sample Homeowners Mutual", hedgerFunds);
  const first = await admitted("Sample Liquidity North", makerFunds);
  const second = await admitted("Sample Liquidity South", makerFunds);
  const trader = await admitted(SAMPLE_TRADER, traderFunds);
  await fillPool(stage);
  // Last of all: from the second operator on, root moves no such sums alone.
  const other = await open(stage, seed, "Sample Second Desk", "operator");
  const { player: newcomer } = await open(stage, seed, "Sample Newcomer", "trader");
  return {
    operations,
    second: other.player,
    newcomer,
    operatorKeys: [desk.key, other.key],
    hedger: hedger.player,
    makers: [first.player, second.player],
    trader: trader.player,
    demoKey: trader.key,
  };
}

/** The permissions operators need in the sample. */
const operationsPermissions: readonly Permission[] = [
  "admin:read",
  "admin:accounts",
  "admin:releases",
  "admin:markets",
  "admin:settle",
];

/** Approvals last a year and the play is longer. */
export async function renewApprovals(stage: Stage, cast: Cast): Promise<void> {
  await approve(stage, cast.operations, cast.hedger, hedgerFunds.tier);
  for (const maker of cast.makers) await approve(stage, cast.operations, maker, makerFunds.tier);
  await approve(stage, cast.operations, cast.trader, traderFunds.tier);
}

async function open(
  stage: Stage,
  seed: number,
  name: string,
  role: Role,
): Promise<{ readonly player: Player; readonly key: SampleKey }> {
  const address = `0x${taggedHex("firstprint/sample-address/v1", `${seed}|${name}`).slice(0, 40)}`;
  const key = stage.ports.makeKey(name);
  const events = await stage.give(root, {
    type: "OpenAccount",
    name,
    role,
    address,
    key: {
      label: "first key",
      prefix: key.prefix,
      digest: key.digest,
      permissions: role === "operator" ? operationsPermissions : permissions,
      ratePerMinute: stage.ports.keyRatePerMinute,
      expiresAtSeconds: null,
    },
  });
  const made = events.find((event) => event.type === "KeyChanged");
  if (made === undefined) throw new Error(`Opening ${name} made no key.`);
  const { id, accountId } = made.key;
  return { player: { name, accountId, keyId: id, address }, key };
}

async function screen(
  stage: Stage,
  operations: Player,
  player: Player,
  tier: KycTier,
): Promise<void> {
  await stage.give(actorOf(player), { type: "RequestKyc", tier });
  await approve(stage, operations, player, tier);
}

/** Nobody was screened: the record names the sandbox, whose rule approves. */
async function approve(
  stage: Stage,
  operations: Player,
  player: Player,
  tier: KycTier,
): Promise<void> {
  await stage.give(actorOf(operations), {
    type: "DecideKyc",
    accountId: player.accountId,
    decision: "approve",
    tier,
    countryCode: "US",
    sanctionsCleared: true,
    pepScreened: true,
    adverseMediaCleared: true,
    listVersion: "sandbox-rule",
    provider: "sandbox",
    accreditation: {
      basis: "sandbox rule: everybody is accredited",
      evidenceId: "none",
      expiresAtSeconds: null,
    },
  });
}

/** Lends the premiums of some hundred owners who pay by the month. */
async function fillPool(stage: Stage): Promise<void> {
  await stage.give(root, { type: "FundFinancing", amountMicros: POOL_MICROS, memo: MEMO });
}

/** By root: it is more than one operator moves alone in a day. */
async function fund(stage: Stage, player: Player, usd: number): Promise<void> {
  await stage.give(root, {
    type: "FundAccount",
    accountId: player.accountId,
    amountMicros: micros(BigInt(usd) * 1_000_000n),
    memo: MEMO,
  });
}
