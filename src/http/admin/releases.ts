// GET /api/admin/releases, /api/admin/releases/:id and /api/admin/releases/:id/diff.
// Invariant: both counts of a diff are over the same places and the same two months.
import { Type } from "typebox";
import { releaseId } from "#base/ids.ts";
import { formatMonth } from "#base/month.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { type AttributionPorts, attributionOfRelease } from "../attribution.ts";
import { invalidField, refuse } from "../errors.ts";
import type { ReleaseDesk } from "../ports.ts";
import { pageOf, pageQuery, pageSiblings } from "../public/paging.ts";
import { ReleaseShape, showRelease } from "../release-shape.ts";
import { admin, closed, nothing, type Route } from "../route.ts";

const IdParams = Type.Object({ id: Type.String() });

const noRelease = () => refuse("NOT_FOUND", { message: "No such release" });

/** Newest first. */
export const listAllReleases = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.read({
    url: "/api/admin/releases",
    access: "operator",
    summary: "Releases of every provider, newest first",
    params: nothing,
    query: closed(pageQuery),
    data: Type.Array(ReleaseShape),
    siblings: pageSiblings,
    read: ({ query }) => {
      const releases = [...ports.exchange.releases.values()].reverse();
      const { items, siblings } = pageOf(releases, query);
      return { data: items.map(showRelease), siblings };
    },
  });

export const showOneRelease = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.read({
    url: "/api/admin/releases/:id",
    access: "operator",
    summary: "One release",
    params: IdParams,
    query: nothing,
    data: ReleaseShape,
    read: ({ params }) => {
      const release = ports.exchange.releases.get(releaseId(params.id));
      return release === undefined ? noRelease() : { data: showRelease(release) };
    },
  });

const DEFAULT_FALL_BPS = 200;

/** What a rescaled history does: falls between raw first prints against those in the chain. */
export const diffReleases = (ports: AttributionPorts & { readonly releases: ReleaseDesk }): Route =>
  admin.read({
    url: "/api/admin/releases/:id/diff",
    access: "operator",
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
