// The auditor's own rules of operators: the authority each has, and which accounts are one person.
// Invariant: nothing of the core is called; what takes two people takes effect by two of them, and
// nothing by root while it is off.
import assert from "node:assert/strict";
import type { Actor, Command, CommandOf, CommandType, Envelope } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { type AdminPermission, adminPermissions, type Key, type Role } from "#core/records.ts";
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
    "SetCredit",
    "RevokeKeys",
    "EraseSubject",
    "ReadSubject",
  ] as const),
]);

const settingUp: ReadonlySet<CommandType> = new Set([
  ...(["DecideKyc", "FundAccount", "HaltAccount"] as const),
]);

const ordering: ReadonlySet<CommandType> = new Set([
  ...(["PlaceOrder", "PlaceBatch", "MassQuote", "AmendOrder", "AcceptQuote"] as const),
]);

/** The founder does none of these alone. */
const alwaysOfTwo: ReadonlySet<CommandType> = new Set([
  ...(["BustFill", "WithdrawRules", "SettleByFallback", "CancelMarket", "DecideDispute"] as const),
  ...(["ApproveRelease", "ApprovePlace"] as const),
]);

/** The events of a first word: itself, balances as they stay, and the first use of its key. */
const toldToOne: ReadonlySet<Event["type"]> = new Set([
  ...(["WordChanged", "GuaranteeFunded", "Funded", "KeyUsed"] as const),
]);

/** They show that what words were about is decided, or no longer what was seen. */
const endsWords: ReadonlySet<Event["type"]> = new Set([
  ...(["MarketChanged", "MarketsForgotten", "QuarantineChanged"] as const),
  ...(["ReleaseAccepted", "HeldPlaceChanged"] as const),
]);

const takingBack: ReadonlySet<CommandType> = new Set(["WithdrawVoid", "WithdrawProposal"]);

const isConfirmed = (event: Event): boolean =>
  event.type === "WordChanged" && event.status === "confirmed";

/** The word that a command with files seconds. */
function approvalOf(command: Command): CommandOf<"ApproveRelease" | "ApprovePlace"> | undefined {
  if (command.type === "AcceptRelease" && command.fromQuarantine === true) {
    return { type: "ApproveRelease", releaseId: command.release.id };
  }
  if (command.type !== "ReleasePlace") return undefined;
  return { type: "ApprovePlace", releaseId: command.releaseId, nodeId: command.nodeId };
}

/** Neither reasons nor secrets are decided, nor what the exchange draws for a request. */
const undecided: ReadonlySet<string> = new Set([
  ...(["reason", "memo", "address", "digest", "prefix", "revisedIn"] as const),
]);

/** All that a command decides, in one text; of a key how many days it lives. */
function choiceOf(value: unknown, atMillis: number): string {
  if (Array.isArray(value)) return value.map((one) => choiceOf(one, atMillis)).join();
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value).filter(([name]) => !undecided.has(name));
  const texts = members.map(([name, member]) => {
    const isDays = name === "expiresAtSeconds" && typeof member === "number";
    const said = isDays ? Math.round((member * 1000 - atMillis) / DAY_MILLIS) : member;
    return `${name}: ${choiceOf(said, atMillis)}`;
  });
  return `{${texts.sort().join()}}`;
}

const areRules = (one: Command, other: Command): boolean =>
  one.type === "SetRules" && other.type === "SetRules";

interface Known {
  readonly role: Role;
  readonly owner: string;
  /** The people who opened it, agreed to it, or were shown a key of it; root counts for nobody. */
  readonly vouching: readonly string[];
  readonly halted: boolean;
  readonly haltedMillis: number | null;
}

interface Word {
  readonly command: Command;
  readonly by: string;
  readonly atMillis: number;
  /** Root alone, where too few are left. */
  readonly isFounding: boolean;
}

type KnownKey = Pick<Key, "accountId" | "permissions" | "expiresAtSeconds"> & {
  readonly isRevoked: boolean;
  /** The operator who was shown it; null = nobody, or root in a sandbox. */
  readonly shownTo: string | null;
  readonly isUsed: boolean;
};

