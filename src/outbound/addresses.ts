// The addresses that requests of ours may lead to, so that nobody has us ask our own network.
// Invariant: the address that was judged is the address that is connected; a name is resolved once.
import type { LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

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

export const isLoopback = (address: string): boolean => isIn(loopback, address);

/** A public unicast address. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !reserved.check(address, "ipv4");
  return family === 6 && unicast6.check(address, "ipv6") && !reserved.check(address, "ipv6");
}

export function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Of a host as an address of the web writes it. */
export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

/**
 * For `net.connect`: one forbidden address among several is enough to refuse the name. `refusal`
 * judges each address of a name, and says what a name without any address is.
 */
export function guardedLookup(
  resolve: Resolve,
  refusal: (hostname: string, address: string | undefined) => Error | undefined,
): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (addresses: readonly LookupAddress[]): void => {
      const [first] = addresses;
      const asked = first === undefined ? [undefined] : addresses.map(({ address }) => address);
      const refused = asked.map((address) => refusal(hostname, address)).find(isRefused);
      if (refused !== undefined) callback(refused, "");
      else if (all === true) callback(null, [...addresses]);
      else callback(null, first?.address ?? "", first?.family);
    };
    resolve(hostname).then(answer, (error) => callback(error, ""));
  };
}

const isRefused = (error: Error | undefined): error is Error => error !== undefined;
