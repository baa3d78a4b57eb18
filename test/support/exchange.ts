// A real exchange for end-to-end tests: a process of its own, in a folder of its own, over HTTP.
// Invariant: no test shares a process, a port or a folder with another.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { adminPermissions } from "#core/records.ts";
import { type Connection, runningConnection } from "#storage/embedded.ts";
import { createDatabase, urlOf } from "./database.ts";
import { giveCluster } from "./made-cluster.ts";

export const checkout = fileURLToPath(new URL("../../", import.meta.url));
/** Looks like nothing else, so that it can be searched for. */
export const ADMIN_SECRET = "Qm7dV2xKfT9hW4cZ8rJ3nB6sLy1gP5uXeA0v";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The tests read answers as a stranger would: any shape may come.
  readonly body: Json;
}

/** Parsed JSON, read by path: `at(body, "data", "cash")`. */
export type Json = unknown;

/** The value at a path; undefined where there is none. */
export function at(value: Json, ...path: readonly (string | number)[]): Json {
  let here: unknown = value;
  for (const name of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = Reflect.get(here, name);
  }
  return here;
}

/** Written where something is missing alone: whole exports are looked into. */
const lacking = (kind: string, value: Json, path: readonly (string | number)[]): never =>
  assert.fail(`${path.join(".")} is ${kind} in ${JSON.stringify(value)}`);

export function textAt(value: Json, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : lacking("text", value, path);
}

export function numberAt(value: Json, ...path: readonly (string | number)[]): number {
  const found = at(value, ...path);
  return typeof found === "number" ? found : lacking("a number", value, path);
}

export function listAt(value: Json, ...path: readonly (string | number)[]): readonly Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : lacking("a list", value, path);
}

interface Credential {
  readonly key?: string;
  readonly admin?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A test, or whatever else ends what was started for it. */
interface Scope {
  after(end: () => Promise<void>): void;
}

/** A client over HTTP of an exchange, wherever it runs. */
export abstract class ExchangeClient {
  abstract readonly dataDir: string;
  abstract get url(): string;
  /** To its database, which a test looks at beside it. */
  abstract connection(): Promise<Connection>;

  async request(
    method: string,
    path: string,
    body: Json | undefined,
    credential: Credential = {},
  ): Promise<Reply> {
    const headers = new Headers(credential.headers);
    if (credential.key !== undefined) headers.set("authorization", `Bearer ${credential.key}`);
    if (credential.admin === true) headers.set("x-admin-secret", ADMIN_SECRET);
    if (body !== undefined) headers.set("content-type", "application/json");
    const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
    return replyOf(await fetch(this.url + path, { method, headers, body: text }));
  }

  get(path: string, credential?: Credential): Promise<Reply> {
    return this.request("GET", path, undefined, credential);
  }

  post(path: string, body: Json, credential?: Credential): Promise<Reply> {
    return this.request("POST", path, body, credential);
  }

  /** As `post`, for the operator; fails the test unless it is accepted. */
  async admin(path: string, body: Json): Promise<Json> {
    const reply = await this.post(`/api/admin/${path}`, body, { admin: true });
    assert.ok(reply.status < 300, `${path}: ${reply.status} ${reply.text}`);
    return at(reply.body, "data");
  }

  /** Sends a file as it lies on disk; gzip by its name. */
  async ingest(file: URL, query: Readonly<Record<string, string>>): Promise<Reply> {
    const type = file.pathname.endsWith(".gz") ? "application/gzip" : "text/csv";
    const init: RequestInit = {
      method: "POST",
      headers: { "content-type": type, "x-admin-secret": ADMIN_SECRET },
      body: ReadableStream.from(createReadStream(file)),
      duplex: "half",
    };
    return replyOf(
      await fetch(`${this.url}/api/admin/releases?${new URLSearchParams(query)}`, init),
    );
  }

  /**
   * A KYC'd and funded account; its first key holds every permission of its role. Root opens two
   * operators alone, no more.
   */
  async trader(name: string, amount: string, role = "trader"): Promise<Trader> {
    const given = role === "operator" ? { permissions: adminPermissions } : {};
    const opened = await this.admin("accounts", { name, role, ...given });
    const id = textAt(opened, "account", "id");
    await this.admin(`accounts/${id}/kyc`, {
      decision: "approve",
      tier: "institutional",
      countryCode: "US",
      sanctionsCleared: true,
      pepScreened: true,
      adverseMediaCleared: true,
      listVersion: "test",
      accreditation: { basis: "test", evidenceId: "ev-1" },
    });
    if (amount !== "0") await this.admin(`accounts/${id}/funding`, { amount });
    return {
      id,
      address: textAt(opened, "account", "address"),
      key: textAt(opened, "key", "secret"),
    };
  }

