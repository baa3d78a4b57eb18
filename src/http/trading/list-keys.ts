// GET /api/trading/keys: the account's keys that are not revoked, in the order they were made.
// Invariant: no secret, and nobody else's key.
import { Type } from "typebox";
import { nothing, type Route, trading } from "../route/route.ts";
import { KeyRecord, keyRecord } from "./key-record.ts";
import type { TradingPorts } from "./ports.ts";

export const listKeys = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/keys",
    // When a key was last used is not in the journal.
    isForLeader: true,
    access: "read:portfolio",
    summary: "The account's keys that are not revoked",
    params: nothing,
    query: nothing,
    data: Type.Array(KeyRecord),
    read: ({ caller }) => ({
      data: ports.view
        .keysOf(caller.account.id)
        .filter((key) => key.revokedAtSeconds === null)
        .map((key) => keyRecord(key, ports.keyUse.lastSeconds(key.id))),
    }),
  });
