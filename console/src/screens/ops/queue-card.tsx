// The queue, kind by kind: what waits, since when, whose first word it has, and the words to give.
// Invariant: an item stands until the exchange no longer lists it.
import type { ComponentChildren } from "preact";
import { AccountName } from "../../parts/account-name.tsx";
import { Note } from "../../parts/note.tsx";
import { amount, day, time } from "../../words.ts";
import { CallItem, DefaultItem, KycItem } from "./accounts.tsx";
import { DisputeItem } from "./dispute.tsx";
import { DownloadItem } from "./downloads.tsx";
import { FallbackItem, ProposalItem, VoidItem } from "./proposals.tsx";
import type { Item, Kind, Waiting } from "./queue.ts";
import { PlaceItem, ReleaseItem } from "./releases.tsx";

/** In the order in which they press. */
const kinds = [
  "release",
  "place",
  "dispute",
  "default",
  "marginCall",
  "void",
  "fallback",
  "download",
  "proposal",
  "kyc",
] as const satisfies readonly Kind[];

const titles: Readonly<Record<Kind, string>> = {
  release: "Releases held back",
  place: "Places held back",
  dispute: "Disputes",
  default: "Defaults",
  marginCall: "Margin calls",
  void: "Voids that were proposed",
  fallback: "Markets whose print does not come",
  download: "Downloads that fail or are late",
  proposal: "Proposals",
  kyc: "Identity checks",
};

export function Queue({ waiting }: { readonly waiting: Waiting }) {
  const { items, total } = waiting;
  if (items.length === 0)
    return (
      <Note title="Nothing waits">
        <p>Held files, disputes, calls and inquiries stand here until they are decided.</p>
      </Note>
    );
  return (
    <>
      {kinds.map((kind) => {
        const these = items.filter((item) => item.kind === kind);
        if (these.length === 0) return null;
        return (
          <section key={kind} class="card" aria-labelledby={`queue-${kind}`}>
            <h2 id={`queue-${kind}`}>
              {titles[kind]} <span class="tag">{these.length}</span>
            </h2>
            <ul class="queue">
              {these.map((item) => (
                <li key={nameOf(item)}>
                  <Waits item={item}>
                    <Details item={item} />
                  </Waits>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {total > items.length && (
        <p class="source">
          The {amount(items.length)} that have waited longest; {amount(total - items.length)} more
          wait behind them.
        </p>
      )}
    </>
  );
}

/** One of a kind at a time has this name. */
function nameOf(item: Item): string {
  switch (item.kind) {
    case "release":
      return item.release.id;
    case "place":
      return `${item.place.releaseId} ${item.place.nodeId} ${item.place.index}`;
    case "dispute":
      return item.resolution.marketId;
    case "void":
    case "fallback":
      return item.market.id;
    case "proposal":
      return item.proposal.id;
    case "download":
      return item.download.file;
    case "kyc":
    case "marginCall":
    case "default":
      return item.account.id;
  }
}

function Details({ item }: { readonly item: Item }) {
  switch (item.kind) {
    case "release":
      return <ReleaseItem item={item} />;
    case "place":
      return <PlaceItem item={item} />;
    case "dispute":
      return <DisputeItem item={item} />;
    case "default":
      return <DefaultItem item={item} />;
    case "marginCall":
      return <CallItem item={item} />;
    case "void":
      return <VoidItem item={item} />;
    case "fallback":
      return <FallbackItem item={item} />;
    case "proposal":
      return <ProposalItem item={item} />;
    case "download":
      return <DownloadItem item={item} />;
    case "kyc":
      return <KycItem item={item} />;
  }
}

const decisions: Readonly<Record<string, string>> = {
  approve: "it is right",
  uphold: "the resolution stands",
  amend: "the resolution is amended",
  void: "the market is void",
};

interface WaitsProps {
  readonly item: Item;
  readonly children: ComponentChildren;
}

/** Since when it waits, until when it may, and the first word. */
const Waits = ({ item: { since, dueAt, firstWord }, children }: WaitsProps) => (
  <article class="waits">
    <p class="small soft">
      {since === null ? "Waits" : `Since ${day(since)}, ${timeOfDay(since)}`}
      {dueAt !== null && `; ends by itself ${day(dueAt)}, ${timeOfDay(dueAt)}`}
    </p>
    {children}
    {firstWord !== null && (
      <p class="first-word">
        First word: <strong>{decisions[firstWord.decision] ?? firstWord.decision}</strong>
        {firstWord.amendTo !== undefined && ` to ${firstWord.amendTo}`}, by{" "}
        {firstWord.isYours ? (
          "you. Another person has to give the second."
        ) : (
          <>
            <AccountName id={firstWord.by} />. The second word can be yours.
          </>
        )}
      </p>
    )}
  </article>
);

const timeOfDay = (at: string): string => `${time(at).split(", ").at(-1)} UTC`;
