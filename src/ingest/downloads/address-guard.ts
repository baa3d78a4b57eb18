// The addresses a configured name may lead to, so that no download reaches into our own network.
// Invariant: a loopback name leads to loopback alone, any other name to public addresses alone.
import { isIP, type LookupFunction } from "node:net";
import {
  guardedLookup,
  isLoopback,
  isPublic,
  type Resolve,
  withoutBrackets,
} from "#outbound/addresses.ts";
import { DownloadFault } from "./fault.ts";

/** A host that says itself that it is this machine; brackets as in an address of the web. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === "localhost" || isLoopback(withoutBrackets(hostname));

export const mayConnect = (hostname: string, address: string): boolean =>
  isLoopbackHost(hostname) ? isLoopback(address) : isPublic(address);

/** A host written as an address is never looked up, so it is judged here. */
export const isForbiddenHost = (hostname: string): boolean => {
  const bare = withoutBrackets(hostname);
  return isIP(bare) !== 0 && !mayConnect(hostname, bare);
};

export const downloadLookup = (resolve: Resolve): LookupFunction =>
  guardedLookup(resolve, (hostname, address) => {
    if (address === undefined) return unknownName(hostname);
    return mayConnect(hostname, address) ? undefined : privateAddress(hostname, address);
  });

const privateAddress = (hostname: string, address: string): DownloadFault =>
  new DownloadFault("PRIVATE_ADDRESS", `${hostname} leads to ${address}, which is not public.`);

const unknownName = (hostname: string): DownloadFault =>
  new DownloadFault("NOT_CONNECTED", `${hostname} has no address.`);
