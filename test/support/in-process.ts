// The whole product in the test's own process: its settings, its wiring, its database, a port.
// Invariant: only what is asked over HTTP is tried here; what a process shows, or how it dies,
// takes one of its own (`Exchange`).
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Lifetime } from "#node/lifetime.ts";
import { readSettings } from "#node/settings.ts";
import { start } from "#node/start.ts";
import type { Connection } from "#storage/embedded.ts";
import { createDatabase, urlOf } from "./database.ts";
import { ADMIN_SECRET, ExchangeClient } from "./exchange.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const programs = { verify: path("../../src/verify.ts"), archive: path("../../src/archive.ts") };

/** A test, or whatever else ends what was started for it. */
interface Scope {
  after(end: () => Promise<void>): void;
}

export class InProcessExchange extends ExchangeClient {
  readonly dataDir: string;
  readonly #connection: Connection;
  readonly #environment: Readonly<Record<string, string>>;
  #lifetime = new Lifetime();
  #greeting = "";

  private constructor(
    dataDir: string,
    connection: Connection,
    environment: Readonly<Record<string, string>>,
  ) {
    super();
    this.dataDir = dataDir;
    this.#connection = connection;
    this.#environment = environment;
  }

  /** Starts one without the sample, on a database of its own; it ends with the test. */
  static async start(
    t: Scope,
    environment: Readonly<Record<string, string>> = {},
    given?: Connection,
  ): Promise<InProcessExchange> {
    const exchange = await InProcessExchange.unstarted(t, environment, given);
    await exchange.up();
    return exchange;
  }

  /** The same with an empty data folder, which a test fills before it starts it. */
  static async unstarted(
    t: Scope,
    environment: Readonly<Record<string, string>> = {},
    given?: Connection,
  ): Promise<InProcessExchange> {
    const dataDir = await mkdtemp(join(tmpdir(), "firstprint-in-process-"));
    const connection = given ?? (await createDatabase(t));
    const exchange = new InProcessExchange(dataDir, connection, environment);
    t.after(async () => {
      await exchange.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
    return exchange;
  }

  get url(): string {
    const address = /http:\/\/[\d.]+:\d+/.exec(this.#greeting)?.[0];
    assert.ok(address !== undefined, `an address is in ${this.#greeting}`);
    return address;
  }

  async connection(): Promise<Connection> {
    return this.#connection;
  }

  /** The text that a person who starts it reads. */
  get greeting(): string {
    return this.#greeting;
  }

  /** A start that breaks off ends what it has opened, and rejects with what a person would read. */
  async up(more: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#lifetime = new Lifetime();
    const environment = {
      PORT: "0",
      DATABASE_URL: urlOf(this.#connection),
      FIRSTPRINT_DATA_DIR: this.dataDir,
      FIRSTPRINT_ADMIN_SECRET: ADMIN_SECRET,
      FIRSTPRINT_PUBLIC_RATE: "100000",
      FIRSTPRINT_LOG_LEVEL: "error",
      FIRSTPRINT_SAMPLE: "0",
      ...this.#environment,
      ...more,
    };
    try {
      this.#greeting = await start(readSettings(environment), this.#lifetime, programs);
    } catch (error) {
      await this.#lifetime.end();
      throw error;
    }
  }

  /** Ends every part in its order, as a process that was asked to leave does. */
  async stop(): Promise<void> {
    await this.#lifetime.end();
  }
}
