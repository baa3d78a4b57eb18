// A local S3 server for tests: a process of its own, on a folder of its own. It knows its key by
// name and computes no signature of version 4.
// Invariant: it ends with its test, and so does its folder.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "#test/e2e/until.ts";
import { freePort } from "#test/support/free-port.ts";
import { checkout } from "./exchange.ts";

const BUCKET = "raw";
const PREFIX = "of/tests";

interface Scope {
  after(end: () => Promise<void>): void;
}

export class ObjectServer {
  /** The bucket's objects are files in it. */
  readonly folder: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.#port = port;
  }

  static async start(t: Scope): Promise<ObjectServer> {
    const folder = await mkdtemp(join(tmpdir(), "firstprint-objects-"));
    const server = new ObjectServer(folder, await freePort());
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
    const program = join(checkout, "node_modules/s3rver/bin/s3rver.js");
    const place = ["-d", this.folder, "-a", "127.0.0.1", "-p", String(this.#port)];
    this.#process = spawn(
      process.execPath,
      [program, ...place, "--silent", "--configure-bucket", BUCKET],
      { stdio: "ignore" },
    );
    await until("the S3 server answers", async () =>
      fetch(`http://127.0.0.1:${this.#port}/`).then(
        () => true,
        () => false,
      ),
    );
  }

  async kill(): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server === undefined) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }
}
