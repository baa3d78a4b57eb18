// A word of one person where two have to say the same: its record, its subject and its choice.
// Invariant: a word has changed nothing; two words are the same choice only if nothing of what
// they decide differs, the amount and the evidence included; after ten days a word is gone.
import { DAY_MILLIS } from "#base/day.ts";
import {
  type MarketId,
  type NodeId,
  type ProposalId,
  proposalId,
  type ReleaseId,
} from "#base/ids.ts";
import type { Micros } from "#base/money.ts";
import { encode } from "../codec.ts";
import type { CommandOf, NewKey } from "../command.ts";
import type { AdminPermission, OperatorName } from "../records.ts";
import type { RejectionCode } from "../rejection.ts";

/** Commands that may take two people; which of them do, each decides where it is decided. */
export type WordCommand = CommandOf<
  | "OpenAccount"
  | "IssueKey"
  | "SetOwner"
  | "FundAccount"
  | "SetCaps"
  | "SetCredit"
  | "FundGuarantee"
  | "FundFinancing"
  | "SetRules"
  | "WithdrawRules"
  | "SetFundingLimit"
  | "SetRoot"
  | "CancelMarket"
  | "SettleByFallback"
  | "DecideDispute"
  | "BustFill"
  | "ApproveRelease"
  | "ApprovePlace"
>;

export interface Word {
  readonly id: ProposalId;
  /** As its person gave it. */
  readonly command: WordCommand;
  readonly by: OperatorName;
  readonly givenAtMillis: number;
  /** Present where too few people are left for a second one: it is carried out then by itself. */
  readonly effectiveAtMillis?: number;
}

/** The amount an operator has funded alone on the last day it did, in and out added up. */
export interface FundingDay {
  readonly operator: OperatorName;
  /** UTC days since 1970. */
  readonly day: number;
  readonly movedMicros: Micros;
}

/** The facts that are said once of each kind of words. */
interface WordKind {
  /** A key must hold it when the word is given, and still when the second one is. */
  readonly permission: AdminPermission;
  /** Refuses the same words of one person. */
  readonly same: RejectionCode;
  /** True where the founder needs nobody else. */
  readonly founds?: true;
  /** True where a record bounds them: one person has one word about each. */
  readonly isOfRecord?: true;
  /** True where the files come with the second word: a command of its own carries it out. */
  readonly needsFiles?: true;
}

const proposal = { same: "PROPOSAL_SAME_OPERATOR" } as const;

export const wordKinds: { readonly [T in WordCommand["type"]]: WordKind } = {
  OpenAccount: { ...proposal, permission: "admin:accounts", founds: true },
  IssueKey: { ...proposal, permission: "admin:accounts", founds: true },
  SetOwner: { ...proposal, permission: "admin:accounts", founds: true },
  SetCaps: { ...proposal, permission: "admin:accounts", founds: true },
  SetCredit: { ...proposal, permission: "admin:funding", founds: true },
  FundAccount: { ...proposal, permission: "admin:funding", founds: true },
  FundGuarantee: { ...proposal, permission: "admin:funding", founds: true },
  FundFinancing: { ...proposal, permission: "admin:funding", founds: true },
  SetRules: { ...proposal, permission: "admin:exchange" },
  WithdrawRules: { ...proposal, permission: "admin:exchange" },
  SetFundingLimit: { ...proposal, permission: "admin:exchange", founds: true },
  SetRoot: { ...proposal, permission: "admin:exchange", founds: true },
  SettleByFallback: { ...proposal, permission: "admin:settle" },
  BustFill: { ...proposal, permission: "admin:settle" },
  CancelMarket: { permission: "admin:settle", same: "VOID_SAME_OPERATOR", isOfRecord: true },
  DecideDispute: { permission: "admin:settle", same: "DISPUTE_SAME_OPERATOR", isOfRecord: true },
  ApproveRelease: {
    ...{ permission: "admin:releases", same: "RELEASE_SAME_OPERATOR" },
    ...{ isOfRecord: true, needsFiles: true },
  },
  ApprovePlace: {
    ...{ permission: "admin:releases", same: "RELEASE_SAME_OPERATOR" },
    ...{ isOfRecord: true, needsFiles: true },
  },
};

