// The permissions an operator may put into a key it gives: none beyond its own key's.
// Invariant: no key of a trader or an auditor holds an operator's permission.
import { isAdminPermission, type Permission, permissions, type Role } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { Step } from "../step.ts";

/** Of an account's first key: every permission of its own affairs, and the operator's given. */
export const firstPermissions = (
  role: Role,
  given: readonly Permission[],
): readonly Permission[] =>
  role === "operator" ? [...permissions, ...given.filter(isAdminPermission)] : permissions;

export const permissionsFor = (role: Role, given: readonly Permission[]): readonly Permission[] =>
  role === "operator" ? given : given.filter((one) => !isAdminPermission(one));

/** An auditor sees what `admin:read` lets an operator see. */
export function refuseBeyondGiver(
  { state, actor }: Step,
  role: Role,
  given: readonly Permission[],
): Rejection | undefined {
  if (actor.type !== "key" || role === "trader") return undefined;
  const held = state.keys.get(actor.keyId)?.permissions ?? [];
  const asked = role === "auditor" ? (["admin:read"] as const) : given.filter(isAdminPermission);
  const isHeld = asked.every((permission) => held.includes(permission));
  return isHeld ? undefined : reject("KEY_ESCALATION", { limit: "permissions" }, "permissions");
}
