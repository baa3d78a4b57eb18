// The addresses a configured name may lead to, so that no download reaches into our own network.
// Invariant: a loopback name leads to loopback alone, any other name to public addresses and to the
// networks that the operator lists; without TLS to those networks alone.
import { BlockList, isIP, type LookupFunction } from "node:net";
import {
  guardedLookup,
  isIn,
  isLoopback,
  isPublic,
  type Resolve,
  withoutBrackets,
} from "#outbound/addresses.ts";
import { DownloadFault } from "./fault.ts";

/** A host that says itself that it is this machine; brackets as in an address of the web. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === "localhost" || isLoopback(withoutBrackets(hostname));

/** Networks of the operator's own that may be reached besides. */
export const noNetworks: BlockList = new BlockList();

export const networksOf = (
  subnets: readonly {
    readonly address: string;
    readonly prefix: number;
    readonly family: "ipv4" | "ipv6";
  }[],
): BlockList => {
  const networks = new BlockList();
  for (const { address, prefix, family } of subnets) networks.addSubnet(address, prefix, family);
  return networks;
};

type Reached = Pick<URL, "hostname" | "protocol">;

export const mayConnect = (
  { hostname, protocol }: Reached,
  address: string,
  networks = noNetworks,
): boolean => {
  if (isLoopbackHost(hostname)) return isLoopback(address);
  return isIn(networks, address) || (protocol === "https:" && isPublic(address));
};

/** A host written as an address is never looked up, so it is judged here. */
export const isForbiddenHost = (url: Reached, networks = noNetworks): boolean => {
  const bare = withoutBrackets(url.hostname);
  return isIP(bare) !== 0 && !mayConnect(url, bare, networks);
};

export const downloadLookup = (
  resolve: Resolve,
  { protocol }: Pick<URL, "protocol">,
  networks: BlockList,
): LookupFunction =>
  guardedLookup(resolve, (hostname, address) => {
    if (address === undefined) return unknownName(hostname);
    const may = mayConnect({ hostname, protocol }, address, networks);
    return may ? undefined : privateAddress(hostname, address);
  });

const privateAddress = (hostname: string, address: string): DownloadFault =>
  new DownloadFault(
    "PRIVATE_ADDRESS",
    `${hostname} leads to ${address}, which is neither public nor in FIRSTPRINT_DOWNLOAD_NETWORKS.`,
  );

const unknownName = (hostname: string): DownloadFault =>
  new DownloadFault("NOT_CONNECTED", `${hostname} has no address.`);
