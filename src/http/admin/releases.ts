// GET /api/admin/releases, …/:id and …/:id/diff; POST …/:id/approve and …/:id/reject.
// Invariant: both counts of a diff are over the same places and the same two months.
import { Type } from "typebox";
import { releaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMonth } from "#base/month.ts";
import type { AcceptedRelease, QuarantinedRelease } from "#core/records.ts";
import { isChained } from "#prints/release.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { ReleaseIntakePort } from "../ports.ts";
import { pageOf, pageQuery, pageSiblings } from "../public/paging.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import { OperatorReleaseShape, showReleaseToOperator } from "../records/release.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { showWouldSettle, WouldSettle } from "./held-place-record.ts";
import { notTaken } from "./not-taken.ts";
import { Reason } from "./reason.ts";

const IdParams = Type.Object({ id: Type.String() });

/** Accepted, held back, or rejected. */
const releaseOf = ({ exchange }: { readonly exchange: ExchangeView }, id: string) =>
  exchange.releases.get(releaseId(id)) ?? exchange.quarantine.get(releaseId(id));

const noRelease = () => refuse("NOT_FOUND", { message: "No such release" });

export const WaitingReleaseShape = Type.Object(
  { ...OperatorReleaseShape.properties, wouldSettle: WouldSettle },
  { title: "WaitingRelease" },
);

export const showWaiting = (
  ports: { readonly exchange: ExchangeView },
  release: AcceptedRelease | QuarantinedRelease,
) => ({
  ...showReleaseToOperator(ports, release),
  wouldSettle:
    "status" in release
      ? showWouldSettle(ports.exchange, release.index, release.awaited ?? [])
      : [],
});

const statusOf = (release: AcceptedRelease | QuarantinedRelease) =>
  "status" in release ? release.status : "accepted";

/** Newest first, whatever became of them. */
export const listAllReleases = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.read({
    url: "/api/admin/releases",
    access: "admin:read",
    summary: "Releases of every provider, newest first",
    params: nothing,
    query: closed({
      ...pageQuery,
      status: Type.Optional(Type.Enum(["accepted", "quarantined", "rejected"])),
    }),
    data: Type.Array(WaitingReleaseShape),
    siblings: pageSiblings,
    read: ({ query }) => {
      const { releases: accepted, quarantine } = ports.exchange;
      const releases = [...accepted.values(), ...quarantine.values()]
        .sort((one, other) => one.ingestedAtMillis - other.ingestedAtMillis)
        .reverse();
      const { status } = query;
      const asked = releases.filter((one) => status === undefined || statusOf(one) === status);
      const { items, siblings } = pageOf(asked, query);
      return { data: items.map((release) => showWaiting(ports, release)), siblings };
    },
  });

export const showOneRelease = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.read({
    url: "/api/admin/releases/:id",
    access: "admin:read",
    summary: "One release",
    params: IdParams,
    query: nothing,
    data: WaitingReleaseShape,
    read: ({ params }) => {
      const release = releaseOf(ports, params.id);
      return release === undefined ? noRelease() : { data: showWaiting(ports, release) };
    },
  });

const quarantineRefusals = [
  "CONFLICT_OF_INTEREST",
  "RELEASE_NOT_QUARANTINED",
  "RELEASE_HELD",
  "RELEASE_SAME_OPERATOR",
] as const;

/** One word of two: the first is kept, the second, of another operator, releases it. */
export const approveRelease = (
  ports: { readonly exchange: ExchangeView } & { readonly releases: ReleaseIntakePort },
): Route =>
  admin.perform({
    method: "POST",
    url: "/api/admin/releases/:id/approve",
    access: "admin:releases",
    summary: "Says that a quarantined release is right; the second operator's word accepts it",
    refusals: [...quarantineRefusals, "FILE_REFUSED", "RELEASE_EXISTS", "PRINT_EXISTS"],
    params: IdParams,
    body: nothing,
    data: OperatorReleaseShape,
    perform: async ({ params, caller, submit }) => {
      const release = releaseOf(ports, params.id);
      if (release === undefined) return noRelease();
      const operator = caller.type === "root" ? caller.type : caller.account.id;
      const answer = await ports.releases.approve(release.id, operator, submit);
      return "release" in answer
        ? { data: showReleaseToOperator(ports, answer.release) }
        : notTaken(answer);
    },
  });

export const rejectRelease = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/releases/:id/reject",
    access: "admin:releases",
    summary: "Rejects a quarantined release",
    refusals: ["CONFLICT_OF_INTEREST", "RELEASE_NOT_QUARANTINED"],
    params: IdParams,
    body: closed({ reason: Reason }),
    data: OperatorReleaseShape,
    toCommand: ({ params, body: { reason } }) => {
      const release = releaseOf(ports, params.id);
      if (release === undefined) return noRelease();
      return { command: { type: "RejectRelease", releaseId: release.id, reason } };
    },
    render: ({ events }) => {
      const changed = events.find((event) => event.type === "QuarantineChanged");
      invariant(changed !== undefined, "a rejection changes what is in quarantine");
      return { data: showReleaseToOperator(ports, changed.release) };
    },
  });

const DEFAULT_FALL_BPS = 200;

/** The effect of a rescaled history: falls between raw first prints against those in the chain. */
export const diffReleases = (
  ports: AttributionPorts & { readonly releases: ReleaseIntakePort },
): Route =>
  admin.read({
    url: "/api/admin/releases/:id/diff",
    access: "admin:read",
    summary: "How many places fell between two releases, raw and in the chain",
    params: IdParams,
    query: closed({
      against: Type.String(),
      fallBps: Type.Optional(Type.Integer({ minimum: 1, maximum: 9_999 })),
    }),
    data: Type.Object({
      earlier: Type.String(),
      later: Type.String(),
      fromMonth: Type.String(),
      toMonth: Type.String(),
      fallBps: Type.Integer(),
      compared: Type.Integer(),
      rawFalls: Type.Integer(),
      chainedFalls: Type.Integer(),
      attribution: Type.String(),
    }),
    read: async ({ params, query: { against, fallBps = DEFAULT_FALL_BPS } }) => {
      const one = ports.exchange.releases.get(releaseId(params.id));
      const other = ports.exchange.releases.get(releaseId(against));
      if (one === undefined || other === undefined) return noRelease();
      if (one.index !== other.index || one.level !== other.level) {
        return invalidField("against", "must be a release of the same index and level");
      }
      if (!isChained(one.index)) {
        return invalidField(
          "against",
          `must be of home values or rents: no ${one.index} is rescaled`,
        );
      }
      const [earlier, later] = one.lastMonth <= other.lastMonth ? [one, other] : [other, one];
      if (earlier.lastMonth === later.lastMonth) {
        return invalidField("against", "must be a release that ends in another month");
      }
      const counts = await ports.releases.diff(earlier.id, later.id, fallBps);
      return {
        data: {
          earlier: earlier.id,
          later: later.id,
          fromMonth: formatMonth(earlier.lastMonth),
          toMonth: formatMonth(later.lastMonth),
          fallBps,
          ...counts,
          attribution: attributionOfRelease(ports, later.id),
        },
      };
    },
  });
