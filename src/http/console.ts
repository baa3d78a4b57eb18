// The console's files, read into memory once: the page at `/`, and what it loads.
// Invariant: a file under a hashed name never changes and is kept for ever; the page is asked for
// anew each time; nothing is loaded from anywhere else.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { invariant } from "#base/invariant.ts";
import { type Page, page, type Route } from "./route/route.ts";
import { codingAsked } from "./server/content-coding.ts";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The one policy there is names the worker that judges exports (console/src/verifier).
  "trusted-types firstprint-verifier",
].join("; ");

const pageHeaders = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};
const fileHeaders = { "cache-control": "public, max-age=31536000, immutable" };

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

const built = new URL("../../console/dist/", import.meta.url);

/** None where the console is not built. */
export function consoleRoutes(folder: URL = built): readonly Route[] {
  if (!existsSync(new URL("index.html", folder))) return [];
  const names = readdirSync(fileURLToPath(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:br|gz)$/.test(entry.name))
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(fileURLToPath(folder).length))
    .map((name) => name.replace(/^\//, ""));
  return names.map((name) => routeOf(name, folder));
}

function routeOf(name: string, folder: URL): Route {
  const read = (ending: string): Buffer | undefined => {
    const path = new URL(`${name}${ending}`, folder);
    return existsSync(path) ? readFileSync(path) : undefined;
  };
  const bytes = read("");
  const contentType = types[name.slice(name.lastIndexOf(".") + 1)];
  invariant(bytes !== undefined && contentType !== undefined, `${name} is of a known type`);
  const isPage = name === "index.html";
  const headers = isPage ? pageHeaders : fileHeaders;
  const packed = { br: read(".br"), gzip: read(".gz") };
  const plain: Page = { contentType, bytes, headers };
  const [url, summary] = isPage ? ["/", "The console"] : [`/${name}`, "A file of the console"];
  return {
    ...page(url, summary, () => plain),
    handle: async (request) => {
      const coding = codingAsked(request.header("accept-encoding"));
      const coded = coding === "identity" ? undefined : packed[coding];
      if (coded === undefined) return plain;
      return { ...plain, bytes: coded, headers: { ...headers, "content-encoding": coding } };
    },
  };
}

/** A person's browser asks for the page of a screen by the screen's own address. */
export const isForPage = (method: string, path: string, accept: string): boolean =>
  (method === "GET" || method === "HEAD") &&
  !/^\/(?:api|assets)(?:\/|$)/.test(path) &&
  /(?:^|[,\s])text\/html(?:[;,\s]|$)/.test(accept);
