// firstprint listen as a process: what it posts, how it is signed, and what it says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Receiver } from "#test/webhooks/receiver.ts";
import { run, startRecorder } from "./recorder.ts";

const secret = `whsec_${Buffer.from("a secret of thirty two bytes !!!").toString("base64")}`;

const entry = (sequence: number): string =>
  `id: ${sequence}\nevent: entry\ndata: ${JSON.stringify({
    sequence,
    time: "2024-11-20T00:00:00.000Z",
    events: [{ type: "fill" }, { type: "cash" }, { type: "fill" }],
  })}\n\n`;

const beat = `id: 9\nevent: heartbeat\ndata: {"sequence":9,"head":9}\n\n`;

test("each entry of the private stream is posted as a webhook would be", async (t) => {
  const receiver = await Receiver.open(t);
  receiver.secrets.add(secret);
  receiver.answer = ({ sequence }, response) =>
    void response.writeHead(sequence === 9 ? 302 : 204, { location: "/elsewhere" }).end();
  const text = entry(7) + entry(9) + beat;
  const sse = { text, headers: { "content-type": "text/event-stream" } };
  const { url, requests } = await startRecorder(t, sse);
  const line = ["listen", "--forward-to", receiver.url, "--secret", secret, "--after", "6"];
  const more = ["--types", "fill,cash", "--entries", "2", "--key", "fp_test_x", "--url", url];
  const ran = await run([...line, ...more]);
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(ran.stdout, "7  fill,cash  204\n9  fill,cash  302\n");
  assert.equal(ran.stderr, "Signing with the secret you gave\n");
  assert.equal(requests[0]?.url, "/api/trading/stream?types=fill%2Ccash&lastEventId=6");
  assert.equal(requests[0]?.headers.authorization, "Bearer fp_test_x");
  assert.deepEqual(receiver.sequences, [7, 9], "a redirect is not followed");
  for (const { signatures, id, sequence } of receiver.got) {
    assert.deepEqual(signatures, [1, 1]);
    assert.equal(id, `msg_listen_${sequence}`);
  }
});

test("nobody there is told, and the next entry is posted all the same", async (t) => {
  const receiver = await Receiver.open(t);
  const { url: gone } = receiver;
  await receiver.close();
  const sse = {
    text: entry(7) + entry(9) + beat,
    headers: { "content-type": "text/event-stream" },
  };
  const { url } = await startRecorder(t, sse);
  const line = ["listen", "--forward-to", gone, "--entries", "2", "--key", "fp_test_x"];
  const ran = await run([...line, "--url", url]);
  assert.equal(ran.status, 0, ran.stderr);
  assert.match(ran.stdout, /^7 {2}fill,cash {2}not delivered: .*ECONNREFUSED.*\n9 {2}.*\n$/);
  assert.match(ran.stderr, /^Signing with whsec_[A-Za-z0-9+/]{43}=\n$/);
  for (const wrong of ["localhost:3000", "ftp://localhost/", "hook"]) {
    const refused = await run(["listen", "--forward-to", wrong, "--key", "x", "--url", url]);
    assert.equal(refused.status, 2, refused.stderr);
    assert.match(refused.stderr, /--forward-to must be an address/);
  }
});
