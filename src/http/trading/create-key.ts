// POST /api/trading/keys: a further key for the caller's account, never wider than its maker.
// Invariant: the secret leaves the server once; a replayed answer comes without it.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { invalidField } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { KeyRecord, keyRecord, PermissionName } from "./key-record.ts";
import { nowSeconds, type TradingPorts } from "./ports.ts";

const DAY_SECONDS = 86_400;

const Body = closed({
  label: Type.String({ minLength: 1, maxLength: 100, description: "text of 1 to 100 characters" }),
  permissions: Type.Array(PermissionName, { minItems: 1, uniqueItems: true }),
  rateLimit: Type.Optional(
    Type.Integer({ minimum: 1, description: "a whole number of requests a minute, at least 1" }),
  ),
  expiresInDays: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 365, description: "a whole number of days, 1 to 365" }),
  ),
});

export const createKey = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/keys",
    access: "manage:custody",
    summary: "Makes a further key for the caller's account",
    refusals: ["KEY_ESCALATION", "KEY_LIMIT"],
    params: nothing,
    body: Body,
    data: KeyRecord,
    toCommand: ({ body }) => {
      const { label, permissions, rateLimit, expiresInDays } = body;
      const most = ports.maxKeyRatePerMinute;
      if (rateLimit !== undefined && rateLimit > most) {
        return invalidField("rateLimit", `must be at most ${most}`);
      }
      const { secret, prefix, digest } = ports.newSecret();
      const expiresAtSeconds =
        expiresInDays === undefined ? null : nowSeconds(ports) + expiresInDays * DAY_SECONDS;
      const key = {
        label,
        prefix,
        digest,
        permissions,
        ratePerMinute: rateLimit ?? null,
        expiresAtSeconds,
      };
      return { command: { type: "CreateKey", key }, secret };
    },
    render: ({ events, secret }) => {
      const made = events.findLast((event) => event.type === "KeyChanged");
      invariant(made !== undefined, "a new key is an event");
      const shown = secret === undefined ? {} : { secret };
      return { data: { ...keyRecord(made.key, null), ...shown } };
    },
  });
