// Slow senders against a real port and the real clock: who is cut, who may take the time.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { admin, nothing } from "#http/route/route.ts";
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
  upload: async ({ upload }) => ({ data: { bytes: (await buffer(upload)).length } }),
});

const LONGEST_WAIT_MILLIS = 15_000;

const head = (path: string, headers: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, "host: localhost", ...headers, "", ""].join("\r\n");

const uploadOf = (length: number, ...more: readonly string[]): string =>
  head("/api/admin/files", [
    `x-admin-secret: ${ADMIN_SECRET}`,
    "content-type: text/csv",
    `content-length: ${length}`,
    ...more,
  ]);

const sockets: Socket[] = [];

/** Sends `first`, then a byte of `rest` a second; everything heard until the server closes. */
async function heardBy(exchange: World, first: string, rest: string): Promise<string> {
  const socket = connect(Number(new URL(exchange.url).port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  const heard = text(socket);
  const closed = once(socket, "close");
  await once(socket, "connect");
  socket.write(first);
  for (const byte of rest) {
    const gone = await Promise.race([wait(1_000, false), closed]);
    if (gone !== false) break;
    socket.write(byte);
  }
  return heard;
}

const answerIn = (heard: string) => {
  const at = heard.lastIndexOf("HTTP/1.1 ");
  const [top = "", body = ""] = heard.slice(at).split("\r\n\r\n");
  const parsed = JSON.parse(body);
  return { status: top.split("\r\n")[0], code: parsed.code, data: parsed.data };
};

const tooSlow = {
  status: "HTTP/1.1 408 Request Timeout",
  code: "REQUEST_TIMEOUT",
  data: undefined,
};

describe("slow senders", { concurrency: true, timeout: 60_000 }, () => {
  let closing: (() => Promise<void>)[] = [];
  const opened = World.open({ after: (end) => closing.push(end) }, [upload]).then(async (world) => {
    await world.listen();
    return { world, holder: await world.account("a") };
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    for (const end of closing) await end();
    closing = [];
  });

  const inquiry = (secret: string): string =>
    head("/api/kyc/inquiry", [
      `authorization: Bearer ${secret}`,
      "content-type: application/json",
      "content-length: 100",
    ]);
  const cases: readonly (readonly [string, (secret: string) => string, string])[] = [
    [
      "a header that comes a byte a second",
      () => "POST /api/kyc/inquiry HTTP/1.1\r\nhost: localhost\r\nx: ",
      "x".repeat(30),
    ],
    ["a JSON body that comes a byte a second", inquiry, "{".repeat(30)],
    ["a JSON body that stalls", (secret) => `${inquiry(secret)}{`, ""],
    ["a JSON body after an upload", (secret) => `${uploadOf(4)}0123${inquiry(secret)}`, "{{{"],
    ["an upload that stalls", () => `${uploadOf(24)}0123`, ""],
    ["an upload that stalls before its first byte", () => uploadOf(24), ""],
  ];
  for (const [name, first, rest] of cases) {
    test(`${name} is cut within 15 s, with 408 in the envelope`, async () => {
      const { world, holder } = await opened;
      const heard = heardBy(world, first(holder.secret), rest);
      const late = wait(LONGEST_WAIT_MILLIS, "nothing yet", { ref: false });
      const first408 = await Promise.race([heard, late]);
      assert.deepEqual(answerIn(first408), tooSlow);
    });
  }

  test("an upload that keeps coming takes the time it needs", async () => {
    const { world } = await opened;
    const heard = await heardBy(
      world,
      `${uploadOf(24, "connection: close")}0123456`,
      "x".repeat(17),
    );
    assert.deepEqual(answerIn(heard), {
      status: "HTTP/1.1 200 OK",
      code: undefined,
      data: { bytes: 24 },
    });
  });
});
