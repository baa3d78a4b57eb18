// GET /api/releases: what the providers have published, newest first.
// Invariant: only what is durable is listed.
import { Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { ReleaseShape, showRelease } from "../release-shape.ts";
import { closed, nothing, publicData, type Route } from "../route.ts";
import { pageOf, pageQuery } from "./paging.ts";

export const listReleases = (ports: { readonly exchange: ExchangeView }): Route =>
  publicData.read({
    url: "/api/releases",
    access: "public",
    params: nothing,
    query: closed({ index: Type.Optional(Type.Enum([...indexKinds])), ...pageQuery }),
    data: Type.Array(ReleaseShape),
    read: ({ query }) => {
      const releases = [...ports.exchange.releases.values()]
        .filter(({ index }) => query.index === undefined || index === query.index)
        .reverse();
      const { items, siblings } = pageOf(releases, query);
      return { data: items.map(showRelease), siblings };
    },
  });
