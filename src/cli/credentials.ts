// The account a command speaks for: which credential goes with a request, and where it is found.
// Invariant: the secret from the server's own data folder is only sent to this machine.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "#base/error-code.ts";
import { messageOf } from "#base/message-of.ts";
import { UsageFault } from "./faults.ts";

/** `public`: anybody may, but a key raises the rate. */
export type CredentialKind = "nothing" | "public" | "key" | "operator";

export type CliEnvironment = Readonly<Record<string, string | undefined>>;

export class Credentials {
  readonly #givenKey: string | undefined;
  readonly #environment: CliEnvironment;

  constructor(givenKey: string | undefined, environment: CliEnvironment) {
    this.#givenKey = givenKey;
    this.#environment = environment;
  }

  headers(access: CredentialKind, url: URL): Readonly<Record<string, string>> {
    switch (access) {
      case "nothing":
        return {};
      case "public":
        return this.#publicHeaders();
      case "key":
        return this.#keyHeaders();
      case "operator":
        return this.#operatorHeaders(url);
    }
  }

  get #key(): string | undefined {
    return this.#givenKey ?? this.#setting("FIRSTPRINT_KEY");
  }

  #publicHeaders(): Record<string, string> {
    const key = this.#key;
    if (key === undefined) return {};
    return key.startsWith("fp_pub_") ? { "x-api-key": headerText(key) } : bearer(key);
  }

  #keyHeaders(): Record<string, string> {
    const key = this.#key;
    if (key !== undefined) return bearer(key);
    throw new UsageFault(
      "this needs an API key: give --key or set FIRSTPRINT_KEY; an operator makes the first one " +
        "with `firstprint account open`",
    );
  }

  /** A key named on the command line was meant to be used. */
  #operatorHeaders(url: URL): Record<string, string> {
    if (this.#givenKey !== undefined) return bearer(this.#givenKey);
    const secret = this.#setting("FIRSTPRINT_ADMIN_SECRET") ?? this.#keptSecret(url);
    if (secret !== undefined) return { "x-admin-secret": headerText(secret) };
    const key = this.#key;
    if (key !== undefined) return bearer(key);
    throw new UsageFault(
      `this needs the operator's credential: set FIRSTPRINT_ADMIN_SECRET, or run it beside the ` +
        `server (no secret in ${this.#secretFile}), or give the key of an operator's account`,
    );
  }

  #keptSecret(url: URL): string | undefined {
    if (!isThisMachine(url.hostname)) return undefined;
    try {
      const secret = readFileSync(this.#secretFile, "utf8").trim();
      return secret === "" ? undefined : secret;
    } catch (fault) {
      if (hasCode(fault, "ENOENT", "ENOTDIR")) return undefined;
      const reason = messageOf(fault);
      throw new UsageFault(
        `the operator's secret cannot be read (${reason}): run this as the user the server runs ` +
          "as, or set FIRSTPRINT_ADMIN_SECRET",
      );
    }
  }

  get #secretFile(): string {
    return join(this.#setting("FIRSTPRINT_DATA_DIR") ?? ".firstprint", "admin-secret");
  }

  #setting(name: string): string | undefined {
    const value = this.#environment[name];
    return value === "" ? undefined : value;
  }
}

const bearer = (key: string): Record<string, string> => ({
  authorization: `Bearer ${headerText(key)}`,
});

/** A secret that is no header value was copied in part, or with something beside it. */
function headerText(secret: string): string {
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new UsageFault("a key or secret is one word of printable ASCII characters; copy it again");
}

const isThisMachine = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
