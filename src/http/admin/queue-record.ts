// An item of the operators' queue: one thing that waits, with what a person needs to decide it.
// Invariant: an item shows records as their own reads show them; nothing is drawn a second way.
import { type Static, type TProperties, Type } from "typebox";
import { formatMicros, type Micros, noMoney } from "#base/money.ts";
import { lackingOf } from "#core/margin/call.ts";
import { isSecondPerson } from "#core/person.ts";
import type { Account, Dispute, Market, OperatorName, QuarantinedRelease } from "#core/records.ts";
import type { HeldPlace } from "#core/settlement/held-place.ts";
import type { Word } from "#core/words/word.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { DownloadSourceState } from "../ports.ts";
import { ResolutionShape, showResolution } from "../public/market-shape.ts";
import type { OperatorCaller } from "../route/route.ts";
import { KycRecord, kycRecord } from "../trading/kyc-record.ts";
import {
  callShown,
  DefaultShape,
  defaultShown,
  MarginCallShape,
} from "../trading/margin-health.ts";
import { AccountRecord, accountRecord } from "./account-record.ts";
import { DownloadRecord, downloadRecord } from "./downloads.ts";
import { type HeldPlacePorts, HeldPlaceRecord, heldPlaceRecord } from "./held-place-record.ts";
import { MarketRecord, marketRecord } from "./market-record.ts";
import { ProposalRecord, proposalRecord } from "./proposal-record.ts";
import { showWaiting, WaitingReleaseShape } from "./releases.ts";

/** One operator's word where two are needed. */
export interface ShownWord {
  readonly by: OperatorName;
  readonly decision: string;
  readonly amendTo?: string;
  readonly evidence?: string;
}

/** A thing that waits, found and not yet shown. */
export type Queued = {
  readonly sinceMillis: number;
  readonly dueAtMillis?: number;
  /** The oldest first. */
  readonly words?: readonly ShownWord[];
} & (
  | { readonly kind: "release"; readonly release: QuarantinedRelease }
  | { readonly kind: "place"; readonly place: HeldPlace }
  | { readonly kind: "kyc" | "marginCall" | "default"; readonly account: Account }
  | { readonly kind: "dispute"; readonly market: Market; readonly dispute: Dispute }
  | { readonly kind: "proposal"; readonly proposal: Word }
  | { readonly kind: "void" | "fallback"; readonly market: Market }
  | { readonly kind: "download"; readonly download: DownloadSourceState }
);

export const queueKinds = [
  "release",
  "place",
  "kyc",
  "dispute",
  "marginCall",
  "default",
  "proposal",
  "void",
  "fallback",
  "download",
] as const;

const FirstWord = Type.Object(
  {
    by: Type.String({ description: "the operator's account, or root" }),
    decision: Type.String({ description: "approve, uphold, amend, void, or the proposed action" }),
    amendTo: Type.Optional(
      Type.String({ description: "the value that an amendment would settle by" }),
    ),
    evidence: Type.Optional(
      Type.String({ description: "part of the decision: the second person names the same" }),
    ),
    isYours: Type.Boolean({
      description: "the caller is the same person: another one has to give the second word",
    }),
  },
  { title: "FirstWord" },
);

const common = {
  since: Type.String({ description: "when it began to wait, ISO 8601" }),
  dueAt: Type.Union([Type.String(), Type.Null()], {
    description:
      "when it ends by itself: a proposal or void lapses, a dispute is upheld, an account called " +
      "for margin defaults",
  }),
  firstWord: Type.Union([FirstWord, Type.Null()], {
    description: "the oldest that stands; null while nobody has spoken, or where one decides",
  }),
  words: Type.Array(FirstWord, {
    description: "every word that stands: two people who say the same decide",
  }),
};

const item = <K extends Queued["kind"], P extends TProperties>(kind: K, members: P) =>
  Type.Object({ kind: Type.Literal(kind), ...common, ...members });

const DisputeShape = Type.Object(
  {
    openedBy: Type.String({ description: "the account, or root" }),
    reason: Type.String(),
    evidence: Type.Union([Type.String(), Type.Null()], {
      description: "where the claim can be checked; null: none was given",
    }),
    bond: Type.String({ description: "USD it holds until it is decided" }),
  },
  { title: "Dispute" },
);

export const QueueItem = Type.Union(
  [
    item("release", { release: WaitingReleaseShape }),
    item("place", { place: HeldPlaceRecord }),
    item("kyc", { account: AccountRecord, kyc: KycRecord }),
    item("dispute", { dispute: DisputeShape, resolution: ResolutionShape }),
    item("marginCall", { account: AccountRecord, marginCall: MarginCallShape }),
    item("default", { account: AccountRecord, inDefault: DefaultShape }),
    item("proposal", { proposal: ProposalRecord }),
    item("void", { market: MarketRecord }),
    item("fallback", { market: MarketRecord }),
    item("download", { download: DownloadRecord }),
  ],
  { title: "QueueItem" },
);

/** For one operator, who is told which first words are its own. */
export function queueItem(
  ports: HeldPlacePorts,
  caller: OperatorCaller,
  queued: Queued,
): Static<typeof QueueItem> {
  const { sinceMillis, dueAtMillis = null } = queued;
  const self = caller.type === "root" ? caller.type : caller.account.id;
  const isYours = (by: OperatorName): boolean => !isSecondPerson(ports.exchange, by, self);
  const words = (queued.words ?? []).map((word) => ({ ...word, isYours: isYours(word.by) }));
  return {
    since: new Date(sinceMillis).toISOString(),
    dueAt: timeOrNull(dueAtMillis),
    firstWord: words[0] ?? null,
    words,
    ...detailsOf(ports, queued),
  };
}

function detailsOf(ports: HeldPlacePorts, queued: Queued) {
  const { exchange } = ports;
  const { kind } = queued;
  switch (kind) {
    case "release":
      return { kind, release: showWaiting(ports, queued.release) };
    case "place":
      return { kind, place: heldPlaceRecord(ports, queued.place) };
    case "kyc": {
      const { account } = queued;
      return { kind, account: accountRecord(account), kyc: kycRecord(account, exchange.rules) };
    }
    case "marginCall": {
      const { account } = queued;
      const marginCall = callShown(account, lackingNow(exchange, account));
      return { kind, account: accountRecord(account), marginCall };
    }
    case "default": {
      const { account } = queued;
      return { kind, account: accountRecord(account), inDefault: defaultShown(account) };
    }
    case "dispute": {
      const { openedBy, reason, evidence, bondMicros = noMoney } = queued.dispute;
      const dispute = { openedBy, reason, evidence, bond: formatMicros(bondMicros) };
      return { kind, dispute, resolution: showResolution(ports, queued.market) };
    }
    case "proposal":
      return { kind, proposal: proposalRecord(queued.proposal) };
    case "void":
    case "fallback":
      return { kind, market: marketRecord(exchange, queued.market) };
    case "download":
      return { kind, download: downloadRecord(queued.download) };
  }
}

const lackingNow = (exchange: ExchangeView, { id }: Account): Micros =>
  lackingOf(exchange.cash(id), exchange.exposures.shortTotals(id));

const timeOrNull = (millis: number | null): string | null =>
  millis === null ? null : new Date(millis).toISOString();
