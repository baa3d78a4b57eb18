// POST /api/dev/api-keys: a key for the public surface, issued by whoever holds the admin secret.
// Invariant: the key leaves the server once; what is kept is its HMAC, and a replay comes without.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import type { Engine } from "#engine/engine.ts";
import { invalidField } from "../route/errors.ts";
import { closed, nothing, type Route, rootOnly } from "../route/route.ts";
import type { NewSecret } from "../server/key-codec.ts";

export interface IssueKeyPorts {
  readonly engine: Pick<Engine, "status">;
  newPublicSecret(): NewSecret;
  /** The most a key may be given. */
  readonly maxKeyRatePerMinute: number;
}

const DAY_SECONDS = 86_400;

const Scope = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9:._-]{0,63}$",
  description: "a word of 1 to 64 letters, digits or : . _ -",
});

const Body = closed({
  label: Type.String({ minLength: 1, maxLength: 100, description: "text of 1 to 100 characters" }),
  scopes: Type.Optional(Type.Array(Scope, { maxItems: 20, uniqueItems: true })),
  rateLimit: Type.Optional(
    Type.Integer({ minimum: 1, description: "a whole number of requests a minute, at least 1" }),
  ),
  expiresInDays: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 365, description: "a whole number of days, 1 to 365" }),
  ),
});

const IssuedKey = Type.Object(
  {
    key: Type.Optional(Type.String()),
    id: Type.String(),
    label: Type.String(),
    scopes: Type.Union([Type.Array(Type.String()), Type.Null()]),
    rateLimit: Type.Union([Type.Integer(), Type.Null()]),
    expiresAt: Type.Union([Type.String(), Type.Null()]),
  },
  { title: "IssuedPublicKey" },
);

export const issuePublicKey = (ports: IssueKeyPorts): Route =>
  rootOnly.write({
    method: "POST",
    url: "/api/dev/api-keys",
    access: "root",
    summary: "Issues a key for the public surface",
    params: nothing,
    body: Body,
    data: IssuedKey,
    toCommand: ({ body }) => {
      const { label, scopes = null, rateLimit = null, expiresInDays } = body;
      const most = ports.maxKeyRatePerMinute;
      if (rateLimit !== null && rateLimit > most) {
        return invalidField("rateLimit", `must be at most ${most}`);
      }
      const { secret, digest } = ports.newPublicSecret();
      const nowSeconds = Math.floor(ports.engine.status().engineTimeMillis / 1000);
      const expiresAtSeconds =
        expiresInDays === undefined ? null : nowSeconds + expiresInDays * DAY_SECONDS;
      const key = { label, digest, scopes, ratePerMinute: rateLimit, expiresAtSeconds };
      return { command: { type: "IssuePublicKey", key }, secret };
    },
    render: ({ events, secret }) => {
      const issued = events.find((event) => event.type === "PublicKeyChanged");
      invariant(issued !== undefined, "an issued key is an event");
      const { id, label, scopes, ratePerMinute, expiresAtSeconds } = issued.key;
      return {
        data: {
          ...(secret === undefined ? {} : { key: secret }),
          id,
          label,
          scopes: scopes === null ? null : [...scopes],
          rateLimit: ratePerMinute,
          expiresAt:
            expiresAtSeconds === null ? null : new Date(expiresAtSeconds * 1000).toISOString(),
        },
      };
    },
  });
