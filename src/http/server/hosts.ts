// Under which host names the exchange answers, so that a page that has its own name point at this
// machine (DNS rebinding) reads nothing.
// Invariant: what counts is the Host header and the target as they came, and nothing forwarded.
import { BlockList, isIPv4, isIPv6 } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** A name as a Host header has it, without user and port; undefined where it is none. */
export function hostName(text: string): string | undefined {
  const [, name = ""] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(text) ?? [];
  return name === "" ? undefined : name.toLowerCase().replace(/\.$/, "");
}

export function isLoopbackHost(name: string): boolean {
  const bare = name.replace(/^\[(.*)\]$/, "$1");
  if (isIPv4(bare)) return loopback.check(bare, "ipv4");
  if (isIPv6(bare)) return loopback.check(bare, "ipv6");
  return bare === "localhost";
}

export class HostList {
  readonly #listed: ReadonlySet<string>;
  /** The one allowed last: nearly every request names it again. */
  #newest: string | undefined;

  private constructor(listed: readonly string[]) {
    this.#listed = new Set(listed);
  }

  /** For a listener at an address: undefined = it answers under whatever name it is asked. */
  static for(address: string, listed: readonly string[]): HostList | undefined {
    return listed.length > 0 || isLoopbackHost(address) ? new HostList(listed) : undefined;
  }

  /** `target`: as it stands in the request line. HTTP/1.0 knows no Host: nobody is named there. */
  allows(hosts: readonly string[], target: string): boolean {
    const [only] = hosts;
    const isOne = only !== undefined && hosts.length === 1 && target.startsWith("/");
    if (isOne && only === this.#newest) return true;
    const isAllowed = [...hosts, ...authorityIn(target)].every((host) => {
      const name = hostName(host);
      return name !== undefined && (this.#listed.has(name) || isLoopbackHost(name));
    });
    if (isOne && isAllowed) this.#newest = only;
    return isAllowed;
  }
}

/** `http://name:port/path`: what it names comes before the header (RFC 9112, 3.2.2). */
function authorityIn(target: string): readonly string[] {
  const [, authority] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target) ?? [];
  return authority === undefined ? [] : [authority];
}
