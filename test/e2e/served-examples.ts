// The reference that an exchange serves names what that exchange holds: every example of it works.
// Invariant: each read is asked as the reference shows it, and gives something where it may.
import { at, type ExchangeClient, type Json, listAt, textAt } from "#test/support/exchange.ts";

interface Operation {
  readonly path: string;
  readonly security: readonly Json[];
  readonly parameters: readonly Json[];
  readonly isStream: boolean;
}

function getOperations(document: Json): readonly Operation[] {
  return Object.entries(Object(at(document, "paths"))).flatMap(([path, methods]) => {
    const operation = at(methods, "get");
    if (operation === undefined) return [];
    return {
      path,
      security: listAt(operation, "security"),
      parameters: listAt({ list: at(operation, "parameters") ?? [] }, "list"),
      isStream: at(operation, "responses", "200", "content", "text/event-stream") !== undefined,
    };
  });
}

function requestOf({ path, parameters }: Operation): string {
  let filled = path;
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    const name = textAt(parameter, "name");
    const example = at(parameter, "example");
    if (at(parameter, "in") === "path") filled = filled.replace(`{${name}}`, String(example));
    if (at(parameter, "in") === "query" && example !== undefined) query.set(name, String(example));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

interface Secrets {
  /** The demo account is no operator. */
  readonly demoKey: string;
  readonly admin: string;
}

function credentialOf(
  { security }: Operation,
  { demoKey, admin }: Secrets,
): Record<string, string> {
  const schemes = security.flatMap((one) => Object.keys(Object(one)));
  if (schemes.includes("adminSecret")) return { "x-admin-secret": admin };
  return schemes.includes("bearer") ? { authorization: `Bearer ${demoKey}` } : {};
}

/**
 * Its trader has no alert, has accepted no quote and set no mandate; no public key, no place that
 * is held, nobody is in default, no market is settled in cash, and no command waits for a second
 * person: root founds alone.
 */
const maybeEmpty: ReadonlySet<string> = new Set([
  "/api/liquidity/alerts",
  "/api/trading/acceptances",
  "/api/dev/api-keys",
  "/api/admin/downloads",
  "/api/admin/held-places",
  "/api/admin/queue",
  "/api/admin/surveillance",
  "/api/admin/surveillance/holders",
  "/api/admin/proposals",
  "/api/trading/auctions",
  "/api/trading/groups",
  "/api/trading/mandates",
  "/api/trading/marks",
  "/api/trading/rfqs",
  "/api/trading/webhooks",
]);
/** Of these the reference gives no example, as there is none to name. */
const maybeUnheld: ReadonlySet<string> = new Set([
  "/api/trading/acceptances/{acceptanceId}",
  "/api/trading/mandates/{mandateId}",
  "/api/trading/mandates/{mandateId}/usage",
  "/api/trading/orders/by-client-id/{clientOrderId}",
  "/api/trading/rfqs/{rfqId}",
  "/api/trading/webhooks/{webhookId}",
  "/api/trading/webhooks/{webhookId}/deliveries",
]);

/** Of every read of the reference that it serves. */
export async function failuresOf(
  exchange: ExchangeClient,
  secrets: Secrets,
): Promise<readonly string[]> {
  const document: Json = await (await fetch(`${exchange.url}/api/docs/openapi.json`)).json();
  const failures: string[] = [];
  for (const operation of getOperations(document)) {
    const address = `${exchange.url}${requestOf(operation)}`;
    const end = new AbortController();
    const response = await fetch(address, {
      headers: credentialOf(operation, secrets),
      signal: end.signal,
    });
    const text = operation.isStream ? "" : await response.text();
    end.abort();
    const isUnheld = maybeUnheld.has(operation.path);
    if (response.status !== 200 && !isUnheld) failures.push(`${requestOf(operation)}: ${text}`);
    if (/"data":\[\]/.test(text) && !maybeEmpty.has(operation.path)) {
      failures.push(`${requestOf(operation)} gives nothing`);
    }
  }
  return failures;
}
