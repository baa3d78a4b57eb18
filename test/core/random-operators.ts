// The moves of operators against each other, root and money, as a seed draws them: with narrow
// keys, with puppets, with accounts of their own owner, one word at a time.
// Invariant: nothing but the state and the dice decide; whatever may not be is asked for as well.
import { type AccountId, type FillId, keyId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import type { Actor, Command, NewKey } from "#core/command.ts";
import { isKeyLive, isRootOff } from "#core/person.ts";
import { adminPermissions, type Key } from "#core/records.ts";
import { positionOf } from "#core/step.ts";
import type { Word } from "#core/words/word.ts";
import { permissionOf } from "#test/simulation/people.ts";
import type { Dice } from "./dice.ts";
import { root, type Trader, type World } from "./world.ts";

const usd = (dollars: number): Micros => micros(BigInt(dollars) * 1_000_000n);

const MOST_OPERATORS = 7;
/** Low ones, so that what is above them changes nobody's trading for ever. */
const limits = [usd(20), usd(60), usd(300), usd(5_000)];
const kinds = [
  ...(["fund", "fund", "fund", "fund", "limit", "limit", "open", "issue", "issue"] as const),
  ...(["root", "root", "owner", "owner", "owner", "halt", "revoke", "narrow"] as const),
  ...(["bust", "bust", "bust", "bust", "bust", "withdraw", "withdraw", "caps", "caps"] as const),
];
/** The guarantee fund seldom: with much in it nothing ever lacks. */
const targets = [
  ...(["account", "account", "account", "account", "pool", "pool", "pool", "fund"] as const),
];

export class RandomOperators {
  readonly #world: World;
  readonly #dice: Dice;

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  /** Root, and every operator with a key of its own. */
  get actors(): readonly Actor[] {
    const { state } = this.#world;
    const newest = [...state.operators].flatMap((id) => this.#liveKeys(id).slice(-1));
    return [root, ...newest.map(actorWith)];
  }

  /** Somebody who sets the clock and ends a halt, whether root is on or off. */
  get acting(): Actor {
    return this.#isOff ? (this.#holders("SetClock")[0] ?? root) : root;
  }

  /** Now and then, and mostly while root is off, somebody else gives the command of root. */
  instead([actor, command]: readonly [Actor, Command]): readonly [Actor, Command] {
    if (actor.type !== "root") return [actor, command];
    const isRelease = command.type === "AcceptRelease";
    if (!this.#dice.chance(this.#isOff ? 90 : isRelease ? 30 : 8)) return [actor, command];
    const others = this.#holders(command.type).filter(({ type }) => type === "key");
    const staked = isRelease ? others.filter((one) => this.#ownsMore(one)) : [];
    const asked = staked.length > 0 ? staked : others;
    return [asked.length > 0 ? this.#dice.pick(asked) : actor, command];
  }

  next(trader: Trader): readonly [Actor, Command] {
    const dice = this.#dice;
    const waiting = [...this.#world.state.words.values()];
    if (waiting.length > 0 && dice.chance(50)) return this.answer(dice.pick(waiting));
    const command = this.#command(trader);
    return [this.#anybody(command.type), command];
  }

  #command({ id }: Trader): Command {
    const dice = this.#dice;
    switch (dice.pick(kinds)) {
      case "fund":
        return this.#funding(id);
      case "limit":
        return this.#limit();
      case "open":
        return this.#opening();
      case "issue":
        return {
          type: "IssueKey",
          accountId: dice.chance(75) ? this.#operator() : id,
          ...this.#key(),
        };
      case "root":
        return { type: "SetRoot", on: this.#isOff === dice.chance(90) };
      case "owner":
        return this.#owning(id);
      case "halt":
        return this.#halt();
      case "bust":
        return this.#bust();
      case "withdraw":
        return this.#withdrawal();
      case "caps":
        return this.#caps(id);
      case "revoke":
        return { type: "RevokeKeys", accountId: this.#operator() };
      case "narrow":
        return dice.chance(80)
          ? { type: "CreateKey", ...this.#key() }
          : { type: "RevokeKey", keyId: this.#anyKey() };
    }
  }

  /** Mostly agreed to, by whoever holds the permission, be it another person or not. */
  answer({ id: proposalId, command }: Word): readonly [Actor, Command] {
    const by = this.#anybody(command.type);
    if (this.#dice.chance(8)) return [by, { type: "WithdrawProposal", proposalId }];
    const { prefix, digest } = this.#key().key;
    return [by, { type: "ConfirmProposal", proposalId, key: { prefix, digest } }];
  }

  /** So low that some fills reach it, or back. */
  #caps(accountId: AccountId): Command {
    const dice = this.#dice;
    const maxDailyMicros = dice.pick([null, null, usd(3), usd(20), usd(100)]);
    const open = dice.chance(40) ? {} : { maxOpenOrders: dice.pick([null, 3, 12]) };
    return { type: "SetCaps", accountId, maxDailyMicros, ...open };
  }

  /** More than one person moves in a day: where that is a great deal, the limit comes first. */
  #funding(accountId: AccountId): Command {
    const dice = this.#dice;
    const limit = this.#world.state.rules.fundingLimitMicros;
    if (limit > usd(300)) return this.#limit();
    const above = micros(limit + BigInt(1 + dice.below(40_000_000)));
    const amountMicros = dice.chance(30) ? micros(-above) : above;
    switch (dice.pick(targets)) {
      case "account":
        return { type: "FundAccount", accountId, amountMicros, memo: null };
      case "pool":
        return { type: "FundFinancing", amountMicros, memo: null };
      default:
        return { type: "FundGuarantee", amountMicros: above, memo: null };
    }
  }

  /** Mostly of the newest fill that may be busted. */
  #bust(): Command {
    const strays = [...this.#world.state.strays.keys()];
    const newest = strays.at(-1);
    if (newest === undefined) return this.#limit();
    const soldOn = this.#dice.chance(60) ? strays.find((id) => this.#isSoldOn(id)) : undefined;
    const id = soldOn ?? (this.#dice.chance(70) ? newest : this.#dice.pick(strays));
    return { type: "BustFill", fillId: id, reason: "off the reference" };
  }

  /** Undone, it would leave one of its parties beyond where that stood before it. */
  #isSoldOn(id: FillId): boolean {
    const { state } = this.#world;
    const stray = state.strays.get(id);
    if (stray === undefined) return false;
    const { fill, buyer, seller } = stray;
    const held = (of: AccountId) => positionOf(state, of, fill.marketId).heldLots;
    const [bought, sold] = [
      held(fill.buyer) - fill.amountLots,
      held(fill.seller) + fill.amountLots,
    ];
    return (bought < 0n && bought < buyer.heldLots) || (sold > 0n && sold > seller.heldLots);
  }

  #withdrawal(): Command {
    const [first] = this.#world.state.announcedRules.keys();
    return first === undefined ? this.#limit() : { type: "WithdrawRules", announcementId: first };
  }

  #limit(): Command {
    return { type: "SetFundingLimit", limitMicros: this.#dice.pick(limits) };
  }

  #opening(): Command {
    if (this.#world.state.operators.size >= MOST_OPERATORS) {
      return { type: "IssueKey", accountId: this.#operator(), ...this.#key() };
    }
    const name = `operator ${this.#dice.below(1e9)}`;
    return { type: "OpenAccount", name, role: "operator", address: `0x${name}`, ...this.#key() };
  }

  /** A trader passes to an operator's owner, or back; now and then operators become one. */
  #owning(trader: AccountId): Command {
    const dice = this.#dice;
    if (dice.chance(75)) {
      const owner = dice.chance(70) ? this.#operator() : trader;
      return { type: "SetOwner", accountId: trader, owner };
    }
    const accountId = this.#operator();
    return { type: "SetOwner", accountId, owner: dice.chance(70) ? accountId : this.#operator() };
  }

  #halt(): Command {
    const { accounts, operators } = this.#world.state;
    const halted = [...operators].find((id) => accounts.get(id)?.halted);
    const isResumed = halted !== undefined && this.#dice.chance(80);
    if (isResumed) return { type: "ResumeAccount", accountId: halted, reason: "drill" };
    return { type: "HaltAccount", accountId: this.#operator(), reason: "drill" };
  }

  /** All of an operator's permissions, or some. */
  #key(): { readonly key: NewKey } {
    const dice = this.#dice;
    const isAll = dice.chance(40);
    const permissions = adminPermissions.filter(() => isAll || dice.chance(60));
    const named = { label: "drawn", prefix: "fp_test_cccc", digest: `digest ${dice.below(1e9)}` };
    return { key: { ...named, permissions, ratePerMinute: null, expiresAtSeconds: null } };
  }

  #operator(): AccountId {
    return this.#dice.pick([...this.#world.state.operators]);
  }

  #anyKey() {
    const ids = [...this.#world.state.operators].flatMap((id) => this.#liveKeys(id));
    return ids.length === 0 ? keyId("key-0") : this.#dice.pick(ids).id;
  }

  /** Mostly one who may; now and then whoever it is. */
  #anybody(type: Command["type"]): Actor {
    const dice = this.#dice;
    if (type === "RevokeKey" || type === "CreateKey") return dice.pick(this.actors);
    const holders = this.#holders(type);
    return dice.pick(holders.length > 0 && dice.chance(90) ? holders : this.actors);
  }

  /** Every key that may give it, and root unless it is off. */
  #holders(type: Command["type"]): readonly Actor[] {
    const { state } = this.#world;
    const permission = permissionOf[type];
    if (permission === undefined) return [];
    const keys = [...state.operators].flatMap((id) =>
      state.account(id).halted ? [] : this.#liveKeys(id),
    );
    const holding = keys.filter(({ permissions }) => permissions.includes(permission));
    return [...(this.#isOff ? [] : [root]), ...holding.map(actorWith)];
  }

  #ownsMore(actor: Actor): boolean {
    const { state } = this.#world;
    if (actor.type !== "key") return false;
    const owner = state.account(actor.accountId).owner ?? actor.accountId;
    return (state.accountsByOwner.get(owner)?.size ?? 0) > 1;
  }

  #liveKeys(id: AccountId): readonly Key[] {
    return this.#world.state.keysOf(id).filter((key) => isKeyLive(key, this.#nowSeconds));
  }

  get #isOff(): boolean {
    const { state } = this.#world;
    return isRootOff(state, state.exchange?.rootOff === true, this.#nowSeconds);
  }

  get #nowSeconds(): number {
    return Math.floor(this.#world.state.lastTimeMillis / 1000);
  }
}

const actorWith = ({ accountId, id }: Key): Actor => ({ type: "key", accountId, keyId: id });
