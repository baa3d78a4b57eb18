// The stages of a market, from its listing to its payout, with the fall that was measured.
// Invariant: a stage is marked done only by what the exchange has said; the rest is expected.
import type { Schemas } from "@firstprint/sdk";
import type { Market } from "../../parts/market.ts";
import { day, monthWords, percent } from "../../words.ts";

interface Stage {
  readonly name: string;
  readonly when: string;
  readonly more?: string;
  readonly isDone: boolean;
}

interface TimelineProps {
  readonly terms: Market;
  readonly status: Schemas["ResolutionStatus"];
}

function stagesOf({ terms, status }: TimelineProps): readonly Stage[] {
  const { resolvedAt, disputeWindowEndsAt, finalizedAt, decline, payoutFraction, disputed } =
    status;
  const month = monthWords(terms.measurementMonth);
  const listed = { name: "Listed", when: day(terms.createdAt), isDone: true };
  if (status.status === "CANCELLED") {
    return [
      listed,
      { name: "Void, every payment reversed", when: day(terms.updatedAt), isDone: true },
    ];
  }
  const measured = decline === null ? undefined : fallWords(Number(decline));
  const pays =
    payoutFraction == null ? undefined : `pays ${percent(100 * payoutFraction)} of the coverage`;
  return [
    listed,
    { name: "Trading closes", when: `end of ${month}`, isDone: terms.tradingClosed },
    {
      name: "First print",
      when: resolvedAt === null ? `expected ${day(terms.resolutionTimestamp)}` : day(resolvedAt),
      ...(measured === undefined ? {} : { more: [measured, pays].filter(Boolean).join(": ") }),
      isDone: resolvedAt !== null,
    },
    {
      name: disputed ? "Disputed" : "Dispute window ends",
      when: disputeWindowEndsAt === null ? "72 hours after the print" : day(disputeWindowEndsAt),
      isDone: finalizedAt !== null,
    },
    {
      name: "Paid and final",
      when: finalizedAt === null ? "then" : day(finalizedAt),
      isDone: finalizedAt !== null,
    },
  ];
}

const fallWords = (decline: number): string =>
  decline > 0 ? `fell ${percent(decline)}` : `rose ${percent(-decline)}`;

export const Timeline = ({ terms, status }: TimelineProps) => (
  <>
    <ol class="timeline">
      {stagesOf({ terms, status }).map(({ name, when, more, isDone }) => (
        <li key={name} class={isDone ? "done" : ""}>
          <strong>{name}</strong>
          <span class="soft small">{when}</span>
          {more !== undefined && <span class="small">{more}</span>}
          <span class="unseen">{isDone ? "done" : "still to come"}</span>
        </li>
      ))}
    </ol>
    {status.decline !== null && <p class="source">{status.attribution}.</p>}
  </>
);
