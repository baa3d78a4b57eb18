// The gate before every handler: authentication, then rate, then permission; first failure answers.
// Invariant: what passes has a caller its route admits; refusals that matter reach the audit.
import type { Actor } from "#core/command.ts";
import type { Engine } from "#engine/engine.ts";
import { type Authority, type CredentialHeaders, forbidden, identify } from "./auth.ts";
import type { Problem } from "./errors.ts";
import type { KeyUse } from "./key-use.ts";
import type { Origin, OriginFinder } from "./origin.ts";
import { burstOf, type RateLimiter, type RatePolicy, rateHeaders } from "./rate-limit.ts";
import type { RefusalCounts } from "./refusal-counts.ts";
import type { Access, Caller, Route } from "./route.ts";
import type { SecretAttempts } from "./secret-attempts.ts";

export interface GateParts {
  readonly authority: Authority;
  readonly engine: Pick<Engine, "submit">;
  readonly origins: OriginFinder;
  readonly limiter: RateLimiter;
  readonly attempts: SecretAttempts;
  readonly keyUse: KeyUse;
  readonly refusalCounts: RefusalCounts;
  readonly publicRatePerMinute: number;
  readonly rootRatePerMinute: number;
  nowMillis(): number;
}

/** A minute with a public key that has no rate of its own; never less than without a key. */
const PUBLIC_KEY_RATE = 600;

/** A minute for this machine's own callers, all together; never less than for any other address. */
const LOOPBACK_RATE = 6_000;

/** Wrong admin secrets an address may send in a minute. */
export const SECRET_ATTEMPTS_PER_MINUTE = 30;

/** A request as the gate sees it; `route` is undefined where the path leads nowhere. */
interface Arrival {
  readonly route: Route | undefined;
  readonly credentials: CredentialHeaders;
  readonly origin: Origin;
  readonly requestId: string;
}

export type Passage = (
  | {
      readonly caller: Caller;
      /** Whose requests are counted together: an address, or a key. */
      readonly bucket: string;
    }
  | { readonly problem: Problem }
) & {
  /** Of the rate limit, for whatever is answered. */
  readonly headers: Readonly<Record<string, string>>;
};

export async function admit(arrival: Arrival, parts: GateParts): Promise<Passage> {
  const { route, credentials, origin } = arrival;
  const access = route?.access ?? "public";
  const identified = identify(credentials, access, parts.authority);
  const caller = "caller" in identified ? identified.caller : undefined;
  const wrongSecret = "wrongSecret" in identified && identified.wrongSecret;
  if (wrongSecret) await auditSecret(origin.network, arrival.requestId, parts);

  const policy = policyOf(caller, route, wrongSecret, origin, parts);
  const verdict = parts.limiter.charge(policy, route?.cost ?? 1);
  const headers = rateHeaders(policy, verdict);
  if (!verdict.allowed) {
    const retryAfterSeconds = verdict.retryAfterSeconds;
    return { problem: { code: "RATE_LIMITED", retryAfterSeconds }, headers };
  }
  if ("problem" in identified) return { problem: identified.problem, headers };
  if (identified.caller.type === "key") {
    parts.keyUse.note(identified.caller.key.id, parts.authority.nowSeconds());
  }

  const problem = forbidden(identified.caller, access, parts.authority);
  if (problem === undefined) {
    return { caller: identified.caller, bucket: policy.bucket, headers };
  }
  await auditRefusal(identified.caller, problem, arrival, parts);
  return { problem, headers };
}

/** Cancels have a bucket of their own: whoever spent a key's rate can still get out. */
export const isCancelAccess = (access: Access): boolean => access === "cancel:orders";

