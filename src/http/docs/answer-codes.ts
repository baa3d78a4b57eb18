// Which refusals a route can answer with: its own, and those that come with what it is.
// Invariant: a code that a route answers with is in its list; the tests of the surface hold it to it.
import { type ErrorCode, engineRefusals } from "../errors.ts";
import type { Route } from "../route.ts";

/** In the order of the checks, each once. */
export function codesOf(route: Route): readonly ErrorCode[] {
  const codes: ErrorCode[] = ["INVALID_REQUEST"];
  if (route.surface === "page") return codes;
  codes.push("UNAUTHENTICATED", "RATE_LIMITED", ...accessCodes(route), "INTERNAL");
  if (Object.keys(route.schemas.params.properties).length > 0) codes.push("NOT_FOUND");
  if (takesBody(route)) codes.push("REQUEST_TIMEOUT", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  if (route.method !== "GET") codes.push(...engineRefusals, "OUTCOME_UNKNOWN");
  return [...new Set([...codes, ...route.refusals])];
}

export const takesBody = ({ method }: Route): boolean => method !== "GET";

function accessCodes({ access }: Route): readonly ErrorCode[] {
  switch (access) {
    case "public":
    case "root":
      return [];
    case "operator":
      return ["NOT_OPERATOR"];
    default:
      return ["PERMISSION_DENIED"];
  }
}
