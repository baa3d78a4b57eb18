// The origin of a request, from the peer and what proxies say: only the word of a trusted hop
// counts.
// Invariant tested: no header that a caller writes itself moves it to another bucket of its choice.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OriginFinder } from "#http/server/origin.ts";
import { readSettings } from "#node/settings.ts";

const finder = (proxies: string): OriginFinder =>
  new OriginFinder(readSettings({ FIRSTPRINT_TRUSTED_PROXIES: proxies }).trustedProxies);

type Headers = Readonly<Record<string, string | readonly string[]>>;

const originOf = (proxies: string, peer: string | undefined, headers: Headers = {}) =>
  finder(proxies).origin(peer, (name) => [headers[name] ?? []].flat());

const from = (network: string) => ({ network, isLocal: false });
const xff = (value: string | readonly string[]): Headers => ({ "x-forwarded-for": value });

test("without trusted proxies the peer is the caller, whatever a header says", () => {
  for (const headers of [{}, xff("198.51.100.9"), { forwarded: "for=198.51.100.9" }]) {
    assert.deepEqual(originOf("", "203.0.113.7", headers), from("203.0.113.7"));
    assert.deepEqual(originOf("10.0.0.0/8", "203.0.113.7", headers), from("203.0.113.7"));
  }
  assert.deepEqual(originOf("", "2001:db8:1:2:3::4"), from("2001:db8:1:2::/64"));
  assert.deepEqual(originOf("", undefined), from("unknown"));
});

test("this machine's own callers are local, unless a proxy may stand before them", () => {
  for (const [peer, network] of [
    ["127.0.0.1", "127.0.0.1"],
    ["127.9.9.9", "127.9.9.9"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::1", "0:0:0:0::/64"],
  ] as const) {
    assert.deepEqual(originOf("", peer), { network, isLocal: true }, peer);
  }
  // A proxy nobody has named speaks for others: they are counted by its address.
  assert.deepEqual(originOf("", "127.0.0.1", xff("203.0.113.7")), from("127.0.0.1"));
  assert.deepEqual(originOf("", "127.0.0.1", { forwarded: "for=::1" }), from("127.0.0.1"));
  assert.deepEqual(originOf("127.0.0.1", "127.0.0.1"), from("127.0.0.1"), "it names nobody");
  assert.deepEqual(originOf("127.0.0.0/8", "127.0.0.1", xff("127.0.0.1")), from("127.0.0.1"));
  assert.deepEqual(originOf("127.0.0.1", "127.0.0.1", xff("127.0.0.2")), from("127.0.0.2"));
});

test("behind trusted proxies the right-most hop that is none of them is the caller", () => {
  const proxies = "10.0.0.0/8, 2001:db8:ff::/48";
  for (const [headers, expected] of [
    [xff("198.51.100.9, 203.0.113.7"), "203.0.113.7"],
    [xff("198.51.100.9,203.0.113.7 , 10.1.2.3"), "203.0.113.7"],
    [xff(["198.51.100.9", "203.0.113.7", "10.1.2.3"]), "203.0.113.7"],
    [xff("10.9.9.9, 10.1.2.3"), "10.9.9.9"],
    [xff("203.0.113.7:4711"), "203.0.113.7"],
    [xff("2001:db8:1:2::9, 2001:db8:ff::1"), "2001:db8:1:2::/64"],
    [xff("[2001:db8:1:2::9]:80"), "2001:db8:1:2::/64"],
    [xff("::ffff:203.0.113.7"), "203.0.113.7"],
    [{ forwarded: "for=198.51.100.9, for=203.0.113.7;proto=https" }, "203.0.113.7"],
    [{ forwarded: 'by=10.0.0.1;For="[2001:db8:1:2::9]:4711"' }, "2001:db8:1:2::/64"],
    [{ forwarded: ["for=198.51.100.9", 'for="203.0.113.7:80"', "for=10.1.2.3"] }, "203.0.113.7"],
    [{ forwarded: 'for="203.0.113.7";host="a, for=198.51.100.9"' }, "203.0.113.7"],
  ] as const) {
    assert.deepEqual(originOf(proxies, "10.0.0.1", headers), from(expected), expected);
  }
});

test("a hop that is no address ends the way there: its reporter is the caller", () => {
  for (const headers of [
    xff("203.0.113.7, unknown"),
    xff("203.0.113.7, "),
    xff("203.0.113.7, 1.2.3.256"),
    xff("203.0.113.7, 010.1.1.1"),
    xff(""),
    { forwarded: "for=203.0.113.7, for=_hidden" },
    { forwarded: "for=203.0.113.7, proto=https" },
    { forwarded: 'for="203.0.113.7' },
    { forwarded: "for=203.0.113.7;for=198.51.100.9" },
  ]) {
    assert.deepEqual(originOf("10.0.0.0/8", "10.0.0.1", headers), from("10.0.0.1"));
  }
  const behind = xff("203.0.113.7, unknown, 10.1.2.3");
  assert.deepEqual(originOf("10.0.0.0/8", "10.0.0.1", behind), from("10.1.2.3"));
});

test("two headers that name different callers are one too many: the proxy is the caller", () => {
  const both = (one: string, other: string) => ({
    "x-forwarded-for": one,
    forwarded: `for=${other}`,
  });
  const named = originOf("10.0.0.1", "10.0.0.1", both("203.0.113.7", "203.0.113.7"));
  assert.deepEqual(named, from("203.0.113.7"));
  const split = originOf("10.0.0.1", "10.0.0.1", both("203.0.113.7", "198.51.100.9"));
  assert.deepEqual(split, from("10.0.0.1"));
});

test("what a caller writes before its proxy's own word changes nothing", () => {
  const odd = fc.string({ unit: fc.constantFrom(...'19.:, [];=for"\\x') });
  const address = fc.constantFrom("198.51.100.9", "10.2.3.4", "127.0.0.1", "::1", "unknown");
  const written = fc.oneof(
    odd,
    address,
    fc.array(address).map((hops) => hops.join(", ")),
  );
  fc.assert(
    fc.property(written, (text) => {
      const said = originOf("10.0.0.0/8", "10.0.0.1", xff([text, "203.0.113.7"]));
      assert.deepEqual(said, from("203.0.113.7"), text);
      const joined = originOf("10.0.0.0/8", "10.0.0.1", xff(`${text}, 203.0.113.7`));
      assert.deepEqual(joined, from("203.0.113.7"), text);
    }),
  );
});

test("callers are told apart by IPv4 address and by IPv6 /64", () => {
  const networkOf = (peer: string): string => originOf("", peer).network;
  assert.equal(networkOf("203.0.113.7"), "203.0.113.7");
  assert.equal(networkOf("::ffff:203.0.113.7"), "203.0.113.7");
  assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  assert.equal(networkOf("2001:0DB8:0001:0002::9"), "2001:db8:1:2::/64");
  assert.equal(networkOf("2001:db8::1"), "2001:db8:0:0::/64");
  assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0::/64");
  assert.equal(networkOf("::2"), "0:0:0:0::/64");
  assert.notEqual(networkOf("2001:db8:1:3::1"), networkOf("2001:db8:1:2::1"));
});
