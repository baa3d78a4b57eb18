// An account has the exchange itself ask the exchange's own network: by a literal address in every
// spelling, by a name that leads there, by a name that leads there only when it is connected (DNS
// rebinding), and by a redirect. Nothing of it is sent, and the answer says no more than that.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { BlockList } from "node:net";
import { type TestContext, test } from "node:test";
import { readAddress } from "#webhooks/address.ts";
import { type PostGuard, post } from "#webhooks/post.ts";

const nowhere = new BlockList();
const house = new BlockList();
house.addSubnet("127.0.0.1", 32, "ipv4");

/** Inside the house: it counts who reaches it. */
async function inside(t: TestContext, listener?: Parameters<typeof createServer>[1]) {
  let reached = 0;
  const server: Server = createServer((request, response) => {
    reached += 1;
    if (listener === undefined) response.end("the keys of the house");
    else listener(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return { port: address.port, reached: () => reached };
}

const send = (url: string, guard: Partial<PostGuard> = {}) => {
  const resolve = () => Promise.resolve([]);
  const whole = { resolve, networks: nowhere, wholeMillis: 2_000, ...guard };
  const outgoing = { url, headers: {}, body: Buffer.from("{}") };
  return post(outgoing, whole, new AbortController().signal);
};

const leadsTo = (...addresses: string[]) => ({
  resolve: () =>
    Promise.resolve(
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    ),
});

test("an address of the house is refused in every spelling, before anything is asked", () => {
  for (const host of [
    ...["127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "017700000001", "0.0.0.0", "[::1]"],
    ...["10.0.0.7", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1"],
    ...["[::ffff:127.0.0.1]", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"],
    ...["[::]", "255.255.255.255", "[2001:db8::1]", "①②⑦.0.0.1"],
  ]) {
    const read = readAddress(`https://${host}/hook`, { networks: nowhere });
    assert.match("wrong" in read ? read.wrong : "taken", /must lead to a public address/, host);
  }
  for (const [address, why] of [
    ["http://desk.example/hook", /https/],
    ["ftp://desk.example/hook", /https/],
    ["file:///etc/passwd", /https/],
    ["https://user:secret@desk.example/", /user or a password/],
    ["https://desk.example/#part", /part after #/],
    ["desk.example/hook", /such as/],
    [`https://desk.example/${"x".repeat(1_000)}`, /1000 characters/],
  ] as const) {
    const read = readAddress(address, { networks: nowhere });
    assert.match("wrong" in read ? read.wrong : "taken", why, address);
  }
  const taken = readAddress("https://8.8.8.8:8443/hook?a=1", { networks: nowhere });
  assert.deepEqual(taken, { url: "https://8.8.8.8:8443/hook?a=1" });
});

test("a name that leads into the house is not connected, nor beside a public one", async (t) => {
  const { port, reached } = await inside(t);
  for (const addresses of [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["fd00::1"]]) {
    for (const scheme of ["https", "http"]) {
      const posted = await send(`${scheme}://desk.example:${port}/`, leadsTo(...addresses));
      assert.deepEqual(posted, { fault: "PRIVATE_ADDRESS" }, `${scheme} ${addresses}`);
    }
  }
  assert.deepEqual(await send(`http://127.0.0.1:${port}/`), { fault: "PRIVATE_ADDRESS" });
  assert.deepEqual(await send(`https://desk.example:${port}/`), { fault: "NAME_NOT_FOUND" });
  assert.equal(reached(), 0);
  t.diagnostic(`after: ${reached()} of 9 requests reached the house`);
});

test("a name that turns to the house between two deliveries is judged at each", async (t) => {
  const { port, reached } = await inside(t);
  const answers = ["127.0.0.1", "127.0.0.2", "10.0.0.1"];
  let asked = 0;
  const resolve = () => {
    asked += 1;
    return Promise.resolve([{ address: answers.shift() ?? "", family: 4 }]);
  };
  const url = `http://rebinding.example:${port}/`;
  const posted = [1, 2, 3].map(() => send(url, { resolve, networks: house }));
  const [first, second, third] = await Promise.all(posted);
  assert.deepEqual(first, { status: 200, retryAfterMillis: 0 });
  for (const turned of [second, third]) assert.deepEqual(turned, { fault: "PRIVATE_ADDRESS" });
  assert.equal(asked, 3, "asked once a delivery: the judged answer is the connected one");
  assert.equal(reached(), 1);
});

test("a redirect into the house is an answer like any other, and is not followed", async (t) => {
  const target = await inside(t);
  const location = `http://127.0.0.1:${target.port}/secret`;
  for (const status of [301, 302, 303, 307, 308]) {
    const outer = await inside(t, (_, response) => response.writeHead(status, { location }).end());
    const posted = await send(`http://127.0.0.1:${outer.port}/`, { networks: house });
    assert.deepEqual(posted, { status, retryAfterMillis: 0 });
    assert.equal(outer.reached(), 1);
  }
  assert.equal(target.reached(), 0);
});

test("a network the operator lists is reached, and its neighbour is not", async (t) => {
  const { port, reached } = await inside(t);
  const posted = await send(`http://127.0.0.1:${port}/`, { networks: house });
  assert.deepEqual(posted, { status: 200, retryAfterMillis: 0 });
  const named = await send(`http://desk.example:${port}/`, {
    ...leadsTo("127.0.0.1"),
    networks: house,
  });
  assert.deepEqual(named, { status: 200, retryAfterMillis: 0 });
  const beside = await send(`http://127.0.0.2:${port}/`, { networks: house });
  assert.deepEqual(beside, { fault: "PRIVATE_ADDRESS" });
  const plain = await send("http://desk.example/", { ...leadsTo("8.8.8.8"), networks: house });
  assert.deepEqual(plain, { fault: "PRIVATE_ADDRESS" }, "without TLS only what is listed");
  assert.equal(reached(), 2);
});

test("a receiver that never ends, or never begins, is left in time", async (t) => {
  const endless = await inside(t, (_, response) => {
    const more = setInterval(() => response.write("x".repeat(65_536)), 1);
    response.once("close", () => clearInterval(more));
  });
  const guard = { networks: house, wholeMillis: 150 };
  const flooded = await send(`http://127.0.0.1:${endless.port}/`, guard);
  assert.deepEqual(flooded, { status: 200, retryAfterMillis: 0 }, "its answer is not read on");
  const silent = await inside(t, () => undefined);
  const waited = await send(`http://127.0.0.1:${silent.port}/`, guard);
  assert.deepEqual(waited, { fault: "TIMED_OUT" });
});
