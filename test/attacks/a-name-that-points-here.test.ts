// A page in the browser of somebody who runs an exchange on their own machine has its own name
// point at 127.0.0.1 (DNS rebinding): for the browser the exchange is then the page's own server,
// which it reads, and where it tries admin secrets.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { HostList } from "#http/server/hosts.ts";
import { ADMIN_SECRET, World } from "#test/http/world.ts";

/** Sends a request of these lines; answers with its status and body. */
async function ask(port: number, ...lines: readonly string[]) {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.end([...lines, "connection: close", "", ""].join("\r\n"));
  const answer = await text(socket);
  return { status: Number(answer.split(" ")[1]), answer };
}

const get = "GET /api/status HTTP/1.1";

const foreign: readonly (readonly string[])[] = [
  [get, "host: evil.example:4600"],
  [get, "Host: evil.example"],
  [get, "host: localhost.evil.example"],
  [get, "host: 127.0.0.1.evil.example"],
  [get, "host: evil.example."],
  [get, "host: localhost@evil.example"],
  [get, "host: evil.example@localhost"],
  [get, "host: localhost, evil.example"],
  [get, "host: localhost/evil.example"],
  [get, "host: xn--localhost"],
  [get, "host: 192.0.2.7"],
  [get, "host: 0.0.0.0:4600"],
  [get, "host: [2001:db8::1]:4600"],
  [get, "host: [::1"],
  [get, "host:"],
  [get, "host: evil.example", "x-forwarded-host: localhost", "forwarded: host=localhost"],
  ["GET http://evil.example/api/status HTTP/1.1", "host: localhost"],
  ["GET http://localhost@evil.example/api/status HTTP/1.1", "host: localhost"],
  ["GET http://localhost/api/status HTTP/1.1", "host: evil.example"],
  ["GET /api/status HTTP/1.0", "host: evil.example"],
  ["GET /api/status HTTP/1.0", "host: localhost", "host: evil.example"],
  ["GET /api/nothing HTTP/1.1", "host: evil.example"],
  ["OPTIONS * HTTP/1.1", "host: evil.example"],
  ["GET /%zz HTTP/1.1", "host: evil.example"],
];

const ours: readonly (readonly string[])[] = [
  [get, "host: localhost"],
  [get, "host: LocalHost:8080"],
  [get, "host: localhost.:4600"],
  [get, "host: 127.0.0.1:4600"],
  [get, "host: 127.9.9.9"],
  [get, "host: [::1]:4600"],
  [get, "host: [0:0:0:0:0:0:0:1]"],
  [get, "host: EXCHANGE.example"],
  [get, "host: exchange.example.:443", "x-forwarded-host: evil.example"],
  ["GET /api/status HTTP/1.0"],
];

test("a page whose name points at this machine reads and guesses nothing", async (t) => {
  const world = await World.open(t);
  await world.listen();
  const port = Number(new URL(world.url).port);
  for (const lines of ours) {
    const { status, answer } = await ask(port, ...lines);
    assert.equal(status, 200, `${lines.join(" | ")}: ${answer}`);
  }
  let refused = 0;
  for (const lines of foreign) {
    const { status, answer } = await ask(port, ...lines);
    assert.equal(status, 421, `${lines.join(" | ")}: ${answer}`);
    assert.match(answer, /"code":"MISDIRECTED_REQUEST".*FIRSTPRINT_HOSTS/s);
    refused += 1;
  }
  const twice = await ask(port, get, "host: localhost", "host: evil.example");
  assert.equal(twice.status, 400, "which of the two counts nobody can say");

  // Right and wrong look the same, so nothing is learnt, and nothing is entered.
  const { secret: key } = await world.account("owner");
  const before = world.engine.status().sequence;
  const guess = async (credential: string): Promise<string> => {
    const lines = ["GET /api/admin/accounts HTTP/1.1", "host: evil.example"];
    const { answer } = await ask(port, ...lines, credential);
    return answer.slice(0, answer.indexOf("\r\n"));
  };
  const wrong = await guess(`x-admin-secret: ${"wrong".repeat(8)}`);
  for (const credential of [
    `x-admin-secret: ${ADMIN_SECRET}`,
    ...[key, `${key.slice(0, -1)}_`].flatMap((one) => [
      `authorization: Bearer ${one}`,
      `x-api-key: ${one}`,
    ]),
  ]) {
    assert.equal(await guess(credential), wrong, credential);
  }
  assert.equal(world.engine.status().sequence, before);
  t.diagnostic(`after: ${refused} of ${foreign.length} refused`);
});

test("on loopback, and wherever names are listed, the list holds", () => {
  const at = (address: string, ...listed: readonly string[]) => HostList.for(address, listed);
  for (const address of ["127.0.0.1", "localhost", "::1", "127.0.0.5"]) {
    assert.equal(at(address)?.allows(["evil.example"], "/"), false, address);
  }
  for (const address of ["0.0.0.0", "::", "192.0.2.7", "exchange.example"]) {
    assert.equal(at(address), undefined, address);
    const listed = at(address, "exchange.example");
    assert.equal(listed?.allows(["evil.example"], "/"), false);
    assert.equal(listed?.allows(["exchange.example:8443"], "/"), true);
  }
});
