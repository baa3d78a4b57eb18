// A release as JSON, the same for everybody.
// Invariant: what is shown is what the journal holds of it.
import { type Static, Type } from "typebox";
import { formatMonth } from "#base/month.ts";
import type { AcceptedRelease } from "#core/records.ts";

export const ReleaseShape = Type.Object(
  {
    id: Type.String(),
    provider: Type.String(),
    index: Type.String(),
    level: Type.String(),
    status: Type.Enum(["accepted", "quarantined"]),
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
    methodologyVersion: Type.String(),
    reasons: Type.Array(Type.String()),
    resolvedMarkets: Type.Array(Type.String()),
  },
  { title: "Release" },
);

export const showRelease = (release: AcceptedRelease): Static<typeof ReleaseShape> => ({
  id: release.id,
  provider: release.provider,
  index: release.index,
  level: release.level,
  status: "accepted",
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
  methodologyVersion: release.methodologyVersion,
  reasons: [],
  resolvedMarkets: [...release.resolvedMarkets],
});
