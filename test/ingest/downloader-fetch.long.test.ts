// One fetch against a server of our own that misleads, stalls, floods and breaks off.
// Invariant tested: what is not allowed is not contacted, and no fetch outlives its limits.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  downloadLimits,
  fetchFile,
  resolveName,
  type Validators,
} from "#ingest/downloads/download.ts";
import { DownloadFault } from "#ingest/downloads/fault.ts";
import type { Resolve } from "#outbound/addresses.ts";
import { until } from "#test/e2e/until.ts";
import { numberAt } from "#test/support/exchange.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { leadsTo, ProviderServer, whole } from "./download-server.ts";

const nothing: Validators = { etag: null, lastModified: null };
/** Long enough for a busy machine, short enough for a test that waits for them. */
const limits = { ...downloadLimits, connectMillis: 5_000, idleMillis: 300, wholeMillis: 5_000 };

interface Circumstances {
  readonly allow?: readonly string[];
  readonly known?: Validators;
  readonly wireBytes?: number;
  readonly idleMillis?: number;
  readonly resolve?: Resolve;
  readonly signal?: AbortSignal;
}

/** The whole file as text, or "unchanged". */
async function fetchText(url: string, circumstances: Circumstances = {}): Promise<string> {
  const { known = nothing, allow = [new URL(url).origin], resolve = resolveName } = circumstances;
  const visit = new AbortController();
  const given = circumstances.signal ?? visit.signal;
  const line = {
    allow: new Set(allow),
    limits: {
      ...limits,
      wireBytes: circumstances.wireBytes ?? limits.wireBytes,
      idleMillis: circumstances.idleMillis ?? limits.idleMillis,
    },
    resolve,
    signal: AbortSignal.any([given, visit.signal]),
  };
  try {
    const answer = await fetchFile(new URL(url), known, line);
    if (answer.type === "unchanged") return answer.type;
    return Buffer.concat(await Array.fromAsync(answer.body)).toString();
  } finally {
    visit.abort();
  }
}

/** The code of the fault it ends with. */
async function faultOf(url: string, circumstances: Circumstances = {}): Promise<string> {
  const error: unknown = await fetchText(url, circumstances).then(
    (text) => assert.fail(`it was fetched: ${text.slice(0, 80)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DownloadFault, String(error));
  return error.code;
}

test("a file comes as it was sent, with what its server calls it", async (t) => {
  const stamp = "Thu, 19 Nov 2026 08:00:00 GMT";
  const server = await ProviderServer.start(
    t,
    whole("a,b\n", { etag: '"x1"', "last-modified": stamp }),
  );
  const visit = new AbortController();
  const line = {
    allow: new Set([server.origin]),
    limits,
    resolve: resolveName,
    signal: visit.signal,
  };
  const answer = await fetchFile(new URL(`${server.origin}/a.csv?t=1`), nothing, line);
  assert.ok(answer.type === "file");
  assert.deepEqual(answer.validators, { etag: '"x1"', lastModified: stamp });
  assert.equal(Buffer.concat(await Array.fromAsync(answer.body)).toString(), "a,b\n");
  assert.equal(server.asked[0]?.path, "/a.csv?t=1");
  assert.equal(server.headerOf("if-none-match", 0), undefined);
  assert.equal(server.headerOf("accept-encoding", 0), "gzip");
});

test("a file that has not changed is not sent again", async (t) => {
  const server = await ProviderServer.start(t, (response) => response.writeHead(304).end());
  const known = { etag: '"x1"', lastModified: "Thu, 19 Nov 2026 08:00:00 GMT" };
  assert.equal(await fetchText(`${server.origin}/a.csv`, { known }), "unchanged");
  assert.equal(server.headerOf("if-none-match", 0), known.etag);
  assert.equal(server.headerOf("if-modified-since", 0), known.lastModified);
  const unasked = await faultOf(`${server.origin}/a.csv`);
  assert.equal(unasked, "BAD_STATUS", "nobody asked whether it had changed");
});

test("a redirect is followed on the list, with every status that means one", async (t) => {
  const target = await ProviderServer.start(t, whole("there\n"));
  for (const status of [301, 302, 303, 307, 308]) {
    const server = await ProviderServer.start(t, leadsTo(`${target.origin}/b.csv`, status));
    const allow = [server.origin, target.origin];
    assert.equal(await fetchText(`${server.origin}/a.csv`, { allow }), "there\n");
  }
  const alone = await ProviderServer.start(t, (response, { path }) => {
    if (path === "/b.csv") response.writeHead(200).end("here\n");
    else response.writeHead(302, { location: "b.csv" }).end();
  });
  assert.equal(await fetchText(`${alone.origin}/a.csv`), "here\n", "relative to where it was");
});

test("a redirect off the list is refused before anything is sent there", async (t) => {
  const other = await ProviderServer.start(t, whole("secret\n"));
  const server = await ProviderServer.start(t, leadsTo(`${other.origin}/b.csv`));
  const url = `${server.origin}/a.csv`;
  assert.equal(await faultOf(url), "NOT_ALLOWED");
  for (const location of [
    `http://127.0.0.1:${server.port}/b.csv`,
    `https://localhost:${server.port}/b.csv`,
    `http://user:word@localhost:${server.port}/b.csv`,
    "file:///etc/passwd",
    "data:text/csv,a",
  ]) {
    server.play = leadsTo(location);
    assert.equal(await faultOf(url), "NOT_ALLOWED", location);
  }
  server.play = (response) => response.writeHead(302).end();
  assert.equal(await faultOf(url), "BAD_STATUS", "without a place to go");
  assert.equal(other.connections, 0);
});