  /** Cash in micro-dollars. */
  async cash(account: string): Promise<bigint> {
    const reply = await this.get(`/api/admin/accounts/${account}`, { admin: true });
    const text = textAt(reply.body, "data", "cash");
    const [whole = "0", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(6, "0"));
  }
}

export class Exchange extends ExchangeClient {
  readonly dataDir: string;
  /** The checkout that the next `up` starts: this one, or an older version's. */
  program = checkout;
  readonly #environment: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #url = "";
  #output = "";
  #connection: Connection | undefined;

  private constructor(dataDir: string, environment: Readonly<Record<string, string>>) {
    super();
    this.dataDir = dataDir;
    this.#environment = environment;
  }

  /**
   * Starts one without the sample, its folder prepared, on a database of its own on the server of
   * the run; it ends and goes with the test.
   */
  static async start(
    t: Scope,
    environment: Readonly<Record<string, string>> = {},
    prepare?: (dataDir: string) => Promise<void>,
    program?: string,
  ): Promise<Exchange> {
    const prepared = prepare ?? (() => Promise.resolve());
    if ("DATABASE_URL" in environment) {
      return Exchange.startEmbedded(t, environment, prepared, program);
    }
    const connection = await createDatabase(t);
    const given = { ...environment, DATABASE_URL: urlOf(connection) };
    const exchange = await Exchange.startEmbedded(t, given, prepared, program);
    exchange.#connection = connection;
    return exchange;
  }

  /** The same with the PostgreSQL that comes with the exchange, in its folder. */
  static async startEmbedded(
    t: Scope,
    environment: Readonly<Record<string, string>> = {},
    prepare: (dataDir: string) => Promise<void> = giveCluster,
    program = checkout,
  ): Promise<Exchange> {
    const dataDir = await mkdtemp(join(tmpdir(), "firstprint-e2e-"));
    const exchange = new Exchange(dataDir, { FIRSTPRINT_SAMPLE: "0", ...environment });
    exchange.program = program;
    t.after(async () => {
      await exchange.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
    await prepare(dataDir);
    await exchange.up();
    return exchange;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    const pid = this.#process?.pid;
    assert.ok(pid !== undefined, "the exchange runs");
    return pid;
  }

  /** The settings by which other programs find its folder and database. */
  get place(): Readonly<Record<string, string>> {
    const { DATABASE_URL: url } = this.#environment;
    return {
      FIRSTPRINT_DATA_DIR: this.dataDir,
      ...(url === undefined ? {} : { DATABASE_URL: url }),
    };
  }

  /** To its database, which a test looks at beside it. */
  async connection(): Promise<Connection> {
    const connection = this.#connection ?? (await runningConnection(this.dataDir));
    assert.ok(connection !== undefined, "the database that it started runs");
    return connection;
  }

  /** Everything the process has printed. */
  get output(): string {
    return this.#output;
  }

  /** Starts the process and waits until it is open; returns how long that took, in milliseconds. */
  async up(more: Readonly<Record<string, string>> = {}): Promise<number> {
    const started = performance.now();
    const child = spawn(process.execPath, ["src/main.ts"], {
      cwd: this.program,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        PORT: "0",
        FIRSTPRINT_DATA_DIR: this.dataDir,
        FIRSTPRINT_ADMIN_SECRET: ADMIN_SECRET,
        FIRSTPRINT_PUBLIC_RATE: "100000",
        ...this.#environment,
        ...more,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    this.#url = await this.#addressOf(child);
    await this.#untilOpen();
    return performance.now() - started;
  }

  /** SIGTERM; returns the exit code. */
  async stop(): Promise<number | null> {
    return this.#end("SIGTERM");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Sends a signal that does not end it. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill(signal);
    return ended;
  }

  #addressOf(child: ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
      const listen = (chunk: Buffer): void => {
        this.#output += chunk.toString();
        const address = /http:\/\/[\d.]+:\d+/.exec(this.#output.slice(from))?.[0];
        if (address !== undefined) resolve(address);
      };
      const from = this.#output.length;
      child.stdout?.on("data", listen);
      child.stderr?.on("data", listen);
      child.once("exit", (code, signal) => {
        const printed = this.#output.slice(from);
        reject(new Error(`the exchange ended with ${code ?? signal}: ${printed}`));
      });
    });
  }

  async #untilOpen(): Promise<void> {
    for (let tries = 0; tries < 400; tries += 1) {
      const ready = await fetch(`${this.#url}/api/health/ready`).catch(() => undefined);
      // Unread, it would keep its connection: the next request would open another, and one later
      // would find this one as the exchange closes it, five seconds idle.
      const body: Json = await ready?.json();
      if (ready?.status === 200 || at(body, "mode") === "standby") return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    assert.fail(`the exchange did not open: ${this.#output}`);
  }
}

export interface Trader {
  readonly id: string;
  readonly address: string;
  readonly key: string;
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const body: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body };
}
