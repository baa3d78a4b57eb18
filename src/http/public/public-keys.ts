// GET /api/dev/api-keys and DELETE /api/dev/api-keys/:id: the public keys there are, and their end.
// Invariant: only the admin secret reaches them; a list never holds a key, only its record.
import { type Static, Type } from "typebox";
import { publicKeyId } from "#base/ids.ts";
import type { PublicKey } from "#core/records.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { nothing, type Route, rootOnly } from "../route/route.ts";
import { Done, done } from "../trading/done.ts";

interface PublicKeyPorts {
  readonly exchange: Pick<ExchangeView, "publicKeys">;
}

const Instant = Type.Union([Type.String(), Type.Null()]);

const ListedKey = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    scopes: Type.Union([Type.Array(Type.String()), Type.Null()]),
    rateLimit: Type.Union([Type.Integer(), Type.Null()]),
    createdAt: Type.String(),
    expiresAt: Instant,
    revokedAt: Instant,
  },
  { title: "PublicKey" },
);

export const listPublicKeys = (ports: PublicKeyPorts): Route =>
  rootOnly.read({
    url: "/api/dev/api-keys",
    access: "root",
    summary: "Every key of the public surface, in the order they were issued",
    params: nothing,
    query: nothing,
    data: Type.Array(ListedKey),
    read: () => ({ data: ports.exchange.publicKeys.map(listed) }),
  });

export const revokePublicKey = (): Route =>
  rootOnly.write({
    method: "DELETE",
    url: "/api/dev/api-keys/:id",
    access: "root",
    summary: "Revokes a key of the public surface, for good",
    refusals: ["KEY_NOT_FOUND"],
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    body: nothing,
    data: Done,
    toCommand: ({ params }) => ({
      command: { type: "RevokePublicKey", publicKeyId: publicKeyId(params.id.toLowerCase()) },
    }),
    render: () => done,
  });

const listed = (key: PublicKey): Static<typeof ListedKey> => ({
  id: key.id,
  label: key.label,
  scopes: key.scopes === null ? null : [...key.scopes],
  rateLimit: key.ratePerMinute,
  createdAt: instantOf(key.createdAtSeconds),
  expiresAt: key.expiresAtSeconds === null ? null : instantOf(key.expiresAtSeconds),
  revokedAt: key.revokedAtSeconds === null ? null : instantOf(key.revokedAtSeconds),
});

const instantOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
