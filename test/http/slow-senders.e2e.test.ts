// Slow senders against a real port and the real clock: who is cut, who may take the time.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { admin, nothing } from "#http/route.ts";
import { ADMIN_SECRET, World } from "./world.ts";

const upload = admin.upload({
  method: "POST",
  url: "/api/admin/files",
  access: "operator",
  summary: "Counts the bytes of a file",
  params: nothing,
  query: nothing,
  data: Type.Object({ bytes: Type.Integer() }),
  accepts: { types: ["text/csv"], limitBytes: 1_000_000 },
  upload: async ({ stream }) => ({ data: { bytes: (await buffer(stream)).length } }),
});

const LONGEST_WAIT_MILLIS = 15_000;

const head = (path: string, headers: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, "host: exchange", ...headers, "", ""].join("\r\n");

const uploadHead = head("/api/admin/files", [
  `x-admin-secret: ${ADMIN_SECRET}`,
  "content-type: text/csv",
  "content-length: 24",
]);

interface Spoken {
  readonly status: string;
  readonly code: unknown;
  readonly bytes: unknown;
}

/** Sends `first`, then a byte a second while there is one; returns what came before the close. */
async function speak(exchange: World, first: string, rest: string): Promise<Spoken> {
  const socket = connect(Number(new URL(exchange.url).port), "127.0.0.1");
  await once(socket, "connect");
  let open = true;
  socket.once("close", () => {
    open = false;
  });
  socket.on("error", () => undefined);
  const heard = text(socket);
  socket.write(first);
  for (const byte of rest) {
    await wait(1_000);
    if (!open) break;
    socket.write(byte);
  }
  const [answerHead = "", body = ""] = (await heard).split("\r\n\r\n");
  const parsed = JSON.parse(body);
  return {
    status: answerHead.split("\r\n")[0] ?? "",
    code: parsed.code,
    bytes: parsed.data?.bytes,
  };
}

async function opened(t: TestContext): Promise<World> {
  const exchange = await World.open(t, [upload]);
  await exchange.listen();
  return exchange;
}

const patience = { timeout: 3 * LONGEST_WAIT_MILLIS };

const tooSlow = { status: "HTTP/1.1 408 Request Timeout", code: "REQUEST_TIMEOUT", bytes: undefined };

for (const [name, first, rest] of [
  ["a header that never ends", "POST /api/kyc/inquiry HTTP/1.1\r\nhost: exchange\r\nx: ", "a"],
  [
    "a JSON body that comes a byte a second",
    head("/api/status", ["content-type: application/json", "content-length: 100"]),
    "{".repeat(30),
  ],
  ["an upload that stalls", `${uploadHead}0123`, ""],
  ["an upload that stalls without a byte", uploadHead, ""],
] as const) {
  test(`${name} is cut with 408 in the envelope within 15 s`, { ...patience, concurrency: 8 }, async (t) => {
    const exchange = await opened(t);
    const deadline = wait(LONGEST_WAIT_MILLIS, undefined, { ref: false });
    assert.deepEqual(await Promise.race([speak(exchange, first, rest), deadline]), tooSlow);
  });
}

test("an upload that keeps coming takes as long as it takes", patience, async (t) => {
  const exchange = await opened(t);
  const sent = `${uploadHead.replace("content-type", "connection: close\r\ncontent-type")}0123456`;
  const spoken = await speak(exchange, sent, "x".repeat(17));
  assert.deepEqual(spoken, { status: "HTTP/1.1 200 OK", code: undefined, bytes: 24 });
});
