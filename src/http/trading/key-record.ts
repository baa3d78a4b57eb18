// A trading key as its account sees it.
// Invariant: the secret is in the answer that made the key and in no other.
import { type Static, Type } from "typebox";
import { adminPermissions, type Key, permissions } from "#core/records.ts";

const allPermissions = [...permissions, ...adminPermissions];

export const PermissionName = Type.Enum(allPermissions, {
  description: `one of ${allPermissions.join(", ")}; admin: operators' alone`,
});

export const KeyRecord = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    prefix: Type.String(),
    permissions: Type.Array(PermissionName),
    rateLimit: Type.Integer(),
    createdAt: Type.Integer(),
    lastUsed: Type.Union([Type.Integer(), Type.Null()]),
    expiresAt: Type.Union([Type.Integer(), Type.Null()]),
    secret: Type.Optional(Type.String()),
  },
  { title: "TradingKey" },
);

export const keyRecord = (key: Key, lastUsed: number | null): Static<typeof KeyRecord> => ({
  id: key.id,
  label: key.label,
  prefix: key.prefix,
  permissions: [...key.permissions],
  rateLimit: key.ratePerMinute,
  createdAt: key.createdAtSeconds,
  lastUsed,
  expiresAt: key.expiresAtSeconds,
});