/** Open ones an operator may have at a time, beside those that records bound. */
export const MOST_WORDS = 20;

const WORD_LASTS_MILLIS = 10 * DAY_MILLIS;

export const wordLapsesAtMillis = ({ givenAtMillis }: Pick<Word, "givenAtMillis">): number =>
  givenAtMillis + WORD_LASTS_MILLIS;

/** So long any operator that is left can stop root from opening an operator's account alone. */
export const FOUNDING_MILLIS = DAY_MILLIS;

/** Of the word that the entry with this sequence gives. */
export const wordId = (sequence: number): ProposalId => proposalId(`prp-${sequence}`);

export const voidSubject = (id: MarketId): string => `void ${id}`;
export const disputeSubject = (id: MarketId): string => `dispute ${id}`;
const fallbackSubject = (id: MarketId): string => `fallback ${id}`;
export const releaseSubject = (id: ReleaseId): string => `release ${id}`;
export const placeSubject = (id: ReleaseId, place: NodeId): string => `place ${id} ${place}`;

/** The subjects that end for a market when it changes its state or is forgotten. */
export const subjectsOfMarket = (id: MarketId): readonly string[] => [
  voidSubject(id),
  fallbackSubject(id),
  disputeSubject(id),
];

/** The matter that a word decides: two choices about one subject exclude each other. */
export function subjectOf(command: WordCommand): string {
  switch (command.type) {
    case "OpenAccount":
      return `account ${command.name}`;
    case "IssueKey":
      return `key ${command.accountId}`;
    case "SetOwner":
      return `owner ${command.accountId}`;
    case "SetCaps":
      return `caps ${command.accountId}`;
    case "SetCredit":
      return `credit ${command.accountId}`;
    case "FundAccount":
      return `funding ${command.accountId}`;
    case "FundGuarantee":
      return `funding ${command.layer ?? "guarantee"}`;
    case "FundFinancing":
      return "funding financing";
    case "SetRules":
      return "rules";
    case "WithdrawRules":
      return `withdrawal ${command.announcementId}`;
    case "SetFundingLimit":
      return "funding limit";
    case "SetRoot":
      return "root";
    case "CancelMarket":
      return voidSubject(command.marketId);
    case "SettleByFallback":
      return fallbackSubject(command.marketId);
    case "DecideDispute":
      return disputeSubject(command.marketId);
    case "BustFill":
      return `bust ${command.fillId}`;
    case "ApproveRelease":
      return releaseSubject(command.releaseId);
    case "ApprovePlace":
      return placeSubject(command.releaseId, command.nodeId);
  }
}

/** Why it is done, which each says for itself; what the exchange draws anew for each request. */
const beside: ReadonlySet<string> = new Set(["reason", "memo", "expiresAfterMillis", "address"]);

/**
 * The canonical text of what a word would do. A key is known by what it may do and for how many
 * days, not by its secret, which is drawn for whoever is shown it.
 */
export function choiceOf(command: WordCommand, givenAtMillis: number): string {
  const decided = Object.entries(command).filter(([name]) => !beside.has(name));
  const named = "key" in command ? { key: keyAsked(command.key, givenAtMillis) } : {};
  return encode(inNameOrder({ ...Object.fromEntries(decided), ...named }));
}

function keyAsked(key: NewKey, givenAtMillis: number) {
  const { label, permissions, ratePerMinute, expiresAtSeconds: ends } = key;
  const days = ends === null ? null : Math.round((1000 * ends - givenAtMillis) / DAY_MILLIS);
  return { label, permissions: [...permissions].sort(), ratePerMinute, days };
}

/**
 * The command as a word keeps it: an entry that is read back from its parts has the members of
 * a command in another order than they were sent in, and decides the same.
 */
export function inNameOrder<T>(value: T): T;
export function inNameOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inNameOrder(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    membersOf(value).map(([name, member]) => [name, inNameOrder(member)] as const),
  );
}

/** By name; a member without a value is as an absent one. */
const membersOf = (value: object): (readonly [string, unknown])[] =>
  Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
