// GET /api/admin/queue: everything that waits for an operator, in one list.
// Invariant: a thing leaves the list by the entry that decides it, and not before.
import { Type } from "typebox";
import { formatPrintValue } from "#base/print-value.ts";
import { commands } from "#core/command-table.ts";
import { isLive, upheldAtMillis } from "#core/market/life.ts";
import type { Account, Dispute, Market } from "#core/records.ts";
import {
  disputeSubject,
  placeSubject,
  releaseSubject,
  voidSubject,
  type Word,
  wordLapsesAtMillis,
} from "#core/words/word.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { DownloadSourceState, DownloadsPort } from "../ports.ts";
import { pageOf, pageQuery, pageSiblings } from "../public/paging.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import type { HeldPlacePorts } from "./held-place-record.ts";
import { type Queued, QueueItem, queueItem, queueKinds, type ShownWord } from "./queue-record.ts";

type QueuePorts = HeldPlacePorts & { readonly downloads: Pick<DownloadsPort, "states"> };

export const showQueue = (ports: QueuePorts): Route =>
  admin.read({
    url: "/api/admin/queue",
    access: "admin:read",
    summary: "Everything that waits for an operator, the longest waiting first",
    cost: 2,
    params: nothing,
    query: closed({
      ...pageQuery,
      kind: Type.Optional(
        Type.Enum([...queueKinds], { description: `one of ${queueKinds.join(", ")}` }),
      ),
    }),
    data: Type.Array(QueueItem),
    siblings: {
      ...pageSiblings,
      counts: Type.Record(Type.Enum([...queueKinds]), Type.Integer(), {
        description: "how many of each kind wait, whatever is asked for",
      }),
    },
    read: ({ query, caller }) => {
      const queue = queueOf(ports);
      const counts = countsOf(queue);
      const asked = queue.filter(({ kind }) => query.kind === undefined || kind === query.kind);
      const { items, siblings } = pageOf(asked, query);
      const data = items.map((queued) => queueItem(ports, caller, queued));
      return { data, siblings: { ...siblings, counts } };
    },
  });

const countsOf = (queue: readonly Queued[]) =>
  Object.fromEntries(
    queueKinds.map((kind) => [kind, queue.filter((one) => one.kind === kind).length]),
  );

/** How many of each kind wait. */
export const queueCounts = (ports: Pick<QueuePorts, "exchange" | "downloads">) =>
  countsOf(queueOf(ports));

/** Longest waiting first; before them what no time is known of. */
function queueOf({
  exchange,
  downloads,
}: Pick<QueuePorts, "exchange" | "downloads">): readonly Queued[] {
  const waiting = [
    ...releasesIn(exchange),
    ...[...exchange.accounts.values()].flatMap(ofAccount),
    ...[...exchange.markets.values()].flatMap((market) => ofMarket(exchange, market)),
    ...proposalsIn(exchange),
    ...downloads.states().flatMap(ofDownload),
  ];
  return waiting.sort((one, other) => one.sinceMillis - other.sinceMillis);
}

const ofDownload = (download: DownloadSourceState): readonly Queued[] =>
  download.wrongSinceMillis === null
    ? []
    : [{ kind: "download", download, sinceMillis: download.wrongSinceMillis }];

function releasesIn(exchange: ExchangeView): readonly Queued[] {
  const { quarantine, heldPlaces } = exchange;
  const about = (subject: string) => exchange.wordsAbout(subject).map(shown);
  const held = [...quarantine.values()].filter(({ status }) => status === "quarantined");
  return [
    ...held.map((release) => ({
      ...({ kind: "release", release, sinceMillis: release.ingestedAtMillis } as const),
      words: about(releaseSubject(release.id)),
    })),
    ...[...heldPlaces.values()].map((place) => ({
      ...({ kind: "place", place, sinceMillis: place.heldAtMillis } as const),
      words: about(placeSubject(place.releaseId, place.nodeId)),
    })),
  ];
}

/** One person's word, as those who may give the second one need it. */
function shown({ by, command }: Word): ShownWord {
  switch (command.type) {
    case "ApproveRelease":
    case "ApprovePlace":
      return { by, decision: "approve" };
    case "CancelMarket":
      return { by, decision: "void" };
    case "DecideDispute": {
      const { decision, valueE15, evidence } = command;
      const amended = valueE15 === null ? {} : { amendTo: formatPrintValue(valueE15) };
      return { by, decision, ...amended, ...(evidence === null ? {} : { evidence }) };
    }
    default:
      return { by, decision: commands[command.type].action };
  }
}

const proposalsIn = ({ proposals }: ExchangeView): readonly Queued[] =>
  proposals.map((proposal) => ({
    kind: "proposal",
    proposal,
    sinceMillis: proposal.givenAtMillis,
    dueAtMillis: wordLapsesAtMillis(proposal),
    words: [shown(proposal)],
  }));

function ofAccount(account: Account): readonly Queued[] {
  const { kyc, marginCall, inDefault } = account;
  const waiting: Queued[] = [];
  if (kyc.inquiredAtSeconds !== undefined) {
    waiting.push({ kind: "kyc", account, sinceMillis: 1000 * kyc.inquiredAtSeconds });
  }
  if (marginCall !== undefined) {
    const { calledAtMillis: sinceMillis, dueAtMillis } = marginCall;
    waiting.push({ kind: "marginCall", account, sinceMillis, dueAtMillis });
  }
  if (inDefault !== undefined) {
    waiting.push({ kind: "default", account, sinceMillis: inDefault.sinceMillis });
  }
  return waiting;
}

function ofMarket(exchange: ExchangeView, market: Market): readonly Queued[] {
  const { id, status, dispute, fallbackSinceMillis } = market;
  const waiting: Queued[] = dispute === null ? [] : [ofDispute(exchange, market, dispute)];
  const voids = exchange.wordsAbout(voidSubject(id));
  const [first] = voids;
  if (first !== undefined) {
    waiting.push({
      ...{ kind: "void", market, sinceMillis: first.givenAtMillis },
      dueAtMillis: wordLapsesAtMillis(first),
      words: voids.map(shown),
    });
  }
  if (fallbackSinceMillis !== undefined && isLive(status)) {
    waiting.push({ kind: "fallback", market, sinceMillis: fallbackSinceMillis });
  }
  return waiting;
}

function ofDispute(exchange: ExchangeView, market: Market, dispute: Dispute): Queued {
  return {
    ...({ kind: "dispute", market, dispute, sinceMillis: dispute.openedAtMillis } as const),
    dueAtMillis: upheldAtMillis(dispute),
    words: exchange.wordsAbout(disputeSubject(market.id)).map(shown),
  };
}
