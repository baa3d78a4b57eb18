// A journal entry as an auditor reads it: the audit trail is the journal seen through this.
// Invariant: every entry has an action, an actor and a severity; nothing secret is shown.

import type { AccountId } from "#base/ids.ts";
import { formatMicros, type Micros } from "#base/money.ts";
import { formatMonth } from "#base/month.ts";
import { type Tick, tickPrice } from "#base/price.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { formatLots } from "#base/quantity.ts";
import type { MakerProtection } from "./account/protection-record.ts";
import { capsDetails, groupDetails, groupTripDetails } from "./account/told.ts";
import type { Actor, Command, CommandOf, OrderInput } from "./command.ts";
import { commands } from "./command-table.ts";
import { concernedAccount } from "./concerned.ts";
import type { Event, EventOf } from "./event.ts";
import { mandateDetails } from "./mandate/told.ts";
import { cancelledIn, placedIn } from "./order/orders-in-events.ts";
import { eachDetails, quoteDetails } from "./order/told.ts";
import { type Entry, isRejected } from "./outcome.ts";
import { type AlertType, isAdminPermission, type ReleaseFacts } from "./records.ts";
import { resourceOf } from "./resource.ts";
import { isOfRfq, rfqDetails } from "./rfq/told.ts";
import { foundingRules } from "./rules.ts";
import { announcementShown, changesShown } from "./rules-change.ts";
import { fallbackShown } from "./settlement/fallback-step.ts";
import type { HeldPlaceFacts } from "./settlement/held-place.ts";
import { webhookDetails } from "./webhook/told.ts";
import { wordIn } from "./words/told.ts";
import type { Word } from "./words/word.ts";

type Severity = "info" | "warning" | "critical";

/** An entry stays readable when a mark fells thousands. */
const ALERTS_SHOWN = 100;
const ORDERS_SHOWN = 100;
const HELD_SHOWN = 100;

/** The facts an entry is filed and found under. */
interface AuditHeading {
  readonly action: string;
  readonly severity: Severity;
  readonly actor: AccountId | "root" | "system" | typeof SEALED;
  /** The account the entry is about: its own commands, and what an operator did to it. */
  readonly concerns: AccountId | null;
  readonly resource: string;
}