export class People {
  readonly #rulebook: Rulebook;
  readonly #holds: (name: string) => boolean;
  readonly #accounts = new Map<string, Known>();
  readonly #keys = new Map<string, KnownKey>();
  readonly #words = new Map<string, Word>();
  /** The amount each moved alone on its last day of moving any. */
  readonly #moved = new Map<string, { readonly day: number; readonly amount: bigint }>();
  /** Of revoked keys that an operator was shown. */
  readonly #left = new Map<string, Set<string>>();
  #isSandbox = false;
  /** The present entry carries out what root said alone. */
  #isCarriedOut = false;
  #limit = 0n;
  #isRootOff = false;
  #nowMillis = 0;

  /** `holds`: whether an account of this person has a position at all. */
  constructor(rulebook: Rulebook, holds: (name: string) => boolean = () => false) {
    this.#rulebook = rulebook;
    this.#holds = holds;
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
    this.#isCarriedOut = command.type === "CarryOutWord";
    for (const [id, { atMillis }] of this.#words) {
      assert.ok(timeMillis <= atMillis + TEN_DAYS_MILLIS, `${id} has lapsed`);
    }
    const by = actorOf(actor);
    const done = this.#decide(envelope, by, events);
    const isOpened = events.some((one) => one.type === "WordChanged" && one.status === "open");
    const isKept = done === undefined || command.type === "RenamePlace";
    assert.equal(isOpened, isKept, `${command.type} by ${by} waits for a second word`);
    this.#followLeft(envelope, events);
    this.#followWords(envelope, by, events);
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
      const haltedMillis = known?.haltedMillis ?? null;
      const shown = { role, owner: owner ?? id, vouching, halted: isHalted, haltedMillis };
      assert.deepEqual(shown, known, `${id} is as the auditor has it`);
    }
    const waiting = [...state.words.values()].map(({ id, by }) => [id, by]);
    const mine = [...this.#words].map(([id, { by }]) => [id, by]);
    assert.deepEqual(waiting.sort(), mine.sort(), "what waits for a second word");
    assert.equal(state.exchange?.rootOff === true, this.#isRootOff, "root is on or off");
    assert.equal(state.rules.fundingLimitMicros, this.#limit, "what one funds alone");
  }

  #decide(envelope: Envelope, by: string, events: readonly Event[]): Command | undefined {
    const { actor, command } = envelope;
    if (command.type === "LapseProposal") {
      assert.ok(this.#isOver(this.#wordOf(command.proposalId)), `${command.proposalId} is over`);
      return command;
    }
    if (command.type === "CarryOutWord") {
      const said = this.#wordOf(command.proposalId);
      assert.ok(said.by === "root" && said.command.type === "OpenAccount", "root founds anew");
      assert.equal(this.#nowMillis, said.atMillis + DAY_MILLIS, "a day after it said so");
      assert.ok(this.#isLacking(), "and nobody has come back");
      this.#carryOut(said.command, ["root", "root"], events);
      return said.command;
    }
    const isOfWord = command.type === "ConfirmProposal" || command.type === "WithdrawProposal";
    const word = isOfWord ? this.#wordOf(command.proposalId) : undefined;
    const meant = word?.command ?? command;
    if (word !== undefined && command.type === "WithdrawProposal") {
      if (!word.isFounding) this.#assertMay(actor, meant, command);
      const isOwn = this.ownerOf(word.by) === this.ownerOf(by);
      assert.ok(isOwn || word.isFounding, `${by} takes back its own word`);
      return command;
    }
    this.#assertMay(actor, meant, meant);
    if (word !== undefined) assert.ok(this.areTwo(word.by, by), `${word.by} and ${by} are two`);
    const approval = approvalOf(command);
    const takesTwo = approval !== undefined || this.#takesTwo(by, meant);
    if (actor.type === "system" || !takesTwo) {
      this.#carryOut(meant, [word?.by ?? by, by], events);
      return meant;
    }
    const isSecond = events.some((one) => one.type === "WordChanged" && one.status === "confirmed");
    const firsts = this.#firstsFor(by, approval ?? meant, word);
    if (isSecond) {
      const [first] = firsts;
      assert.ok(first !== undefined, `${command.type} of ${by} has a first word`);
      this.#carryOut(meant, [first.by, by], events);
      return meant;
    }
    // Rules are kept as what is new in them: whether two are the same, the rulebook tells.
    for (const first of meant.type === "SetRules" ? [] : firsts) {
      const isStaked = this.#holds(first.by);
      assert.ok(isStaked, `${first.by} has said ${meant.type}: ${by} is the second`);
    }
    for (const event of events) {
      assert.ok(toldToOne.has(event.type), `${command.type} of ${by} alone brings ${event.type}`);
    }
    return undefined;
  }

  #wordOf(id: string): Word {
    return this.#words.get(id) ?? assert.fail(`${id} waits`);
  }

  /** Words of others who could still give them, that say the same as this one. */
  #firstsFor(by: string, command: Command, confirmed: Word | undefined): readonly Word[] {
    const wanted = choiceOf(confirmed?.command ?? command, confirmed?.atMillis ?? this.#nowMillis);
    return [...this.#words.values()].filter(
      (word) =>
        (choiceOf(word.command, word.atMillis) === wanted || areRules(word.command, command)) &&
        this.areTwo(word.by, by) &&
        this.#isAble(word) &&
        !this.#isAboutItself(word),
    );
  }

  /** The giver is an operator that is not halted, with a live key that may; or root, which is on. */
  #isAble({ by, command }: Word): boolean {
    if (by === "root") {
      return !this.#isRootAway() || (command.type === "OpenAccount" && this.#isLacking());
    }
    const known = this.#accounts.get(by);
    const permission = permissionOf[command.type];
    if (known?.role !== "operator" || known.halted || permission === undefined) return false;
    return [...this.#keys.values()].some(
      (key) => key.accountId === by && this.#isLive(key) && key.permissions.includes(permission),
    );
  }

  #isAboutItself({ by, command }: Word): boolean {
    return "accountId" in command && !this.areTwo(command.accountId, by);
  }

  #isOver(word: Word): boolean {
    return this.#nowMillis >= word.atMillis + TEN_DAYS_MILLIS || !this.#isAble(word);
  }

