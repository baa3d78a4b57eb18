// A release as JSON; operators see besides who released or rejected it.
// Invariant: what is shown is what the journal holds of it.
import { type Static, Type } from "typebox";
import { formatMonth } from "#base/month.ts";
import type { AcceptedRelease, QuarantinedRelease, ReleaseReason } from "#core/records.ts";
import { releaseSubject } from "#core/words/word.ts";
import { cutOf } from "#prints/cut.ts";
import type { ExchangeView } from "#views/exchange.ts";

export const ReleaseShape = Type.Object(
  {
    id: Type.String(),
    provider: Type.String(),
    index: Type.String(),
    level: Type.String(),
    variable: Type.Union([Type.String(), Type.Null()], {
      description: "what a weather file measures; null for every other index",
    }),
    cut: Type.Union([Type.String(), Type.Null()], {
      description: "which cut of homes the series is made of, as the provider's file names say it",
    }),
    status: Type.Enum(["accepted", "quarantined", "rejected"]),
    publishedAt: Type.String(),
    ingestedAt: Type.String(),
    sha256: Type.String(),
    rows: Type.Integer(),
    firstMonth: Type.String(),
    lastMonth: Type.String(),
    firstPrints: Type.Integer(),
    revisions: Type.Integer(),
    unchanged: Type.Integer(),
    rescaled: Type.Integer(),
    unmatched: Type.Integer(),
    held: Type.Integer({ description: "regions whose place is held back, for now" }),
    methodologyVersion: Type.String(),
    methodologyChange: Type.Union([
      Type.Literal("detected"),
      Type.Literal("declared"),
      Type.Null(),
    ]),
    /** Why validation held it back; kept once it is released. */
    reasons: Type.Array(Type.String()),
    resolvedMarkets: Type.Array(Type.String()),
  },
  { title: "Release" },
);

export const showRelease = (
  release: AcceptedRelease | QuarantinedRelease,
): Static<typeof ReleaseShape> => ({
  id: release.id,
  provider: release.provider,
  index: release.index,
  level: release.level,
  variable: release.variable ?? null,
  cut: cutOf(release.provider, release.index),
  status: "status" in release ? release.status : "accepted",
  publishedAt: new Date(release.publishedAtMillis).toISOString(),
  ingestedAt: new Date(release.ingestedAtMillis).toISOString(),
  sha256: release.sha256,
  rows: release.rows,
  firstMonth: formatMonth(release.firstMonth),
  lastMonth: formatMonth(release.lastMonth),
  firstPrints: release.firstPrints,
  revisions: release.revisions,
  unchanged: release.unchanged,
  rescaled: release.rescaled,
  unmatched: release.unmatched,
  held: release.held ?? 0,
  methodologyVersion: release.methodologyVersion,
  methodologyChange: release.methodologyChange ?? null,
  reasons: reasonsOf(release).map(({ code, message }) => `${code}: ${message}`),
  resolvedMarkets: "status" in release ? [] : [...release.resolvedMarkets],
});

const reasonsOf = (release: AcceptedRelease | QuarantinedRelease): readonly ReleaseReason[] =>
  "status" in release ? release.reasons : (release.clearance?.reasons ?? []);

export const OperatorReleaseShape = Type.Object(
  {
    ...ReleaseShape.properties,
    /** The operators who approved it, in order: an account's id, or `root`. */
    approvedBy: Type.Array(Type.String()),
    /** Its file is to be read again: places have come that its unmatched regions may be. */
    rereadDue: Type.Boolean(),
    rejection: Type.Union([Type.Object({ by: Type.String(), reason: Type.String() }), Type.Null()]),
  },
  { title: "OperatorRelease" },
);

export function showReleaseToOperator(
  { exchange }: { readonly exchange: Pick<ExchangeView, "wordsAbout"> },
  release: AcceptedRelease | QuarantinedRelease,
): Static<typeof OperatorReleaseShape> {
  const shown = showRelease(release);
  if (!("status" in release)) {
    const approvedBy = [...(release.clearance?.approvedBy ?? [])];
    return { ...shown, approvedBy, rereadDue: release.rereadDue ?? false, rejection: null };
  }
  const { id, rejection } = release;
  const approvedBy = exchange.wordsAbout(releaseSubject(id)).map(({ by }) => by);
  return { ...shown, approvedBy, rereadDue: false, rejection };
}
