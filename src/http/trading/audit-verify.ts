// GET /api/audit/verify: recomputes the chain and the digests of all prints from stored bytes.
// Invariant: `valid` speaks of all that was durable when the walk began, and `checkedAt` says when;
// a break has its sequence. A request pays for the entries that nobody has proven before it.
import { Type } from "typebox";
import { nothing, type Route, trading } from "../route/route.ts";
import { nowSeconds, type TradingPorts } from "./ports.ts";

const ENTRIES_A_UNIT = 100;
/** A walk from the first entry is begun once a day, whoever asks. */
const MOST_UNITS = 100;

export const auditVerify = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/audit/verify",
    access: "read:portfolio",
    summary:
      "Says whether the whole audit chain and all first prints hold: recomputes what has come " +
      "since the last answer, and once a day all of it",
    costOf: () => Math.min(MOST_UNITS, Math.max(1, Math.ceil(ports.unproven() / ENTRIES_A_UNIT))),
    params: nothing,
    query: nothing,
    data: Type.Object({
      valid: Type.Boolean(),
      totalEntries: Type.Integer(),
      checkedAt: Type.Integer(),
      brokenAt: Type.Optional(Type.Integer()),
      reason: Type.Optional(Type.String()),
      head: Type.String(),
      size: Type.Integer(),
      stateHash: Type.String(),
      /** Their stored first prints are not those the chain accepted; `valid` is of the chain. */
      damagedReleases: Type.Array(Type.String()),
    }),
    read: async () => {
      const {
        checkedAt = nowSeconds(ports),
        damagedReleases,
        ...found
      } = await ports.verification();
      const { valid, totalEntries, brokenAt, reason, head, size, stateHash } = found;
      return {
        data: {
          valid,
          totalEntries,
          checkedAt,
          ...(brokenAt === undefined ? {} : { brokenAt }),
          ...(reason === undefined ? {} : { reason }),
          head,
          size,
          stateHash,
          damagedReleases: [...damagedReleases],
        },
      };
    },
  });
