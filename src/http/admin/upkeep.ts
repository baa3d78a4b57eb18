// GET /api/admin/upkeep: the means to restore the exchange, and how far copies of its database are.
// Invariant: a thing that this node cannot see is null, and never zero.
import { Type } from "typebox";
import type { Upkeep } from "../ports.ts";
import { admin, nothing, type Route } from "../route/route.ts";

const Reached = Type.Object({
  sequence: Type.Integer({ description: "the last entry that it holds" }),
  entryTime: Type.String({ description: "when that entry was decided, ISO 8601" }),
});

const reached = (description: string) =>
  Type.Union([Reached, Type.Null()], { description: `${description}; null where there is none` });

const Copy = Type.Object({
  name: Type.String({ description: "as the copy names itself" }),
  state: Type.String({ description: "PostgreSQL's word: streaming, catchup, …" }),
  synchronous: Type.Boolean({ description: "whether commits wait for it" }),
  lagMillis: Type.Integer({ description: "from an entry here to the entry there" }),
});

export const showUpkeep = (ports: { upkeep(): Promise<Upkeep> }): Route =>
  admin.read({
    url: "/api/admin/upkeep",
    access: "admin:read",
    summary: "The last backup, snapshot and archive, and the copies of the database",
    cost: 2,
    params: nothing,
    query: nothing,
    data: Type.Object({
      lastBackupAt: Type.Union([Type.String(), Type.Null()], {
        description:
          "when the newest backup by `firstprint backup` from this node's folder began, " +
          "ISO 8601; null where there was none",
      }),
      snapshot: reached("the newest snapshot of the state"),
      archive: reached("the end of the archive"),
      copies: Type.Union([Type.Array(Copy), Type.Null()], {
        description:
          "replicas that stream from the database, which followers read; null where the " +
          "role that serves may not see them (GRANT pg_read_all_stats)",
      }),
    }),
    read: async () => {
      const { copies, ...kept } = await ports.upkeep();
      return { data: { ...kept, copies: copies === null ? null : [...copies] } };
    },
  });
