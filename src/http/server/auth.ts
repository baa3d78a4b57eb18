// Authentication: from the credential headers to a caller, and what that caller may reach.
// Invariant: a header given twice, a credential of the wrong kind or a dead key is nobody's: 401.
import { isPublicKeyLive } from "#core/keys/public-keys.ts";
import { isKeyLive } from "#core/person.ts";
import {
  type Account,
  isAdminPermission,
  type Key,
  type PublicKey,
  type Role,
} from "#core/records.ts";
import { type Problem, permissionProblem } from "../route/errors.ts";
import type { Access, Caller } from "../route/route.ts";
import { keyKind, sameDigest, sameSecret } from "./key-codec.ts";

/** The credential headers as they came: every value of each. */
export interface CredentialHeaders {
  readonly authorization: readonly string[];
  readonly apiKey: readonly string[];
  readonly adminSecret: readonly string[];
  /** Of a key under a pepper. */
  digestOf(secret: string, pepper: string): string;
}

/** Where keys and accounts are looked up; read at every request. */
export interface KeyDirectory {
  keyByDigest(digest: string): Key | undefined;
  publicKeyByDigest(digest: string): PublicKey | undefined;
  readonly accounts: { get(id: Account["id"]): Account | undefined };
  isRootOff(nowSeconds: number): boolean;
}

export interface Authority {
  readonly directory: KeyDirectory;
  /** Keys are stored as HMACs under it. */
  readonly pepper: string;
  /** The one before it, while keys made under that are still taken. */
  formerPepper(): string | undefined;
  readonly adminSecret: string;
  /** By the exchange's own clock. */
  nowSeconds(): number;
}

/** `wrongSecret`: an admin secret was sent, and was not it. */
type Identified =
  | { readonly caller: Caller }
  | { readonly problem: Problem; readonly wrongSecret: boolean };

/** Each surface reads the credentials of its own and no others. */
export function identify(
  headers: CredentialHeaders,
  access: Access,
  authority: Authority,
): Identified {
  if (takesSecret(headers, access)) {
    const [sent = ""] = headers.adminSecret;
    const right = headers.adminSecret.length === 1 && sameSecret(sent, authority.adminSecret);
    if (right) return { caller: { type: "root", actor: { type: "root" } } };
    return { problem: unauthenticated("The x-admin-secret is wrong"), wrongSecret: true };
  }
  if (access === "root") return nobody("Send the x-admin-secret; no other credential will do");
  if (access === "public" && headers.apiKey.length > 0) {
    const caller = publicKeyHolder(headers, authority);
    return caller === undefined
      ? nobody("The x-api-key is wrong or expired; leave it out or send a valid one")
      : { caller };
  }
  if (headers.authorization.length > 0) {
    const caller = keyHolder(headers, authority);
    return caller === undefined
      ? nobody("The API key is wrong, revoked or expired; send Authorization: Bearer <API key>")
      : { caller };
  }
  if (access === "public") return { caller: { type: "anonymous" } };
  return nobody(
    isOperatorAccess(access)
      ? "Send x-admin-secret, or the Bearer key of an operator's account"
      : undefined,
  );
}

function keyHolder(headers: CredentialHeaders, authority: Authority): Caller | undefined {
  const { authorization: values } = headers;
  const [value = ""] = values;
  const secret = /^bearer ([0-9A-Za-z_]{1,64})$/i.exec(value)?.[1];
  if (values.length !== 1 || secret === undefined) return undefined;
  const kind = keyKind(secret);
  if (kind === undefined || kind === "pub") return undefined;

  const find = (digest: string) => authority.directory.keyByDigest(digest);
  const key = foundBy(secret, headers, authority, find);
  if (key === undefined) return undefined;
  const account = authority.directory.accounts.get(key.accountId);
  if (account === undefined || !isKeyLive(key, authority.nowSeconds())) return undefined;
  return {
    type: "key",
    actor: { type: "key", accountId: account.id, keyId: key.id },
    account,
    key,
  };
}

/** A mistyped key is known by its checksum, without a look-up. */
function publicKeyHolder(headers: CredentialHeaders, authority: Authority): Caller | undefined {
  const { apiKey: values } = headers;
  const [text = ""] = values;
  if (values.length !== 1 || keyKind(text) !== "pub") return undefined;

  const find = (digest: string) => authority.directory.publicKeyByDigest(digest);
  const key = foundBy(text, headers, authority, find);
  if (key === undefined) return undefined;
  return isPublicKeyLive(key, authority.nowSeconds()) ? { type: "publicKey", key } : undefined;
}

/** By its digest under the pepper, or under the former one while that is taken. */
function foundBy<K extends { readonly digest: string }>(
  secret: string,
  headers: CredentialHeaders,
  { pepper, formerPepper }: Authority,
  find: (digest: string) => K | undefined,
): K | undefined {
  for (const one of [pepper, formerPepper()]) {
    if (one === undefined) continue;
    const digest = headers.digestOf(secret, one);
    const key = find(digest);
    if (key !== undefined && sameDigest(key.digest, digest)) return key;
  }
  return undefined;
}

/** An admin secret was sent where it counts. */
export const takesSecret = ({ adminSecret }: CredentialHeaders, access: Access): boolean =>
  (isOperatorAccess(access) || access === "root") && adminSecret.length > 0;

export const isOperatorAccess = (access: Access): boolean =>
  access === "operator" || isAdminPermission(access);

/** Why a known caller may not have this; undefined when it may. */
export function forbidden(
  caller: Caller,
  access: Access,
  { directory, nowSeconds }: Pick<Authority, "directory" | "nowSeconds">,
): Problem | undefined {
  if (access === "public") return undefined;
  if (caller.type === "root") {
    const isOff = access !== "root" && directory.isRootOff(nowSeconds());
    return isOff ? { code: "ROOT_OFF" } : undefined;
  }
  if (caller.type !== "key") return unauthenticated(undefined);
  if (access === "root") return { code: "NOT_OPERATOR" };
  if (isOperatorAccess(access)) {
    const { role, halted } = caller.account;
    if (role !== "operator") return notOperator(role);
    if (halted) return { code: "ACCOUNT_HALTED" };
    if (access === "operator") return undefined;
  }
  return caller.key.permissions.some((held) => held === access)
    ? undefined
    : permissionProblem(access);
}

/** A key that is right, and of an account that does not operate. */
const notOperator = (role: Role): Problem => ({
  code: "NOT_OPERATOR",
  message:
    `This is the key of an account with the role ${role}; send the Bearer key of an operator's ` +
    "account, or the x-admin-secret",
});

const nobody = (message: string | undefined): Identified => ({
  problem: unauthenticated(message),
  wrongSecret: false,
});

const unauthenticated = (message: string | undefined): Problem => ({
  code: "UNAUTHENTICATED",
  ...(message === undefined ? {} : { message }),
});