function policyOf(
  caller: Caller | undefined,
  route: Route | undefined,
  wrongSecret: boolean,
  origin: Origin,
  parts: GateParts,
): RatePolicy {
  if (wrongSecret) {
    const bucket = `admin-secret ${origin.network}`;
    return { name: "admin-secret", bucket, ratePerMinute: SECRET_ATTEMPTS_PER_MINUTE };
  }
  if (caller?.type === "root") {
    return { name: "root", bucket: "root", ratePerMinute: parts.rootRatePerMinute };
  }
  const anonymous = addressPolicy(origin, parts.publicRatePerMinute);
  const own = keyPolicy(caller, route?.access ?? "public", parts);
  if (own === undefined) return anonymous;
  if (route?.access !== "public") return own;
  // Where no key is needed, a key of a low rate would be a reason to leave it out.
  if (own.ratePerMinute < anonymous.ratePerMinute) return anonymous;
  return { ...own, leastBurst: burstOf(anonymous) };
}

function keyPolicy(
  caller: Caller | undefined,
  access: Access,
  { publicRatePerMinute }: GateParts,
): RatePolicy | undefined {
  if (caller?.type === "key") {
    const { id, ratePerMinute } = caller.key;
    const name = isCancelAccess(access) ? "cancel" : "key";
    return { name, bucket: `${name} ${id}`, ratePerMinute };
  }
  if (caller?.type !== "publicKey") return undefined;
  const { id } = caller.key;
  const ratePerMinute = caller.key.ratePerMinute ?? publicKeyRate(publicRatePerMinute);
  return { name: "key", bucket: `public key ${id}`, ratePerMinute };
}

/** What a public key without a rate of its own is given. */
export const publicKeyRate = (publicRatePerMinute: number): number =>
  Math.max(PUBLIC_KEY_RATE, publicRatePerMinute);

/** What callers on this machine are given together. */
export const loopbackRate = (publicRatePerMinute: number): number =>
  Math.max(LOOPBACK_RATE, publicRatePerMinute);

/** For what is no request yet: it costs its address like any other. Gives the headers to answer. */
export function chargeStranger(
  origin: Origin,
  { limiter, publicRatePerMinute }: Pick<GateParts, "limiter" | "publicRatePerMinute">,
): Readonly<Record<string, string>> {
  const policy = addressPolicy(origin, publicRatePerMinute);
  return rateHeaders(policy, limiter.charge(policy, 1));
}

const addressPolicy = ({ network, isLocal }: Origin, publicRate: number): RatePolicy => ({
  name: isLocal ? "loopback" : "ip",
  bucket: isLocal ? "ip loopback" : `ip ${network}`,
  ratePerMinute: isLocal ? loopbackRate(publicRate) : publicRate,
});

/** The refusal stands whatever becomes of its entry; waiting only keeps the entry ahead of it. */
async function auditRefusal(
  caller: Caller,
  problem: Problem,
  { route, requestId }: Arrival,
  { engine }: GateParts,
): Promise<void> {
  const { code } = problem;
  if (!("actor" in caller) || route === undefined) return;
  if (code !== "PERMISSION_DENIED" && code !== "NOT_OPERATOR") return;
  const operation = `${route.method} ${route.url}`;
  await engine.submit({
    actor: caller.actor,
    command: { type: "RecordRefusal", code, operation, count: 1 },
    requestId,
    idempotency: null,
  });
}

async function auditSecret(network: string, requestId: string, parts: GateParts): Promise<void> {
  const count = parts.attempts.note(network, parts.nowMillis());
  if (count > 0) await enterSecretAttempts(parts.engine, network, count, requestId);
}

const system: Actor = { type: "system" };

/** Nobody is known behind a wrong secret: the exchange itself reports it. */
export async function enterSecretAttempts(
  engine: Pick<Engine, "submit">,
  network: string,
  count: number,
  requestId: string,
): Promise<void> {
  const operation = `x-admin-secret from ${network}`;
  await engine.submit({
    actor: system,
    command: { type: "RecordRefusal", code: "UNAUTHENTICATED", operation, count },
    requestId,
    idempotency: null,
  });
}