  /** Each word that the entry ended had a reason, and each giver that is left could still speak. */
  #followWords({ command, timeMillis }: Envelope, by: string, events: readonly Event[]): void {
    for (const event of events) {
      if (event.type !== "WordChanged") continue;
      const { word, status } = event;
      if (status === "open") {
        assert.equal(word.by, by, "a word is its giver's own");
        const isFounding = word.effectiveAtMillis !== undefined;
        assert.ok(!isFounding || this.#isLacking(), `${by} founds only where people are lacking`);
        this.#words.set(word.id, { command: word.command, by, atMillis: timeMillis, isFounding });
        continue;
      }
      const known = this.#wordOf(word.id);
      assert.equal(word.by, known.by, `${word.id} is whose it was`);
      const isOwn = this.ownerOf(known.by) === this.ownerOf(by);
      if (status === "replaced") assert.ok(isOwn, `${by} says something else about its subject`);
      if (status === "withdrawn") assert.ok(takingBack.has(command.type), `${by} takes it back`);
      if (status === "lapsed") {
        const isDecided = events.some((one) => endsWords.has(one.type) || isConfirmed(one));
        assert.ok(isDecided || this.#isOver(known), `${word.id} ends for a reason`);
      }
      this.#words.delete(word.id);
    }
    for (const [id, word] of this.#words) {
      assert.ok(this.#isAble(word), `${id} is of somebody who may still give it, ${word.by}`);
    }
  }

  /** `needed` is what the permission is for, `command` what is done. */
  #assertMay(actor: Actor, needed: Command, command: Command): void {
    if (actor.type === "system") return;
    const { type } = needed;
    const permission = permissionOf[type];
    if (actor.type === "root") {
      const isFounding = type === "OpenAccount" && this.#isLacking();
      const isForAnybody = type === "RecordRefusal" || isFounding;
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
    if (this.#isSetUp(command, about)) return;
    assert.ok(this.areTwo(about, accountId), `${type} of ${accountId} about itself, ${about}`);
  }

  /** The founder alone neither makes anything dearer, nor undoes a fill. */
  #takesTwo(by: string, command: Command): boolean {
    if (command.type === "SetRules") return this.#rulebook.isDearer(command.rules);
    if (alwaysOfTwo.has(command.type)) return true;
    if (by === "root" && this.#isFounding()) return false;
    switch (command.type) {
      case "OpenAccount":
        return command.role === "operator" || command.owner !== undefined;
      case "IssueKey":
      case "SetOwner":
        return true;
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
        this.#isSandbox = command.clock === "sandbox";
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
        return;
      case "HaltAccount":
        this.#halt(command.accountId);
        return;
      case "ResumeAccount":
        this.#change(command.accountId, { halted: false, haltedMillis: null });
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
      haltedMillis: null,
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
      const isOwn = giver === accountId || (giver === "root" && this.#setsUp());
      const shownTo = isOwn ? null : giver;
      assert.equal(event.key.shownTo ?? null, shownTo, `${id} is shown to whoever gave it`);
      const plain = { accountId, permissions, expiresAtSeconds, shownTo };
      this.#keys.set(id, { ...plain, isRevoked: false, isUsed: false });
    }
  }

  /** Root founds, or founds anew, or plays in a sandbox. */
  #setsUp(): boolean {
    return this.#isSandbox || this.#isCarriedOut || this.#isFounding();
  }

  #revoke(isMeant: (id: string, key: KnownKey) => boolean): void {
    for (const [id, key] of this.#keys) {
      if (isMeant(id, key)) this.#keys.set(id, { ...key, isRevoked: true });
    }
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

  #halt(id: string): void {
    const { haltedMillis } = this.#accounts.get(id) ?? assert.fail(`${id} is known`);
    this.#change(id, { halted: true, haltedMillis: haltedMillis ?? this.#nowMillis });
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
      if (met.has(one)) continue;
      met.add(one);
      asked.push(...this.#shown(one));
      const known = this.#accounts.get(one);
      if (known?.role === "operator") asked.push(...known.vouching);
    }
    return line;
  }

  /** The operators who were shown a key of the account that lives, or has left something. */
  #shown(account: string): readonly string[] {
    return [...this.#keys].flatMap(([id, key]) => {
      const ties = !key.isRevoked || (this.#left.get(id)?.size ?? 0) > 0;
      return key.accountId === account && key.shownTo !== null && ties ? [key.shownTo] : [];
    });
  }

  #use(id: string): void {
    const key = this.#keys.get(id) ?? assert.fail(`${id} is known`);
    assert.ok(key.shownTo !== null && !key.isUsed, `${id} was shown, and is used first`);
    this.#keys.set(id, { ...key, isUsed: true });
  }