interface AuditFacts extends AuditHeading {
  /** The entry's own first; then orders placed or cancelled in it, where that is not its own. */
  readonly actions: readonly string[];
  readonly success: boolean;
  /** JSON-safe. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Everything the entry says. */
export const auditFacts = (entry: Entry): AuditFacts => factsShown(entry, undefined);

/** The entry as an account may read it: nothing of the orders and alerts of others. */
export const auditFactsFor = (viewer: AccountId, entry: Entry): AuditFacts =>
  factsShown(entry, viewer);

/** Asked of each entry when it is sealed; its details are drawn only for those who read it. */
export const auditHeading = (entry: Entry): AuditHeading =>
  isSealed(entry.envelope.command) ? { ...openHeading(entry), actor: SEALED } : openHeading(entry);

function openHeading({ envelope, outcome }: Entry): AuditHeading {
  const { command, actor } = envelope;
  const events = isRejected(outcome) ? [] : outcome.events;
  return {
    action: commands[command.type].action,
    severity: severityOf(command, events, isRejected(outcome)),
    actor: actorName(actor),
    concerns: concernedAccount(actor, command, events),
    resource: resourceOf(command, events),
  };
}

function factsShown(entry: Entry, viewer: AccountId | undefined): AuditFacts {
  const { outcome } = entry;
  const { command, actor } = entry.envelope;
  const events = isRejected(outcome) ? [] : outcome.events;
  const isOwn = actor.type === "key" && viewer === actor.accountId;
  const refusal = isRejected(outcome) ? { refusedAs: outcome.rejection.code } : {};
  const { action, ...heading } = isOwn ? openHeading(entry) : auditHeading(entry);
  return {
    action,
    actions: actionsIn(command, events),
    ...heading,
    success: !isRejected(outcome) && command.type !== "RecordRefusal",
    details:
      heading.actor === SEALED
        ? {}
        : {
            ...detailsOf(command, events),
            ...clearanceIn(events),
            ...(command.type === "CancelMarket" ? { carriedOut: isVoided(events) } : {}),
            ...proposalDetails(command, events),
            ...ordersShown(command, events, viewer),
            ...announcementIn(events),
            ...alertsIn(events, viewer),
            ...(viewer === undefined ? lossesIn(events) : {}),
            ...refusal,
          },
  };
}

/** Stands for the bidder, whom nobody else is ever told. */
export const SEALED = "sealed";

/** Bids in auctions: operators and auditors do not see whose they are, nor how much, nor later. */
export const isSealed = ({ type }: Command): boolean =>
  type === "PlaceBid" ||
  type === "WithdrawBid" ||
  type === "GiveMark" ||
  type === "QuoteRfq" ||
  type === "ImproveQuote" ||
  type === "LapseQuote";

const PLACED = "order.placed";

/** The entry's own action first; then what was done to orders in it, where that is another. */
export function actionsIn(command: Command, events: readonly Event[]): readonly string[] {
  const own = commands[command.type].action;
  const isPlacing = own === PLACED || placedIn(command, events).length > 0;
  const placed = isPlacing ? [PLACED] : [];
  const cancelled = cancelledIn(events).length > 0 ? ["order.cancelled"] : [];
  const agreed = wordIn("confirmed", events);
  const done = agreed === undefined ? [] : [commands[agreed.command.type].action];
  return [own, ...[...done, ...placed, ...cancelled].filter((action) => action !== own)];
}

/** Of a first word: that nothing was done yet. Of a second: what it was about, and whose it was. */
function proposalDetails(command: Command, events: readonly Event[]): Record<string, unknown> {
  const open = wordIn("open", events);
  if (open !== undefined) return { carriedOut: false, proposalId: open.id };
  const ended =
    wordIn("confirmed", events) ?? wordIn("withdrawn", events) ?? wordIn("lapsed", events);
  if (ended === undefined || !("proposalId" in command)) return {};
  return {
    proposed: commands[ended.command.type].action,
    proposedBy: ended.by,
    ...proposedDetails(ended),
  };
}

/** The details of the command that was proposed. */
export const proposedDetails = ({ command }: Word): Record<string, unknown> => ({
  ...("accountId" in command ? { accountId: command.accountId } : {}),
  ...detailsOf(command, []),
});

/** Ids of the orders placed and cancelled, where the entry is about more than one order. */
function ordersShown(
  command: Command,
  events: readonly Event[],
  viewer: AccountId | undefined,
): Record<string, unknown> {
  const changed = [...placedIn(command, events), ...cancelledIn(events)];
  const ids = new Set(
    changed.flatMap(({ id, accountId }) =>
      viewer === undefined || viewer === accountId ? id : [],
    ),
  );
  const isOne = "order" in command || "orderId" in command;
  if (ids.size === 0 || (isOne && ids.size === 1 && command.type !== "AcceptQuote")) return {};
  return { orderIds: [...ids].slice(0, ORDERS_SHOWN), orderCount: ids.size };
}

const actorName = (actor: Actor): AccountId | "root" | "system" =>
  actor.type === "key" ? actor.accountId : actor.type;

function severityOf(command: Command, events: readonly Event[], refused: boolean): Severity {
  let isGrave = false;
  let isNoted = refused;
  for (const event of events) {
    if (event.type === "MarketChanged") isGrave ||= event.market.shortfallMicros > 0n;
    else if (event.type === "HeldPlaceChanged") isNoted ||= isNewlyHeld(event);
    else if (event.type === "WordChanged") isGrave ||= isFounding(event);
    else if (event.type === "AlertRaised" && event.alert.type !== "payout") {
      isNoted = true;
      isGrave ||= !mildAlerts.has(event.alert.type);
    }
  }
  const { severity = "info" } = commands[command.type];
  if (severity === "critical" || isGrave) return "critical";
  return isNoted ? "warning" : severity;
}

/** They say that something is to come, not that it is lost. */
const mildAlerts: ReadonlySet<AlertType> = new Set([
  "margin_warning",
  "fallback",
  "rules",
  "auction",
  "bust",
  "webhook",
]);

/** Root opens an operator's account without a second person. */
const isFounding = ({ word, status }: EventOf<"WordChanged">): boolean =>
  status === "open" && word.effectiveAtMillis !== undefined;

const isNewlyHeld = ({ place, status }: EventOf<"HeldPlaceChanged">): boolean =>
  status === "held" && place.renamed === undefined;

function detailsOf(command: Command, events: readonly Event[]): Record<string, unknown> {
  if (command.type === "ConfirmProposal") return { proposalId: command.proposalId };
  if (command.type.startsWith("Report")) return reportDetails(events);
  const told = toldElsewhere(command, events);
  if (told !== undefined) return told;
  switch (command.type) {
    case "DecideKyc": {
      const { type: _type, ...decision } = command;
      const changed = events.find((event) => event.type === "AccountChanged");
      return { ...decision, withoutInquiry: changed?.account.kyc.decidedUnasked ?? false };
    }
    case "OpenAccount":
    case "SetCredit":
      return accountDetails(command);
    case "CreateKey":
    case "IssueKey":
      return { label: command.key.label, permissions: command.key.permissions };
    case "IssuePublicKey": {
      const { label, scopes, ratePerMinute, expiresAtSeconds } = command.key;
      return { label, scopes, rateLimit: ratePerMinute, expiresAt: expiresAtSeconds };
    }
    case "PlaceOrder":
    case "AcceptQuote":
      return placedDetails(command);
    case "PlaceBatch":
      return { orders: command.orders.map(orderDetails), ...eachDetails(command, events) };
    case "AmendOrder":
      return {
        ...(command.price === null ? {} : { price: shownPrice(command.price.tick) }),
        ...(command.amountLots === null ? {} : { amount: formatLots(command.amountLots) }),
        ...(command.expirySeconds === null ? {} : { expiry: command.expirySeconds }),
      };
    case "SetProtection":
      return makerProtectionTerms(command);
    case "FundAccount":
    case "FundGuarantee":
    case "FundFinancing":
    case "SetFundingLimit":
      return fundingDetails(command);
    case "AcceptRelease":
    case "QuarantineRelease":
    case "RereadReleases":
      return intakeDetails(command);
    case "RenamePlace":
    case "ReleasePlace":
    case "RejectPlace":
      return placeDetails(command);
    case "LoadGeo":
      return geoDetails(command);
    case "SettleByFallback":
      return fallbackDetails(command);
    case "ListMarket":
      return { frontendId: command.frontendId };
    case "PublishMarks":
      return { markets: command.marks.length };
    case "DecideDispute": {
      const { valueE15, decision, evidence, revisedIn } = command;
      const value = valueE15 === null ? null : formatPrintValue(valueE15);
      return { decision, value, evidence, ...(revisedIn === undefined ? {} : { revisedIn }) };
    }
    case "Genesis":
      return { clock: command.clock, chainId: command.chainId };
    case "SetRules":
      return changesShown(foundingRules, command.rules);
    case "SetClock":
      return { setTo: new Date(command.toMillis).toISOString() };
    default:
      return withoutType(command);
  }
}

function toldElsewhere(command: Command, events: readonly Event[]) {
  if (command.type === "MassQuote") return quoteDetails(command, events);
  if ("auctionId" in command) return auctionDetails(command, events);
  if ("mandateId" in command) return mandateDetails(command);
  if (isOfRfq(command)) return rfqDetails(command);
  if (command.type === "SetCaps") return capsDetails(command);
  if (command.type === "SetGroup") return groupDetails(command);
  return "webhookId" in command ? webhookDetails(command) : undefined;
}

function withoutType({ type: _type, ...rest }: Command): Record<string, unknown> {
  return rest;
}

function accountDetails(command: CommandOf<"OpenAccount" | "SetCredit">): Record<string, unknown> {
  if (command.type === "SetCredit") {
    return { accountId: command.accountId, line: shownLine(command.creditMicros) };
  }
  const { name, role, address, owner, key } = command;
  const given =
    role === "operator" ? { permissions: key.permissions.filter(isAdminPermission) } : {};
  return { name, role, address, ...(owner === undefined ? {} : { owner }), ...given };
}

function placedDetails(command: CommandOf<"PlaceOrder" | "AcceptQuote">): Record<string, unknown> {
  const details = orderDetails(command.order);
  if (command.type === "PlaceOrder") return details;
  const { structure, referenceTick } = command;
  return { ...details, structure, referencePrice: shownPrice(referenceTick) };
}

const fundingDetails = (
  command: CommandOf<"FundAccount" | "FundGuarantee" | "FundFinancing" | "SetFundingLimit">,
): Record<string, unknown> =>
  command.type === "SetFundingLimit"
    ? { fundingLimit: formatMicros(command.limitMicros) }
    : {
        ...("layer" in command ? { layer: command.layer } : {}),
        amount: formatMicros(command.amountMicros),
        memo: command.memo,
      };

const shownLine = (line: Micros | null): string | null =>
  line === null ? null : formatMicros(line);

/** The details of a provider's file taken in, or read again. */
function intakeDetails(
  command: CommandOf<"AcceptRelease" | "QuarantineRelease" | "RereadReleases">,
): Record<string, unknown> {
  if (command.type === "RereadReleases") {
    const { releases, newest, heldPlaces } = command;
    return { releases, places: newest.length, ...heldDetails(heldPlaces) };
  }
  const facts = releaseDetails(command.release);
  return command.type === "QuarantineRelease"
    ? { ...facts, reasons: command.reasons }
    : { ...facts, ...heldDetails(command.heldPlaces) };
}

/** The step, and the prints it rests on. */
const fallbackDetails = ({ marketId, reason, taken }: CommandOf<"SettleByFallback">) => ({
  marketId,
  reason,
  ...fallbackShown(taken),
});

const geoDetails = ({ nodes, sha256, rereadDue = [] }: CommandOf<"LoadGeo">) => ({
  nodes: nodes.length,
  sha256,
  ...(rereadDue.length === 0 ? {} : { rereadDue }),
});

/** The taker is named as the fund or a bidder; which one is in that account's own part. */
function auctionDetails(
  command: CommandOf<"PlaceBid" | "WithdrawBid" | "CloseAuction">,
  events: readonly Event[],
): Record<string, unknown> {
  if (command.type === "PlaceBid") return { amount: formatMicros(command.amountMicros) };
  const ended = events.find((event) => event.type === "AuctionEnded");
  return ended === undefined
    ? {}
    : { takenBy: ended.takenBy, paid: formatMicros(ended.paidMicros) };
}

/** Places that were held back, and why. */
function heldDetails(places: readonly HeldPlaceFacts[] = []): Record<string, unknown> {
  if (places.length === 0) return {};
  const shown = places.slice(0, HELD_SHOWN).map(({ nodeId, reasons }) => ({ nodeId, reasons }));
  return { heldPlaces: shown, heldPlaceCount: places.length };
}

function placeDetails(
  command: CommandOf<"RenamePlace" | "ReleasePlace" | "RejectPlace">,
): Record<string, unknown> {
  if (command.type === "RenamePlace") {
    const { releaseId, from, to, shared } = command;
    const months = [shared[0], shared.at(-1)].map((one) => one && formatMonth(one.month));
    return { releaseId, from, to, equalGrowth: months.join(" to ") };
  }
  const { releaseId, readings, heldAnew } = command;
  const prints = readings.flatMap(({ releaseId: id, observations }) =>
    observations.map(({ month, valueE15, backfill }) => ({
      releaseId: id,
      month: formatMonth(month),
      value: formatPrintValue(valueE15),
      backfill,
    })),
  );
  return {
    releaseId,
    ...(command.type === "RejectPlace" ? { reason: command.reason } : {}),
    prints,
    ...(heldAnew === undefined
      ? {}
      : { heldAnew: { releaseId: heldAnew.releaseId, reasons: heldAnew.reasons } }),
  };
}

function releaseDetails(release: ReleaseFacts): Record<string, unknown> {
  const { provider, index, level, sha256, firstPrints, lastMonth, methodologyChange } = release;
  return {
    provider,
    index,
    level,
    sha256,
    firstPrints,
    lastMonth: formatMonth(lastMonth),
    ...(methodologyChange === undefined
      ? {}
      : { methodologyChange, methodologyVersion: release.methodologyVersion }),
  };
}

/** False of the first of the two words that a void takes. */
const isVoided = (events: readonly Event[]): boolean =>
  events.some((event) => event.type === "MarketChanged" && event.market.status === "CANCELLED");

/** The accounts the command warned, and of what; at most the first hundred. */
function alertsIn(
  events: readonly Event[],
  viewer: AccountId | undefined,
): Record<string, unknown> {
  const alerts = events.flatMap((event) =>
    event.type === "AlertRaised" && (viewer === undefined || viewer === event.alert.accountId)
      ? [{ account: event.alert.accountId, type: event.alert.type }]
      : [],
  );
  if (alerts.length === 0) return {};
  return { alerts: alerts.slice(0, ALERTS_SHOWN), alertCount: alerts.length };
}

/** The change of rules that was announced, withdrawn, or is in force from now on. */
function announcementIn(events: readonly Event[]): Record<string, unknown> {
  const announced = events.find((event) => event.type === "RulesAnnounced");
  return announced === undefined ? {} : announcementShown(foundingRules, announced.announcement);
}

/** The two operators who let a release through, and the reasons they overruled. */
function clearanceIn(events: readonly Event[]): Record<string, unknown> {
  const accepted = events.find((event) => event.type === "ReleaseAccepted");
  return { ...accepted?.release.clearance };
}

/** Losses of the fund, and the amount that each of its layers bears: together they are the loss. */
function lossesIn(events: readonly Event[]): Record<string, unknown> {
  const losses = events.flatMap((event) => (event.type === "LossDrawn" ? event.loss : []));
  if (losses.length === 0) return {};
  return {
    losses: losses.slice(0, ALERTS_SHOWN).map((loss) => ({
      of: loss.of,
      loss: formatMicros(loss.lossMicros),
      ownContribution: formatMicros(loss.ownMicros),
      exchangeLayer: formatMicros(loss.exchangeMicros),
      fund: formatMicros(loss.fundMicros),
      contributions: formatMicros(loss.contributionsMicros),
      assessed: formatMicros(loss.assessedMicros),
      assessedOwed: formatMicros(loss.assessedOwedMicros),
      uncovered: formatMicros(loss.leftMicros),
    })),
  };
}

const orderDetails = (order: OrderInput): Record<string, unknown> => ({
  marketId: order.marketId,
  outcomeIndex: order.outcomeIndex,
  side: order.side,
  amount: formatLots(order.amountLots),
  price: shownPrice(order.priceTick),
});

const shownPrice = (tick: Tick | null): number | null => (tick === null ? null : tickPrice(tick));

const makerProtectionTerms = (
  terms: Pick<MakerProtection, "withinSeconds" | "maxLots" | "maxFills">,
): Record<string, unknown> => ({
  withinSeconds: terms.withinSeconds,
  maxContracts: terms.maxLots === null ? null : formatLots(terms.maxLots),
  maxFills: terms.maxFills,
});

const reportDetails = (events: readonly Event[]): Record<string, unknown> => ({
  ...tripDetails(events),
  ...groupTripDetails(events),
  ...callDetails(events),
});

/** The amount asked for, and by when. */
function callDetails(events: readonly Event[]): Record<string, unknown> {
  const call = events.find((event) => event.type === "AccountChanged")?.account.marginCall;
  if (call === undefined) return {};
  const due = new Date(call.dueAtMillis).toISOString();
  return { amount: formatMicros(call.amountMicros), due };
}

/** The limits that were passed, and by how much. */
function tripDetails(events: readonly Event[]): Record<string, unknown> {
  const changed = events.find((event) => event.type === "ProtectionChanged");
  if (changed === undefined) return {};
  const { protection } = changed;
  return {
    ...makerProtectionTerms(protection),
    filledContracts: formatLots(protection.windowLots),
    fills: protection.windowFills,
  };
}
