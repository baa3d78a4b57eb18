// An object store that answers with far more than was asked for, or sends its reader elsewhere.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { S3Store } from "#storage/s3-store.ts";

const MIB = 1_048_576;
const isElsewhere = (status: number): boolean => status === 307;

/** Answers every request alike, and counts what was asked for. */
async function start(t: TestContext, status: number, bytes: number) {
  const asked: string[] = [];
  const counts = { sent: 0 };
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status, isElsewhere(status) ? { location: "/elsewhere" } : {});
    if (isElsewhere(status)) {
      response.end("<Error><Code>PermanentRedirect</Code></Error>");
      return;
    }
    const more = (): void => {
      if (response.destroyed) return;
      if (counts.sent >= bytes) {
        response.end();
        return;
      }
      counts.sent += MIB;
      response.write(Buffer.alloc(MIB, "x"), () => setImmediate(more));
    };
    more();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const key = { region: "us-east-1", accessKeyId: "a", secretAccessKey: "b" };
  const store = new S3Store({ url: `http://127.0.0.1:${address.port}/bucket`, ...key });
  return { store, asked, counts };
}

test("an answer that goes on and on is left at its bound", async (t) => {
  const listing = await start(t, 200, 200 * MIB);
  await assert.rejects(Array.fromAsync(listing.store.names()), /more than 4194304 bytes/);
  assert.ok(listing.counts.sent < 64 * MIB, `${listing.counts.sent} bytes of a list`);
  const refusal = await start(t, 403, 5 * MIB);
  await assert.rejects(refusal.store.put("one", Buffer.from("x")), /more than 4194304 bytes/);
  const object = await start(t, 200, 257 * MIB);
  await assert.rejects(object.store.get("one"), /more than 268435456 bytes/);
});

test("a store that sends elsewhere is named, and its key goes nowhere else", async (t) => {
  const { store, asked } = await start(t, 307, 0);
  await assert.rejects(store.get("one"), /it answered 307 PermanentRedirect/);
  await assert.rejects(Array.fromAsync(store.names()), /it answered 307 PermanentRedirect/);
  await assert.rejects(store.put("one", Buffer.from("x")), /it answered 307/);
  assert.ok(
    asked.every((url) => url.startsWith("/bucket")),
    asked.join(" "),
  );
});
