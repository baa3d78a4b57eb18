// Where a request came from: its peer, or the caller that a trusted proxy names.
// Invariant: a hop's word counts only if the hop is trusted; a header a caller wrote is never read.
import { BlockList, isIPv4, isIPv6 } from "node:net";
import { networkOf } from "#base/network.ts";

export interface Origin {
  /** An IPv4 address, or the /64 of an IPv6 address: who is counted together. */
  readonly network: string;
  /** A caller on this machine, with no proxy between. */
  readonly isLocal: boolean;
}

export interface Subnet {
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

/** Every value of a header, by its lower-case name, in the order they came. */
type HeaderValues = (name: string) => readonly string[];

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const MOST_KEPT = 10_000;

export class OriginFinder {
  readonly #proxies = new BlockList();
  /** Of peers that asked without a proxy's word: an address is read once, not at every request. */
  readonly #direct = new Map<string, Origin>();

  constructor(proxies: readonly Subnet[]) {
    for (const { address, prefix, family } of proxies) {
      this.#proxies.addSubnet(address, prefix, family);
    }
  }

  origin(peerAddress: string | undefined, headers: HeaderValues): Origin {
    const hops = headers("x-forwarded-for");
    const elements = headers("forwarded");
    if (peerAddress === undefined || hops.length > 0 || elements.length > 0) {
      return this.#originNow(peerAddress, hops, elements);
    }
    const known = this.#direct.get(peerAddress);
    if (known !== undefined) return known;
    const origin = this.#originNow(peerAddress, hops, elements);
    if (this.#direct.size >= MOST_KEPT) this.#direct.clear();
    this.#direct.set(peerAddress, origin);
    return origin;
  }

  #originNow(
    peerAddress: string | undefined,
    hops: readonly string[],
    elements: readonly string[],
  ): Origin {
    const peer = peerAddress === undefined ? undefined : addressOf(peerAddress);
    if (peer === undefined) return remote("unknown");
    if (this.#isTrusted(peer)) return remote(this.#callerBehind(peer, hops, elements));

    const isProxied = hops.length > 0 || elements.length > 0;
    return { network: networkOf(peer), isLocal: isLoopback(peer) && !isProxied };
  }

  /** Of a connection before its first request; one on this machine or a proxy speaks for many. */
  connection(peerAddress: string | undefined): Origin {
    const peer = peerAddress === undefined ? undefined : addressOf(peerAddress);
    if (peer === undefined) return remote("unknown");
    return { network: networkOf(peer), isLocal: isLoopback(peer) || this.#isTrusted(peer) };
  }

  /** For what was never read as a request: nobody but the peer has said anything. */
  peer(peerAddress: string | undefined): Origin {
    return this.origin(peerAddress, () => []);
  }

  /** A proxy that writes one of the two headers lets the other pass: they must agree. */
  #callerBehind(peer: string, hops: readonly string[], elements: readonly string[]): string {
    const byHops = this.#walk(peer, hops.join(",").split(","));
    if (elements.length === 0) return byHops;
    const byElements = this.#walk(peer, forwardedFor(elements.join(",")));
    return hops.length === 0 || byHops === byElements ? byElements : peer;
  }

  /** From the nearest hop outwards, as long as whoever reported it is trusted. */
  #walk(peer: string, hops: readonly string[]): string {
    let caller = peer;
    for (const hop of hops.toReversed()) {
      const address = this.#isTrusted(caller) ? hopAddress(hop.trim()) : undefined;
      if (address === undefined) return caller;
      caller = address;
    }
    return caller;
  }

  #isTrusted(address: string): boolean {
    return this.#proxies.check(address, familyOf(address));
  }
}

const remote = (address: string): Origin => ({ network: networkOf(address), isLocal: false });

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv4(address) ? "ipv4" : "ipv6");

const isLoopback = (address: string): boolean => loopback.check(address, familyOf(address));

/** An IPv4 address written as IPv6 is that IPv4 address; a zone is nothing to be counted by. */
function addressOf(text: string): string | undefined {
  const plain = text.replace(/%.*$/, "").toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  return isIPv4(plain) || isIPv6(plain) ? plain : undefined;
}

/** `203.0.113.7`, `203.0.113.7:80`, `2001:db8::1`, `[2001:db8::1]:80`. */
function hopAddress(text: string): string | undefined {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  if (bare !== undefined) return isIPv6(bare) ? addressOf(bare) : undefined;
  const withPort = /^([\d.]+):\d{1,5}$/.exec(text)?.[1];
  return addressOf(withPort ?? text);
}

/** RFC 7239: the `for` of each element, in order; an element without exactly one is no hop. */
function forwardedFor(text: string): readonly string[] {
  return splitOutsideQuotes(text, ",").map((element) => {
    const pairs = splitOutsideQuotes(element, ";").map((pair) => pair.trim());
    const [only, ...more] = pairs.flatMap((pair) => /^for=(.*)$/is.exec(pair)?.[1] ?? []);
    if (only === undefined || more.length > 0) return "";
    return /^"([^"\\]*)"$/.exec(only)?.[1] ?? only;
  });
}

/** A quotation that does not end swallows the rest, as it does for whoever reads it strictly. */
function splitOutsideQuotes(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    if (character === separator && !isQuoted) {
      parts.push(part);
      part = "";
      continue;
    }
    part += character;
    if (isQuoted && character === "\\") {
      at += 1;
      part += text.charAt(at);
    }
  }
  return [...parts, part];
}
