// The auditor's own rules of operators: the authority each has, and which accounts are one person.
// Invariant: nothing of the core is called; what takes two people takes effect by two of them, and
// nothing by root while it is off.
import assert from "node:assert/strict";
import type { Actor, Command, CommandOf, CommandType, Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import type { AdminPermission, Key, Role } from "#core/records.ts";
import type { State } from "#core/state.ts";
import type { Rulebook } from "./rulebook.ts";

const DAY_MILLIS = 86_400_000;
export const TEN_DAYS_MILLIS = 10 * DAY_MILLIS;

export const actorOf = (actor: Actor): string =>
  actor.type === "key" ? actor.accountId : actor.type;

/** The permission an operator's key must hold; commands that are not here are no operator's. */
export const permissionOf: Readonly<Partial<Record<CommandType, AdminPermission>>> = {
  ...{ OpenAccount: "admin:accounts", SetOwner: "admin:accounts", DecideKyc: "admin:accounts" },
  SetCaps: "admin:accounts",
  ...{ IssueKey: "admin:accounts", RevokeKeys: "admin:accounts" },
  ...{ HaltAccount: "admin:accounts", ResumeAccount: "admin:accounts" },
  ...{ FundAccount: "admin:funding", FundGuarantee: "admin:funding" },
  ...{ FundFinancing: "admin:funding", SetCredit: "admin:funding" },
  ...{ ListMarket: "admin:markets", PauseMarket: "admin:markets", ResumeMarket: "admin:markets" },
  OpenWindow: "admin:markets",
  ...{ CancelMarket: "admin:settle", WithdrawVoid: "admin:settle", DecideDispute: "admin:settle" },
  ...{ LoadGeo: "admin:releases", AcceptRelease: "admin:releases" },
  ...{ QuarantineRelease: "admin:releases", ApproveRelease: "admin:releases" },
  ...{ RejectRelease: "admin:releases", ApprovePlace: "admin:releases" },
  ...{ ReleasePlace: "admin:releases", RejectPlace: "admin:releases" },
  RenamePlace: "admin:releases",
  ...{ BustFill: "admin:settle", SettleByFallback: "admin:settle" },
  WithdrawRules: "admin:exchange",
  ...{ SetRules: "admin:exchange", SetFundingLimit: "admin:exchange", SetRoot: "admin:exchange" },
  ...{ HaltExchange: "admin:exchange", ResumeExchange: "admin:exchange" },
  SetClock: "admin:exchange",
};

/** Commands that nobody gives about an account of its own. */
const ownMatters: ReadonlySet<CommandType> = new Set([
  ...([
    "DecideKyc",
    "FundAccount",
    "HaltAccount",
    "ResumeAccount",
    "IssueKey",
    "SetOwner",
    "SetCaps",
  ] as const),
]);

const ordering: ReadonlySet<CommandType> = new Set([
  ...(["PlaceOrder", "PlaceBatch", "MassQuote", "AmendOrder", "AcceptQuote"] as const),
]);

/** The founder does none of these alone. */
const alwaysOfTwo: ReadonlySet<CommandType> = new Set([
  ...(["BustFill", "WithdrawRules", "SettleByFallback"] as const),
]);

/** The events of a first word: itself, and balances as they stay. */
const toldToOne: ReadonlySet<Event["type"]> = new Set([
  ...(["ProposalChanged", "GuaranteeFunded", "Funded"] as const),
]);

interface Known {
  readonly role: Role;
  readonly owner: string;
  /** The people who opened it, agreed to it, or were shown a key of it; root counts for nobody. */
  readonly vouching: readonly string[];
  readonly halted: boolean;
}

interface Word {
  readonly command: Command;
  readonly by: string;
  readonly atMillis: number;
}

type KnownKey = Pick<Key, "accountId" | "permissions" | "expiresAtSeconds"> & {
  readonly isRevoked: boolean;
};

export class People {
  readonly #rulebook: Rulebook;
  readonly #accounts = new Map<string, Known>();
  readonly #keys = new Map<string, KnownKey>();
  readonly #words = new Map<string, Word>();
  /** The amount each moved alone on its last day of moving any. */
  readonly #moved = new Map<string, { readonly day: number; readonly amount: bigint }>();
  #limit = 0n;
  #isRootOff = false;
  #nowMillis = 0;

  constructor(rulebook: Rulebook) {
    this.#rulebook = rulebook;
  }

  isOperator(name: string): boolean {
    return name === "root" || this.#accounts.get(name)?.role === "operator";
  }

  /** Nobody stands behind both. */
  areTwo(one: string, other: string): boolean {
    const line = this.#lineOf(one);
    return [...this.#lineOf(other)].every((name) => !line.has(name));
  }

  /** An accepted entry; what took effect by it is returned, nothing where it was a first word. */
  follow(envelope: Envelope, events: readonly Event[]): Command | undefined {
    const { actor, command, timeMillis } = envelope;
    this.#nowMillis = timeMillis;
    for (const [id, { atMillis }] of this.#words) {
      assert.ok(timeMillis <= atMillis + TEN_DAYS_MILLIS, `${id} has lapsed`);
    }
    const by = actorOf(actor);
    const done = this.#decide(envelope, by, events);
    const isOpened = events.some((one) => one.type === "ProposalChanged" && one.status === "open");
    assert.equal(isOpened, done === undefined, `${command.type} by ${by} waits for a second word`);
    return done;
  }

  /** A refused entry. */
  refused({ actor, timeMillis }: Envelope, code: string): void {
    this.#nowMillis = timeMillis;
    if (code !== "ROOT_OFF") return;
    assert.ok(
      actor.type === "root" && this.#isRootAway(),
      "root is off, and somebody else is there",
    );
  }

  /** Everything that was derived here is what the records say. */
  compareAll(state: State): void {
    assert.equal(state.accounts.size, this.#accounts.size, "as many accounts");
    for (const { id, role, owner, openedBy, vouchedBy = [], halted } of state.accounts.values()) {
      const known = this.#accounts.get(id);
      const vouching = [...(openedBy === undefined ? [] : [openedBy]), ...vouchedBy];
      // A liquidation halts a trader too.
      const isHalted = role === "operator" ? halted : known?.halted;
      const shown = { role, owner: owner ?? id, vouching, halted: isHalted };
      assert.deepEqual(shown, known, `${id} is as the auditor has it`);
    }
    const waiting = [...state.proposals.values()].map(({ id, by }) => [id, by]);
    const mine = [...this.#words].map(([id, { by }]) => [id, by]);
    assert.deepEqual(waiting.sort(), mine.sort(), "what waits for a second word");
    assert.equal(state.exchange?.rootOff === true, this.#isRootOff, "root is on or off");
    assert.equal(state.rules.fundingLimitMicros, this.#limit, "what one funds alone");
  }

  #decide(envelope: Envelope, by: string, events: readonly Event[]): Command | undefined {
    const { actor, command } = envelope;
    if (command.type === "LapseProposal") return this.#lapse(command, events);
    const isOfWord = command.type === "ConfirmProposal" || command.type === "WithdrawProposal";
    if (!isOfWord) {
      this.#assertMay(actor, command, command);
      if (actor.type !== "system" && this.#takesTwo(by, command)) {
        this.#keepWord(envelope, by, events);
        return undefined;
      }
      this.#carryOut(command, [by, by], events);
      return command;
    }
    const { proposalId } = command;
    const word = this.#words.get(proposalId) ?? assert.fail(`${proposalId} waits`);
    const isAgreed = command.type === "ConfirmProposal";
    this.#assertMay(actor, word.command, isAgreed ? word.command : command);
    this.#assertEnded(events, isAgreed ? "confirmed" : "withdrawn", [proposalId]);
    this.#words.delete(proposalId);
    if (!isAgreed) return command;
    assert.ok(this.areTwo(word.by, by), `${word.by} and ${by} are two people`);
    this.#carryOut(word.command, [word.by, by], events);
    return word.command;
  }

  /** Nothing but the word is there afterwards. */
  #keepWord({ command, timeMillis }: Envelope, by: string, events: readonly Event[]): void {
    for (const event of events) {
      assert.ok(toldToOne.has(event.type), `${command.type} of ${by} alone brings ${event.type}`);
      if (event.type !== "ProposalChanged") continue;
      assert.equal(event.proposal.by, by, "the first word is its own");
      this.#words.set(event.proposal.id, { command, by, atMillis: timeMillis });
    }
  }

  #lapse({ proposalId }: CommandOf<"LapseProposal">, events: readonly Event[]): Command {
    const { atMillis } = this.#words.get(proposalId) ?? assert.fail(`${proposalId} waits`);
    assert.equal(this.#nowMillis, atMillis + TEN_DAYS_MILLIS, `${proposalId} lapses in ten days`);
    this.#assertEnded(events, "lapsed", [proposalId]);
    this.#words.delete(proposalId);
    return { type: "LapseProposal", proposalId };
  }

  #assertEnded(
    events: readonly Event[],
    how: EventOf<"ProposalChanged">["status"],
    ids: readonly string[],
  ): void {
    const ended = events.flatMap((event) =>
      event.type === "ProposalChanged" && event.status === how ? [event.proposal.id] : [],
    );
    assert.deepEqual(ended.sort(), [...ids].sort(), `${ids.join()} ${how}`);
  }

  /** `needed` is what the permission is for, `command` what is done. */
  #assertMay(actor: Actor, needed: Command, command: Command): void {
    if (actor.type === "system") return;
    const { type } = needed;
    const permission = permissionOf[type];
    if (actor.type === "root") {
      const isForAnybody = type === "RecordRefusal";
      assert.ok(isForAnybody || !this.#isRootAway(), `${type} by root, which is off`);
      return;
    }
    const { accountId, keyId } = actor;
    const key = this.#keys.get(keyId) ?? assert.fail(`${keyId} is known`);
    const account = this.#accounts.get(accountId) ?? assert.fail(`${accountId} is known`);
    assert.ok(key.accountId === accountId && this.#isLive(key), `${keyId} lives`);
    if (ordering.has(type)) assert.equal(account.role, "trader", `${accountId} trades`);
    if (permission === undefined) return;
    assert.equal(account.role, "operator", `${type} by ${accountId}`);
    assert.ok(!account.halted, `${type} by ${accountId}, which is halted`);
    assert.ok(
      key.permissions.includes(permission),
      `${type} by ${keyId}, which lacks ${permission}`,
    );
    if (!ownMatters.has(command.type) || !("accountId" in command)) return;
    const about = command.accountId;
    assert.ok(this.areTwo(about, accountId), `${type} of ${accountId} about itself, ${about}`);
  }

  /** The founder alone neither makes anything dearer, nor undoes a fill. */
  #takesTwo(by: string, command: Command): boolean {
    if (command.type === "SetRules") return this.#rulebook.isDearer(command.rules);
    if (alwaysOfTwo.has(command.type)) return true;
    if (by === "root" && this.#isFounding()) return false;
    switch (command.type) {
      case "OpenAccount":
        return command.role === "operator";
      case "IssueKey":
      case "SetOwner":
        return this.isOperator(command.accountId);
      case "FundAccount":
      case "FundGuarantee":
      case "FundFinancing":
        return this.#movedToday(by) + size(command.amountMicros) > this.#limit;
      case "SetFundingLimit":
        return command.limitMicros > this.#limit;
      case "SetCaps":
        return this.#rulebook.isRaised(command);
      case "SetRoot":
        return true;
      default:
        return false;
    }
  }

  /** By one person twice, or by two. */
  #carryOut(command: Command, by: readonly [string, string], events: readonly Event[]): void {
    switch (command.type) {
      case "Genesis":
        this.#limit = command.rules.fundingLimitMicros ?? assert.fail("a limit from the start");
        return;
      case "OpenAccount":
        this.#open(command, by, events);
        return;
      case "SetOwner": {
        const { accountId, owner } = command;
        this.#change(accountId, { owner: owner === accountId ? owner : this.ownerOf(owner) });
        return;
      }
      case "CreateKey":
      case "IssueKey":
        this.#give(command, by, events);
        return;
      case "RevokeKey":
        this.#revoke((id) => id === command.keyId);
        return;
      case "RevokeKeys":
        this.#revoke((_, { accountId }) => accountId === command.accountId);
        this.#drop(command.accountId, events);
        return;
      case "HaltAccount":
        this.#change(command.accountId, { halted: true });
        this.#drop(command.accountId, events);
        return;
      case "ResumeAccount":
        this.#change(command.accountId, { halted: false });
        return;
      case "FundAccount":
      case "FundGuarantee":
      case "FundFinancing":
        if (by[0] === by[1]) this.#count(by[0], command.amountMicros);
        return;
      case "SetFundingLimit":
        this.#limit = command.limitMicros;
        return;
      case "SetRoot":
        assert.ok(command.on || this.#canDoWithoutRoot(), "two people can do without root");
        this.#isRootOff = !command.on;
        if (!command.on) this.#drop("root", events);
        return;
      default:
        return;
    }
  }

  #open(
    { role, owner }: CommandOf<"OpenAccount">,
    [first, second]: readonly [string, string],
    events: readonly Event[],
  ): void {
    const opened = events.find((event) => event.type === "AccountChanged");
    assert.ok(opened?.type === "AccountChanged", "an account is opened");
    const { id } = opened.account;
    const vouching = first === second ? [first] : [first, second];
    this.#accounts.set(id, {
      role,
      owner: owner === undefined ? id : this.ownerOf(owner),
      vouching: vouching.filter((name) => name !== "root"),
      halted: false,
    });
    this.#keepKeys(events, second);
  }

  #give(
    command: CommandOf<"CreateKey" | "IssueKey">,
    [, second]: readonly [string, string],
    events: readonly Event[],
  ): void {
    this.#keepKeys(events, second);
    if (command.type === "CreateKey") return;
    const { role, vouching } = this.#accounts.get(command.accountId) ?? assert.fail();
    const isKnown = role !== "operator" || second === "root" || vouching.includes(second);
    if (!isKnown) this.#change(command.accountId, { vouching: [...vouching, second] });
  }

  /** Authority is given by those who have it, and to operators alone. */
  #keepKeys(events: readonly Event[], giver: string): void {
    for (const event of events) {
      if (event.type !== "KeyChanged") continue;
      const { id, accountId, permissions, expiresAtSeconds } = event.key;
      const given = permissions.filter((one) => one.startsWith("admin:"));
      assert.ok(given.length === 0 || this.isOperator(accountId), `${id} is an operator's`);
      const held = [...this.#keys.values()].filter((key) => key.accountId === giver);
      const isHeld = given.every((one) => held.some((key) => key.permissions.includes(one)));
      assert.ok(giver === "root" || isHeld, `${giver} gives ${id} no more than it has`);
      this.#keys.set(id, { accountId, permissions, expiresAtSeconds, isRevoked: false });
    }
  }

  #revoke(isMeant: (id: string, key: KnownKey) => boolean): void {
    for (const [id, key] of this.#keys) {
      if (isMeant(id, key)) this.#keys.set(id, { ...key, isRevoked: true });
    }
  }

  /** Words of somebody who may give none any more. */
  #drop(by: string, events: readonly Event[]): void {
    const dropped = [...this.#words].flatMap(([id, word]) => (word.by === by ? [id] : []));
    this.#assertEnded(events, "withdrawn", dropped);
    for (const id of dropped) this.#words.delete(id);
  }

  #count(by: string, amount: bigint): void {
    if (by === "system" || (by === "root" && this.#isFounding())) return;
    const day = Math.floor(this.#nowMillis / DAY_MILLIS);
    const before = this.#moved.get(by);
    const own = before?.day === day ? before.amount : 0n;
    this.#moved.set(by, { day, amount: own + size(amount) });
  }

  /** By this person, under whatever name. */
  #movedToday(by: string): bigint {
    const day = Math.floor(this.#nowMillis / DAY_MILLIS);
    let moved = 0n;
    for (const [name, one] of this.#moved) {
      if (one.day === day && !this.areTwo(name, by)) moved += one.amount;
    }
    return moved;
  }

  #change(id: string, changes: Partial<Known>): void {
    const before = this.#accounts.get(id) ?? assert.fail(`${id} is known`);
    this.#accounts.set(id, { ...before, ...changes });
  }

  ownerOf = (id: string): string => this.#accounts.get(id)?.owner ?? id;

  /** The owners of all who stand behind a name: behind an operator, those who vouch for it too. */
  #lineOf(name: string): ReadonlySet<string> {
    const [line, asked] = [new Set<string>(), [name]];
    const met = new Set<string>();
    for (let one = asked.pop(); one !== undefined; one = asked.pop()) {
      line.add(this.ownerOf(one));
      const known = this.#accounts.get(one);
      if (known?.role !== "operator" || met.has(one)) continue;
      met.add(one);
      asked.push(...known.vouching);
    }
    return line;
  }

  #isLive = ({ isRevoked, expiresAtSeconds }: KnownKey): boolean =>
    !isRevoked && (expiresAtSeconds ?? Number.POSITIVE_INFINITY) * 1000 > this.#nowMillis;

  /** Fewer than two operators were ever given authority. */
  #isFounding(): boolean {
    const empowered = new Set<string>();
    for (const { accountId, permissions } of this.#keys.values()) {
      if (permissions.some((one) => one.startsWith("admin:"))) empowered.add(accountId);
    }
    return empowered.size < 2;
  }

  #canDoWithoutRoot(): boolean {
    const acting = [...this.#accounts.keys()].filter((id) => this.#canAct(id));
    return acting.some((one) => acting.some((other) => this.areTwo(one, other)));
  }

  #canAct(id: string): boolean {
    const known = this.#accounts.get(id);
    if (known?.role !== "operator" || known.halted) return false;
    return [...this.#keys.values()].some(
      (key) =>
        key.accountId === id && this.#isLive(key) && key.permissions.includes("admin:exchange"),
    );
  }

  #isRootAway(): boolean {
    return this.#isRootOff && this.#canDoWithoutRoot();
  }
}

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