  /** An account that nobody has used the one key of is set up by whoever opened it. */
  #isSetUp({ type }: Command, account: string): boolean {
    const keys = [...this.#keys.values()].filter((key) => key.accountId === account);
    return settingUp.has(type) && keys.length === 1 && keys[0]?.isUsed === false;
  }

  /** Things that revoked keys have left are told by their revocation, and by what traded for them later. */
  #followLeft({ actor, command }: Envelope, events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "KeyUsed") this.#use(event.keyId);
      if (event.type !== "KeyLeft") continue;
      const { keyId, accountId, name, stands } = event;
      const key = this.#keys.get(keyId) ?? assert.fail(`${keyId} is known`);
      assert.ok(key.isRevoked && key.shownTo !== null, `${keyId} was shown, and is revoked`);
      const left = this.#left.get(keyId) ?? new Set<string>();
      const isByHand = actor.type === "key" && actor.accountId === accountId;
      const isRevocation = command.type === "RevokeKey" || command.type === "RevokeKeys";
      if (stands) assert.ok(isRevocation || !isByHand, `${name} is left by ${keyId}`);
      else assert.ok(left.delete(name), `${name} was left by ${keyId}`);
      if (stands) left.add(name);
      this.#left.set(keyId, left);
    }
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

  /** For some permission no two people could speak tomorrow; a halt counts after a day. */
  #isLacking(): boolean {
    const tomorrow = this.#nowMillis + DAY_MILLIS;
    return adminPermissions.some((permission) => {
      const living = [...this.#accounts].flatMap(([id, { role, haltedMillis }]) => {
        const isHere = haltedMillis === null || this.#nowMillis < haltedMillis + DAY_MILLIS;
        const isHolder = [...this.#keys.values()].some(
          ({ accountId, permissions, isRevoked, expiresAtSeconds }) =>
            accountId === id &&
            !isRevoked &&
            (expiresAtSeconds ?? Number.POSITIVE_INFINITY) * 1000 > tomorrow &&
            permissions.includes(permission),
        );
        return role === "operator" && isHere && isHolder ? [id] : [];
      });
      const all = [...(this.#isRootAway() ? [] : ["root"]), ...living];
      return !all.some((one) => all.some((other) => this.areTwo(one, other)));
    });
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
