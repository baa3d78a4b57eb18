// Names of receivers, asked of the domain name system directly.
// Invariant: a name server that does not answer holds up nobody else: `getaddrinfo` would take one
// of the four threads that every file of this process is read and written by.
import { Resolver } from "node:dns/promises";
import type { Resolve } from "#outbound/addresses.ts";

const TIMEOUT_MILLIS = 2_000;
const TRIES = 2;

/** All addresses of a name; none where it is not known. The file of hosts is not read. */
export function nameResolver(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MILLIS, tries: TRIES });
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    return [
      ...found(four).map((address) => ({ address, family: 4 })),
      ...found(six).map((address) => ({ address, family: 6 })),
    ];
  };
}

const found = (asked: PromiseSettledResult<string[]>): readonly string[] =>
  asked.status === "fulfilled" ? asked.value : [];
