// GET /api/admin/refusals: how many requests were refused since this node started, by code.
// Invariant: what the audit trail does not keep (malformed requests, wrong paths) is counted here.
import { Type } from "typebox";
import { admin, nothing, type Route } from "../route/route.ts";
import type { RefusalCounts } from "../server/refusal-counts.ts";

export const showRefusals = (ports: { readonly refusalCounts: RefusalCounts }): Route =>
  admin.read({
    url: "/api/admin/refusals",
    access: "admin:read",
    summary: "How many requests were refused since this node started, by code",
    params: nothing,
    query: nothing,
    data: Type.Object({
      total: Type.Integer(),
      byCode: Type.Record(Type.String(), Type.Integer()),
    }),
    read: () => {
      const { byCode } = ports.refusalCounts;
      const total = Object.values(byCode).reduce((sum, count) => sum + count, 0);
      return { data: { total, byCode } };
    },
  });
