// A local S3 server for tests, in the test's process and on a folder of its own. It knows its key by
// name and computes no signature of version 4.
// Invariant: it ends with its test, and so does its folder; killed, it cuts every connection.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The part that is used of the package, which has no types. */
interface S3rver {
  readonly httpServer: Server;
  run(): Promise<unknown>;
  close(): Promise<void>;
}

const Local: new (options: object) => S3rver = createRequire(import.meta.url)("s3rver");

const BUCKET = "raw";
const PREFIX = "of/tests";

interface Scope {
  after(end: () => Promise<void>): void;
}

export class ObjectServer {
  /** The bucket's objects are files in it. */
  readonly folder: string;
  /** Drawn by the first start, and kept by those after it. */
  #port = 0;
  #running: S3rver | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(t: Scope): Promise<ObjectServer> {
    const folder = await mkdtemp(join(tmpdir(), "firstprint-objects-"));
    const server = new ObjectServer(folder);
    t.after(async () => {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    });
    await server.up();
    return server;
  }

  /** The folder under which those of `address` lie. */
  get objects(): string {
    return join(this.folder, BUCKET, PREFIX);
  }

  /** The only key that it knows. */
  get address() {
    return {
      url: `http://127.0.0.1:${this.#port}/${BUCKET}/${PREFIX}`,
      region: "us-east-1",
      accessKeyId: "S3RVER",
      secretAccessKey: "S3RVER",
    };
  }

  /** As settings of an exchange. */
  get environment() {
    const { url, accessKeyId, secretAccessKey } = this.address;
    return {
      FIRSTPRINT_S3_URL: url,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    };
  }

  async up(): Promise<void> {
    const running = new Local({
      address: "127.0.0.1",
      port: this.#port,
      directory: this.folder,
      silent: true,
      configureBuckets: [{ name: BUCKET }],
    });
    await running.run();
    this.#running = running;
    const address = running.httpServer.address();
    assert.ok(typeof address === "object" && address !== null, "it listens on a port");
    this.#port = address.port;
  }

  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    const closed = running.close();
    running.httpServer.closeAllConnections();
    await closed;
  }
}