test("a circle of redirects ends after three", async (t) => {
  const server = await ProviderServer.start(t, leadsTo("/again"));
  assert.equal(await faultOf(`${server.origin}/a.csv`), "TOO_MANY_REDIRECTS");
  assert.equal(server.asked.length, 1 + downloadLimits.redirects);
});

test("what is too large is cut off, whether its size is told or not", async (t) => {
  const declared = await ProviderServer.start(t, (response) => {
    response.writeHead(200, { "content-length": "2001" }).flushHeaders();
  });
  // It would wait for the body for ever, if it waited for the body.
  const forever = { wireBytes: 2000, idleMillis: 60_000 };
  assert.equal(await faultOf(`${declared.origin}/a.csv`, forever), "TOO_LARGE");

  const row = Buffer.alloc(500, "x");
  const endless = await ProviderServer.start(t, (response) => {
    const pour = (): void => {
      if (!response.destroyed && response.write(row)) setImmediate(pour);
      else response.once("drain", pour);
    };
    pour();
  });
  assert.equal(await faultOf(`${endless.origin}/a.csv`, { wireBytes: 20_000 }), "TOO_LARGE");

  const exact = await ProviderServer.start(t, whole("x".repeat(2000)));
  const text = await fetchText(`${exact.origin}/a.csv`, { wireBytes: 2000 });
  assert.equal(text.length, 2000, "as much as is allowed is allowed");
});

test("a server that falls silent is left: before its headers, in them, in the body", async (t) => {
  const mute = await ProviderServer.start(t, () => undefined);
  assert.equal(await faultOf(`${mute.origin}/a.csv`), "STALLED");

  const halfHeaders = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
    const drip = setInterval(() => socket.write("y"), 20);
    socket.on("close", () => clearInterval(drip));
  });
  await new Promise<void>((listening) => halfHeaders.listen(0, "127.0.0.1", listening));
  t.after(() => halfHeaders.close());
  const port = numberAt(halfHeaders.address(), "port");
  assert.equal(await faultOf(`http://127.0.0.1:${port}/a.csv`), "STALLED", "dripping headers");

  const halfBody = await ProviderServer.start(t, (response) => {
    response.writeHead(200).write("RegionID,");
  });
  assert.equal(await faultOf(`${halfBody.origin}/a.csv`), "STALLED");
});

test("a name that cannot be connected in time is left", async () => {
  const never: Resolve = () => new Promise(() => undefined);
  const visit = new AbortController();
  const line = {
    allow: new Set(["http://localhost:1"]),
    limits: { ...limits, connectMillis: 50 },
    resolve: never,
    signal: visit.signal,
  };
  const fetched = fetchFile(new URL("http://localhost:1/a.csv"), nothing, line);
  await assert.rejects(fetched, { code: "NOT_CONNECTED" });
});

