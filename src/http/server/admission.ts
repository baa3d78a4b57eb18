// Admission, before every handler: authentication, rate, then permission; first failure answers.
// Invariant: what passes has a caller its route admits; refusals that matter reach the audit.
import { invariant } from "#base/invariant.ts";
import type { Actor } from "#core/command.ts";
import type { Engine, Privacy } from "#engine/engine.ts";
import type { Problem } from "../route/errors.ts";
import type { Access, Caller, Route } from "../route/route.ts";
import {
  type Authority,
  type CredentialHeaders,
  forbidden,
  identify,
  isOperatorAccess,
  takesSecret,
} from "./auth.ts";
import type { HostList } from "./hosts.ts";
import type { KeyUse } from "./key-use.ts";
import type { Origin, OriginFinder } from "./origin.ts";
import {
  burstOf,
  type RateLimiter,
  type RatePolicy,
  type RateVerdict,
  rateHeaders,
} from "./rate-limit.ts";
import type { RefusalCounts } from "./refusal-counts.ts";
import { type SecretAttempts, secretPolicy } from "./secret-attempts.ts";

export interface AdmissionParts {
  readonly authority: Authority;
  readonly engine: Pick<
    Engine,
    | "submit"
    | "isCurrent"
    | "becomesCurrent"
    | "shows"
    | "status"
    | "reaches"
    | "answersKeptSeconds"
    | "chargeOf"
  >;
  /** FIRSTPRINT_LEADER_URL: where a follower says that commands are taken. */
  readonly leaderUrl: string | undefined;
  readonly origins: OriginFinder;
  /** Under which names it answers; undefined = under any. */
  readonly hosts: HostList | undefined;
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

/** Units of 64 KiB a minute that an account's long answers may take. */
const BYTES_RATE = 2_400;
export const BYTES_A_UNIT = 65_536;

/** A request as admission sees it; `route` is undefined where the path leads nowhere. */
interface AdmissionRequest {
  readonly route: Route | undefined;
  readonly credentials: CredentialHeaders;
  readonly origin: Origin;
  readonly requestId: string;
  /** Waits for the sequence that its answer must have reached; absent where it names none. */
  readonly behind: (() => Promise<Problem | undefined>) | undefined;
}

export type Admission = (
  | {
      readonly caller: Caller;
      /** The key under which requests are counted: an address, an account, or a public key. */
      readonly bucket: string;
      /** The policies charged when a request turns out to cost more. */
      readonly policies: readonly RatePolicy[];
    }
  | { readonly problem: Problem }
) & {
  /** Of the rate limit, for whatever is answered. */
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Waits for the audit of a refusal, for the sequence that a request names, and for a sign that what
 * is shown is not over. It is charged before it waits, so that nobody has more that waits than may
 * be sent.
 */
export function admit(
  request: AdmissionRequest,
  parts: AdmissionParts,
): Admission | Promise<Admission> {
  const { route, credentials, origin } = request;
  const { limiter, attempts } = parts;
  const { network } = origin;
  const access = route?.access ?? "public";
  // No credential is looked at: a follower never learns whether an admin secret is right.
  const isLeaders = route !== undefined && isForLeader(route);
  if (isLeaders && parts.engine.status().role === "follower") return sentOn(origin, parts);
  if (takesSecret(credentials, access)) {
    const spent = attempts.spent(origin, limiter, parts.nowMillis());
    // It is not compared: whoever guesses learns nothing from now on, right or wrong.
    if (spent !== undefined) return tooMany(spent, limiter.charge(spent, 1));
  }
  const identified = identify(credentials, access, parts.authority);
  const caller = "caller" in identified ? identified.caller : undefined;
  const wrongSecret = "wrongSecret" in identified && identified.wrongSecret;
  if (caller?.type === "root") attempts.trust(network, parts.nowMillis());
  if (wrongSecret) attempts.charge(origin, limiter, parts.nowMillis());

  const policies = policiesOf(caller, route, wrongSecret, origin, parts);
  // A guess is one, whatever it asks for: a dear read would be beyond the bucket of guesses.
  const charged = limited(policies, wrongSecret ? 1 : (route?.cost ?? 1), parts);
  if ("problem" in charged) return charged;
  const { headers } = charged;
  const { behind } = request;
  if (behind === undefined || wrongSecret) {
    return shownTo(request, { identified, policies, headers }, undefined, parts);
  }
  return behind().then((late) => {
    const now = identify(credentials, access, parts.authority);
    // A key that was made meanwhile is known only now: it is charged as what it is.
    if (caller === undefined && "caller" in now) {
      return admit({ ...request, behind: undefined }, parts);
    }
    return shownTo(request, { identified: now, policies, headers }, late, parts);
  });
}

/** A request that is paid for. */
interface Charging {
  readonly identified: ReturnType<typeof identify>;
  readonly policies: readonly RatePolicy[];
  readonly headers: Readonly<Record<string, string>>;
}

function shownTo(
  request: AdmissionRequest,
  charging: Charging,
  behind: Problem | undefined,
  parts: AdmissionParts,
): Admission | Promise<Admission> {
  const { route, credentials } = request;
  const access = route?.access ?? "public";
  // The state it would show may be over, and so may the key that asks.
  const privacy = privacyOf(access);
  if (route?.cost === 0 || parts.engine.isCurrent(privacy)) {
    return shownNow(request, charging, behind, parts);
  }
  const { policies, headers } = charging;
  return parts.engine.becomesCurrent(privacy).then((isCurrent) => {
    if (!isCurrent) return { problem: notCurrent(parts), headers };
    // Entries that have come meanwhile may have revoked the key.
    const identified = identify(credentials, access, parts.authority);
    return shownNow(request, { identified, policies, headers }, behind, parts);
  });
}

/** The part of admission that rests on what this node shows. */
function shownNow(
  request: AdmissionRequest,
  { identified, policies, headers }: Charging,
  behind: Problem | undefined,
  parts: AdmissionParts,
): Admission | Promise<Admission> {
  const { route, origin, requestId } = request;
  const access = route?.access ?? "public";
  const unshown = notShown(route, privacyOf(access), parts);
  if (unshown !== undefined) return { problem: unshown, headers };
  if (behind !== undefined) return { problem: behind, headers };
  if ("problem" in identified) {
    const refused = { problem: identified.problem, headers };
    if (!identified.wrongSecret) return refused;
    return auditSecret(origin.network, requestId, parts).then(() => refused);
  }
  if (identified.caller.type === "key") {
    parts.keyUse.note(identified.caller.key.id, parts.authority.nowSeconds());
  }

  const problem = forbidden(identified.caller, access, parts.authority);
  if (problem === undefined) {
    return { caller: identified.caller, bucket: ownerOf(policies), policies, headers };
  }
  return auditRefusal(identified.caller, problem, request, parts).then(() => ({
    problem,
    headers,
  }));
}

const privacyOf = (access: Access): Privacy => (access === "public" ? "public" : "private");

/** The first bucket is the widest: the account's, where there is one. */
function ownerOf([widest]: readonly RatePolicy[]): string {
  invariant(widest !== undefined, "every request is of some bucket");
  return widest.bucket;
}

/** Charges each; the answer tells of the one that has the least left. */
function limited(
  policies: readonly RatePolicy[],
  cost: number,
  { limiter }: Pick<AdmissionParts, "limiter">,
): Charged {
  let least: { readonly policy: RatePolicy; readonly verdict: RateVerdict } | undefined;
  let isAllowed = true;
  for (const policy of policies) {
    const verdict = chargeOne(policy, cost, limiter);
    if (!verdict.allowed) isAllowed = false;
    if (least === undefined || leavesLess(verdict, least.verdict)) least = { policy, verdict };
  }
  invariant(least !== undefined, "every request is of some bucket");
  const { policy, verdict } = least;
  return isAllowed ? { headers: rateHeaders(policy, verdict) } : tooMany(policy, verdict);
}

const leavesLess = (one: RateVerdict, other: RateVerdict): boolean =>
  one.retryAfterSeconds === other.retryAfterSeconds
    ? one.remaining < other.remaining
    : one.retryAfterSeconds > other.retryAfterSeconds;

const notCurrent = ({ engine }: Pick<AdmissionParts, "engine">): Problem =>
  engine.status().role === "follower" ? tooOld : mayBeOver;

const mayBeOver: Problem = {
  code: "NOT_LEADER",
  message:
    "This node does not know whether another one leads by now; nothing was done, send the " +
    "request again, or to another node",
};

const tooOld: Problem = {
  code: "NODE_BEHIND",
  message:
    "This follower has not heard of the leader for too long to answer this; send the request " +
    "again, or to another node",
};

/** A fault of ours keeps some of it from being shown; orders are taken where keys are known. */
function notShown(
  route: Route | undefined,
  privacy: Privacy,
  { engine }: Pick<AdmissionParts, "engine">,
): Problem | undefined {
  if (route?.cost === 0) return undefined;
  const showing = engine.shows();
  if (showing === "nothing") return nothingShown;
  const isOfAccounts = privacy === "private" && isRead(route);
  return showing === "no_accounts" && isOfAccounts ? accountsNotShown : undefined;
}

const nothingShown: Problem = {
  code: "NODE_BEHIND",
  message:
    "This node failed to take in an entry and is drawing what it shows again; nothing was done, " +
    "send the request again, or to another node",
};

const accountsNotShown: Problem = {
  code: "NODE_BEHIND",
  message:
    "This node failed to take in an entry and cannot show accounts until it is started again; " +
    "it still takes orders. Read from another node, and tell the operator",
};

const isRead = (route: Route | undefined): boolean =>
  route?.method === "GET" || route?.isForAnyNode === true;

/** The operators' surface is the leader's too: it audits who reads there, and who tries to. */
export const isForLeader = ({ isForAnyNode, access }: Route): boolean =>
  !isForAnyNode || isOperatorAccess(access) || access === "root";

function sentOn(origin: Origin, parts: AdmissionParts): Admission {
  const charged = limited([addressPolicy(origin, parts.publicRatePerMinute)], 1, parts);
  if ("problem" in charged) return charged;
  const details = { leader: parts.leaderUrl ?? null };
  return { problem: { code: "LEADER_ONLY", details }, headers: charged.headers };
}

const tooMany = (policy: RatePolicy, verdict: RateVerdict) => ({
  problem: {
    code: "RATE_LIMITED" as const,
    retryAfterSeconds: Math.max(1, verdict.retryAfterSeconds),
  },
  headers: rateHeaders(policy, verdict),
});

type Charged = { readonly headers: Readonly<Record<string, string>> } & (
  | { readonly problem: Problem }
  | object
);

/**
 * A caller waits for the bytes of its earlier long answers; the bytes of this one are charged as it
 * goes out.
 */
function chargeOne(policy: RatePolicy, cost: number, limiter: RateLimiter): RateVerdict {
  if (policy.name !== "bytes") return limiter.charge(policy, cost);
  const verdict = limiter.charge(policy, 0);
  if (verdict.remaining >= 1) return { ...verdict, remaining: Number.MAX_SAFE_INTEGER };
  return limiter.charge(policy, 1);
}

/** Cancels have a bucket of their own: whoever spent a key's rate can still get out. */
export const isCancelAccess = (access: Access): boolean => access === "cancel:orders";

function policiesOf(
  caller: Caller | undefined,
  route: Route | undefined,
  wrongSecret: boolean,
  origin: Origin,
  parts: AdmissionParts,
): readonly RatePolicy[] {
  if (wrongSecret) return [secretPolicy(origin.network)];
  if (caller?.type === "root") {
    return [{ name: "root", bucket: "root", ratePerMinute: parts.rootRatePerMinute }];
  }
  const requests = requestPolicies(caller, route, origin, parts);
  if (route?.costsBytes !== true) return requests;
  const owner = caller?.type === "key" ? `account ${caller.key.accountId}` : ownerOf(requests);
  return [...requests, bytesPolicy(owner)];
}

function requestPolicies(
  caller: Caller | undefined,
  route: Route | undefined,
  origin: Origin,
  parts: AdmissionParts,
): readonly RatePolicy[] {
  const anonymous = addressPolicy(origin, parts.publicRatePerMinute);
  const own = keyPolicies(caller, route, parts);
  const [widest] = own;
  if (widest === undefined) return [anonymous];
  if (route?.access !== "public") return own;
  // Where no key is needed, a key of a low rate would be a reason to leave it out.
  if (own.some(({ ratePerMinute }) => ratePerMinute < anonymous.ratePerMinute)) return [anonymous];
  return own.map((policy) => ({ ...policy, leastBurst: burstOf(anonymous) }));
}

/**
 * All keys of an account share what the most a key may have gives, so that another key brings no
 * burst of its own; within it each keeps to its own rate. Long answers are counted apart, as
 * cancels are: they hold up no order.
 */
function keyPolicies(
  caller: Caller | undefined,
  route: Route | undefined,
  { publicRatePerMinute, rootRatePerMinute }: AdmissionParts,
): readonly RatePolicy[] {
  if (caller?.type === "key") {
    const { id, accountId, ratePerMinute } = caller.key;
    const name = isCancelAccess(route?.access ?? "public") ? "cancel" : "key";
    const most = Math.max(rootRatePerMinute, ratePerMinute);
    const own: readonly RatePolicy[] = [
      { name, bucket: `${name} of account ${accountId}`, ratePerMinute: most },
      { name, bucket: `${name} ${id}`, ratePerMinute },
    ];
    return own;
  }
  if (caller?.type !== "publicKey") return [];
  const { id } = caller.key;
  const ratePerMinute = caller.key.ratePerMinute ?? publicKeyRate(publicRatePerMinute);
  return [{ name: "key", bucket: `public key ${id}`, ratePerMinute }];
}

const bytesPolicy = (owner: string): RatePolicy => ({
  name: "bytes",
  bucket: `bytes of ${owner}`,
  ratePerMinute: BYTES_RATE,
});

/** Requests that are counted under no account; a public key is had for the asking. */
export const isStrangers = (bucket: string): boolean =>
  bucket.startsWith("ip ") || bucket.startsWith("public key ");

/** The rate of a public key that has none of its own. */
export const publicKeyRate = (publicRatePerMinute: number): number =>
  Math.max(PUBLIC_KEY_RATE, publicRatePerMinute);

/** The rate that all callers on this machine share. */
export const loopbackRate = (publicRatePerMinute: number): number =>
  Math.max(LOOPBACK_RATE, publicRatePerMinute);

/** For what is no request yet: it costs its address like any other. Gives the headers to answer. */
export function chargeStranger(
  origin: Origin,
  { limiter, publicRatePerMinute }: Pick<AdmissionParts, "limiter" | "publicRatePerMinute">,
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
  { route, requestId }: AdmissionRequest,
  { engine }: AdmissionParts,
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

async function auditSecret(
  sender: string,
  requestId: string,
  parts: AdmissionParts,
): Promise<void> {
  const told = parts.attempts.note(sender, parts.nowMillis());
  if (told === undefined) return;
  await enterSecretAttempts(parts.engine, told.network, told.count, requestId);
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
