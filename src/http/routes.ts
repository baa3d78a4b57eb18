// Every route there is, in one list: what is not in it does not exist.
// Invariant: no two routes answer the same method and path; a path names at most one handler.
import { invariant } from "#base/invariant.ts";
import type { Route } from "./route/route.ts";

export function assembleRoutes(...groups: readonly (readonly Route[])[]): readonly Route[] {
  const routes = groups.flat();
  const seen = new Set<string>();
  for (const { method, url } of routes) {
    const place = `${method} ${url.replaceAll(/:[A-Za-z]+/g, ":")}`;
    invariant(!seen.has(place), `one route answers ${place}`);
    seen.add(place);
  }
  return routes;
}

/**
 * The routes for operators and for leaving: the operator's surface, cancels, and the node's health.
 */
export const operatorSide = (routes: readonly Route[]): readonly Route[] =>
  routes.filter(
    ({ surface, access, url }) =>
      surface === "admin" || access === "cancel:orders" || /^\/api\/(?:status|health\/)/.test(url),
  );

/** Matches the paths that a route's url stands for. */
export const pathForm = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/:[A-Za-z]+/g, "[^/]+")}$`);

/** The methods that some route takes at a path; empty when the path leads nowhere. */
export class PathMethods {
  readonly #patterns: readonly { readonly form: RegExp; readonly method: string }[];

  constructor(routes: readonly Route[]) {
    this.#patterns = routes.flatMap(({ method, url }) => {
      const form = pathForm(url);
      const own = { form, method };
      return method === "GET" ? [own, { form, method: "HEAD" }] : [own];
    });
  }

  allowed(path: string): readonly string[] {
    return this.#patterns.filter(({ form }) => form.test(path)).map(({ method }) => method);
  }
}
