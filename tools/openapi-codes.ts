// The refusals a route can answer with: its own, and those that come with its kind.
// Invariant: a code that a route answers with is in its list; the tests of the surface see to it.

import { type ErrorCode, engineRefusals } from "#http/route/errors.ts";
import type { Route } from "#http/route/route.ts";
import { isForLeader } from "#http/server/admission.ts";
import { isOperatorAccess } from "#http/server/auth.ts";

/** In the order of the checks, each once. */
export function codesOf(route: Route): readonly ErrorCode[] {
  const codes: ErrorCode[] = [
    "INVALID_REQUEST",
    "UNAUTHENTICATED",
    "MISDIRECTED_REQUEST",
    "RATE_LIMITED",
  ];
  codes.push(...accessCodes(route), "STORAGE_UNAVAILABLE", "INTERNAL");
  codes.push("NODE_BEHIND");
  if (isForLeader(route)) codes.push("LEADER_ONLY");
  if (route.cost !== 0) codes.push("NOT_LEADER");
  if (Object.keys(route.schemas.params.properties).length > 0) codes.push("NOT_FOUND");
  if (takesBody(route)) codes.push("REQUEST_TIMEOUT", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  if (route.method !== "GET") codes.push(...engineRefusals, "EXCHANGE_FULL", "OUTCOME_UNKNOWN");
  if (route.method !== "GET" && route.surface === "trading") codes.push("REQUEST_EXPIRED");
  return [...new Set([...codes, ...route.refusals])];
}

export const takesBody = ({ method }: Route): boolean => method !== "GET";

function accessCodes({ access }: Route): readonly ErrorCode[] {
  switch (access) {
    case "public":
    case "root":
      return [];
    default:
      return isOperatorAccess(access)
        ? ["NOT_OPERATOR", "ACCOUNT_HALTED", "ROOT_OFF", "PERMISSION_DENIED"]
        : ["PERMISSION_DENIED"];
  }
}
