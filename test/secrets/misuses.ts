// A secret sent where it does not belong: as a mistaken client, or a person in a hurry, would.
// Invariant: no two of them put it in the same place.

import type { Route } from "#http/route/route.ts";
import { isOperatorAccess } from "#http/server/auth.ts";
import { keyKind } from "#http/server/key-codec.ts";
import { about, type Sample, sampleOf } from "#test/http/samples.ts";
import { ADMIN_SECRET } from "#test/support/exchange.ts";

export interface Asked {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Sends the secret as the credential of another kind, or not whole, or not as one is sent. */
const credentialsFrom = (secret: string): readonly (readonly [string, string, string])[] => [
  ["as Basic", "authorization", `Basic ${Buffer.from(`me:${secret}`).toString("base64")}`],
  ["as a token", "authorization", `Token ${secret}`],
  ["bare", "authorization", secret],
  ["in quotes", "authorization", `Bearer "${secret}"`],
  ["cut off", "authorization", `Bearer ${secret.slice(0, -5)}`],
  ["with a typo", "authorization", `Bearer ${secret.slice(0, -9)}x${secret.slice(-8)}`],
  ["twice over", "authorization", `Bearer ${secret}${secret}`],
  ["as another's", "x-api-key", secret],
  ["as the operator's", "x-admin-secret", secret],
  ["as the operator's with a typo", "x-admin-secret", `${secret.slice(0, -1)}-`],
];

/** Headers that proxies and clients add. */
const strayHeaders = [
  ...["cookie", "x-token", "user-agent", "referer", "x-request-id", "x-forwarded-for", "origin"],
  ...["accept", "idempotency-key", "last-event-id", "if-none-match", "traceparent", "via"],
] as const;

/** An Idempotency-Key is kept as it is sent; only a key of ours is known there, and refused. */
const mayHold =
  (secret: string) =>
  (header: string): boolean =>
    header !== "idempotency-key" || keyKind(secret) !== undefined;

/** Requests of one route that carry a secret in the wrong place. */
export function misuses(route: Route, secret: string, key: string): readonly Asked[] {
  const sample = sampleOf(route);
  const credential: Record<string, string> =
    isOperatorAccess(route.access) || route.access === "root"
      ? { "x-admin-secret": ADMIN_SECRET }
      : { authorization: `Bearer ${key}` };
  const sound = asked(route, sample, credential);
  const separator = sound.path.includes("?") ? "&" : "?";
  return [
    ...credentialsFrom(secret).map(([what, name, value]) => ({
      ...asked(route, sample, { [name]: value }),
      what,
    })),
    ...strayHeaders.filter(mayHold(secret)).map((name) => ({
      ...asked(route, sample, { ...credential, [name]: secret }),
      what: `in ${name}`,
    })),
    { ...sound, path: `${sound.path}${separator}key=${secret}`, what: "in the query" },
    { ...sound, path: `${sound.path}${separator}${secret}=1`, what: "as a name in the query" },
    {
      ...asked(route, { ...sample, params: everywhere(sample.params, secret) }, credential),
      what: "in the path",
    },
    ...inBodies(route, sample, secret, credential),
  ];
}

const everywhere = (record: Readonly<Record<string, string>>, text: string) =>
  Object.fromEntries(Object.keys(record).map((name) => [name, text]));

function inBodies(
  route: Route,
  sample: Sample,
  secret: string,
  credential: Readonly<Record<string, string>>,
): readonly Asked[] {
  if (route.method === "GET" || sample.contentType === "text/csv") return [];
  const bodies: readonly (readonly [string, unknown])[] = [
    ["as a name in the body", { [secret]: "1" }],
    ["as a name of a name", { [secret]: { ["__proto__"]: 1, constructor: 2 } }],
    ["under a number that is none", { [secret]: 1 }],
    ["as the body", secret],
    ["in a list", [secret]],
  ];
  return [
    ...bodies.map(([what, body]) => ({ ...asked(route, { ...sample, body }, credential), what })),
    { ...asked(route, sample, credential), body: `{"key":"${secret}`, what: "in a broken body" },
  ];
}

/** Where a text of the caller's own belongs: what is kept for ever, or given back. */
export function pasted(route: Route, secret: string, headers: Asked["headers"]): readonly Asked[] {
  const sample = sampleOf(route);
  const query = asked(route, { ...sample, query: everywhere(sample.query, secret) }, headers);
  const inQuery = query.path.includes(secret) ? [{ ...query, what: "in the query" }] : [];
  if (route.method === "GET" || sample.contentType !== "application/json") return inQuery;
  const names = ["label", "name", "memo", "reason", "evidence", "clientOrderId", "address"];
  const more = typeof sample.body === "object" ? sample.body : {};
  const all = [
    {
      ...asked(
        route,
        about(sample, () => secret),
        headers,
      ),
      what: "in every text",
    },
    ...names.map((name) => ({
      ...asked(route, { ...sample, body: { ...more, [name]: `see ${secret}.` } }, headers),
      what: `in ${name}`,
    })),
  ];
  return all.filter(({ body }) => body?.includes(secret) === true);
}

function asked(
  route: Route,
  { params, query, body, contentType }: Sample,
  headers: Asked["headers"],
) {
  const path = route.url.replaceAll(/:([A-Za-z]+)/g, (_all, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const search = new URLSearchParams(query).toString();
  const hasBody = route.method !== "GET" && body !== undefined;
  return {
    what: "as it is",
    method: route.method,
    path: search === "" ? path : `${path}?${search}`,
    headers: hasBody ? { "content-type": contentType ?? "application/json", ...headers } : headers,
    body: hasBody
      ? typeof body === "string" && contentType === "text/csv"
        ? body
        : JSON.stringify(body)
      : undefined,
  };
}
