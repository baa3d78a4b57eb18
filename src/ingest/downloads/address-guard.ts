// The addresses a configured name may lead to, so that no download reaches into our own network.
// Invariant: the address that was judged is the address that is connected; a name is resolved once.
import type { LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { DownloadFault } from "./fault.ts";

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Addresses that IANA lists as special-purpose and not globally reachable, and multicast. */
const reserved = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  reserved.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  reserved.addSubnet(network, prefix, "ipv6");
}

/** Nothing outside is a public unicast address; IPv4 in IPv6's clothes is outside too. */
const unicast6 = new BlockList();
unicast6.addSubnet("2000::", 3, "ipv6");

/** A host that says itself that it is this machine; brackets as in an address of the web. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === "localhost" || isLoopback(withoutBrackets(hostname));

/** A loopback name leads to loopback alone, any other name to public addresses alone. */
export function mayConnect(hostname: string, address: string): boolean {
  if (isLoopbackHost(hostname)) return isLoopback(address);
  const family = isIP(address);
  if (family === 4) return !reserved.check(address, "ipv4");
  return family === 6 && unicast6.check(address, "ipv6") && !reserved.check(address, "ipv6");
}

/** A host written as an address is never looked up, so it is judged here. */
export const isForbiddenHost = (hostname: string): boolean => {
  const bare = withoutBrackets(hostname);
  return isIP(bare) !== 0 && !mayConnect(hostname, bare);
};

/** For `net.connect`: one forbidden address among several is enough to refuse the name. */
export function guardedLookup(resolve: Resolve): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (addresses: readonly LookupAddress[]): void => {
      const forbidden = addresses.find(({ address }) => !mayConnect(hostname, address));
      const [first] = addresses;
      if (forbidden !== undefined) callback(privateAddress(hostname, forbidden.address), "");
      else if (first === undefined) callback(unknownName(hostname), "");
      else if (all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    };
    resolve(hostname).then(answer, (error) => callback(error, ""));
  };
}

const isLoopback = (address: string): boolean => {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? "ipv6" : "ipv4");
};

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

const privateAddress = (hostname: string, address: string): DownloadFault =>
  new DownloadFault("PRIVATE_ADDRESS", `${hostname} leads to ${address}, which is not public.`);

const unknownName = (hostname: string): DownloadFault =>
  new DownloadFault("NOT_CONNECTED", `${hostname} has no address.`);
