// GET /api/releases and /api/releases/:id: what the providers have published, newest first.
// Invariant: only what is durable is listed.
import { Type } from "typebox";
import { releaseId } from "#base/ids.ts";
import { indexKinds } from "#base/index-kind.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { ReleaseShape, showRelease } from "../records/release.ts";
import { refuse } from "../route/errors.ts";
import { closed, nothing, publicData, type Route } from "../route/route.ts";
import { pageOf, pageQuery, pageSiblings } from "./paging.ts";

export const listReleases = (ports: { readonly exchange: ExchangeView }): Route =>
  publicData.read({
    url: "/api/releases",
    access: "public",
    summary: "Releases of every provider, newest first",
    params: nothing,
    query: closed({ index: Type.Optional(Type.Enum([...indexKinds])), ...pageQuery }),
    data: Type.Array(ReleaseShape),
    siblings: pageSiblings,
    read: ({ query }) => {
      const releases = [...ports.exchange.releases.values()]
        .filter(({ index }) => query.index === undefined || index === query.index)
        .reverse();
      const { items, siblings } = pageOf(releases, query);
      return { data: items.map(showRelease), siblings };
    },
  });

export const showPublicRelease = (ports: { readonly exchange: ExchangeView }): Route =>
  publicData.read({
    url: "/api/releases/:id",
    access: "public",
    summary: "One release",
    params: Type.Object({ id: Type.String() }),
    query: nothing,
    data: ReleaseShape,
    read: ({ params }) => {
      const release = ports.exchange.releases.get(releaseId(params.id.toLowerCase()));
      if (release === undefined) return refuse("NOT_FOUND", { message: "No such release" });
      return { data: showRelease(release) };
    },
  });