test("what breaks off is no file, whether its end was told or not", async (t) => {
  const short = await ProviderServer.start(t, (response) => {
    response.writeHead(200, { "content-length": "100" }).write("half", () => response.destroy());
  });
  assert.equal(await faultOf(`${short.origin}/a.csv`), "BROKEN_OFF");
  const chunked = await ProviderServer.start(t, (response) => {
    response.writeHead(200).write("half", () => response.destroy());
  });
  assert.equal(await faultOf(`${chunked.origin}/a.csv`), "BROKEN_OFF");
  const hangsUp = await ProviderServer.start(t, (response) => response.destroy());
  assert.equal(await faultOf(`${hangsUp.origin}/a.csv`), "BROKEN_OFF");
  await hangsUp.end();
  assert.equal(await faultOf(`${hangsUp.origin}/a.csv`), "NOT_CONNECTED");
});

test("a page, another status and an unknown encoding are no files", async (t) => {
  const server = await ProviderServer.start(t, (response) => response.writeHead(503).end("busy"));
  const url = `${server.origin}/a.csv`;
  assert.equal(await faultOf(url), "BAD_STATUS");
  server.play = (response) => response.writeHead(206).end("part");
  assert.equal(await faultOf(url), "BAD_STATUS");
  server.play = whole("<html>", { "content-type": "text/html; charset=utf-8" });
  assert.equal(await faultOf(url), "NOT_A_FILE");
  server.play = whole("?", { "content-encoding": "br" });
  assert.equal(await faultOf(url), "BAD_ENCODING");
});

test("an end from outside ends it at once and leaves no connection", async (t) => {
  const reason = new Error("the node stops");
  const ending = new AbortController();
  let isClosed = false;
  const server = await ProviderServer.start(t, (response) => {
    response.writeHead(200).write("half", () => ending.abort(reason));
    response.once("close", () => {
      isClosed = true;
    });
  });
  const fetched = fetchText(`${server.origin}/a.csv`, {
    signal: ending.signal,
    idleMillis: 60_000,
  });
  await assert.rejects(fetched, reason);
  await until("the server sees the connection end", () => isClosed);

  const late = fetchText(`${server.origin}/a.csv`, { signal: ending.signal });
  await assert.rejects(late, reason);
  assert.equal(server.connections, 1, "after the end nothing is begun");
});

test("a public name that leads to a private address is not connected", async (t) => {
  const server = await ProviderServer.start(t, whole("inner\n"));
  const leads = (...addresses: string[]): Resolve => {
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    return () => Promise.resolve(found);
  };
  const url = `https://files.example.org:${server.port}/a.csv`;
  for (const addresses of [
    ["127.0.0.1"],
    ["::1"],
    ["::ffff:127.0.0.1"],
    ["10.1.2.3"],
    ["169.254.169.254"],
    ["8.8.8.8", "192.168.1.1"],
  ]) {
    const fault = await faultOf(url, { resolve: leads(...addresses) });
    assert.equal(fault, "PRIVATE_ADDRESS", addresses.join(" "));
  }
  assert.equal(await faultOf(url, { resolve: leads() }), "NOT_CONNECTED");
  assert.equal(await faultOf(`http://10.0.0.1:${server.port}/a.csv`), "PRIVATE_ADDRESS");
  assert.equal(server.connections, 0);

  const plain = `http://localhost:${server.port}/a.csv`;
  const outside = await faultOf(plain, { resolve: leads("8.8.8.8") });
  assert.equal(outside, "PRIVATE_ADDRESS", "a loopback name leads nowhere else");
  assert.equal(await fetchText(plain, { resolve: leads("127.0.0.1") }), "inner\n");
});

test("a certificate nobody vouches for is refused, a vouched one is not", async (t) => {
  const tls = await selfSigned(t);
  if (tls === undefined) return t.skip("openssl, which makes the certificate, is not here");
  const server = await ProviderServer.start(t, whole("safe\n"), { tls });
  assert.equal(await faultOf(`${server.origin}/a.csv`), "NOT_CONNECTED");
  assert.equal(server.asked.length, 0);

  const usual = getCACertificates("default");
  t.after(() => setDefaultCACertificates(usual));
  setDefaultCACertificates([...usual, tls.cert]);
  assert.equal(await fetchText(`${server.origin}/a.csv`), "safe\n");
});

async function selfSigned(t: TestContext): Promise<{ key: string; cert: string } | undefined> {
  const folder = await temporaryFolder(t, "firstprint-tls-");
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"];
  try {
    const parameters = ["req", "-x509", ...kind, ...name, "-keyout", key, "-out", cert];
    execFileSync("openssl", parameters, { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
}
