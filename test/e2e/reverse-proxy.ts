// HAProxy and nginx as deploy/ configures them, run over the nodes of a test.
// Invariant: the files are those that ship; only addresses and the folder of the cache are put in.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout, type Exchange } from "#test/support/exchange.ts";
import { freePort } from "#test/support/free-port.ts";
import type { Followed } from "./followed.ts";
import { until } from "./until.ts";

interface Scope {
  after(end: () => Promise<void>): void;
}

export const configOf = (name: string): Promise<string> =>
  readFile(join(checkout, "deploy", name), "utf8");

/** The file with the addresses of these nodes; a node that stands by is left out. */
async function configured(
  name: string,
  port: number,
  folder: string,
  { leader, followers }: Followed,
) {
  const hostOf = (node: Exchange | undefined): string => new URL(node?.url ?? "").host;
  const [one, two] = followers;
  const config = (await configOf(name))
    .replaceAll(/^ *server node2 .*\n/gm, "")
    .replaceAll("10.0.0.11:4600", hostOf(leader))
    .replaceAll("10.0.0.21:4600", hostOf(one))
    .replaceAll("10.0.0.22:4600", hostOf(two))
    .replace("bind :80\n", `bind 127.0.0.1:${port}\n`)
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("/var/cache/nginx/firstprint", join(folder, "cache"));
  const path = join(folder, name);
  await writeFile(path, config);
  return path;
}

const programs = {
  "haproxy.cfg": (path: string) => ["haproxy", "-db", "-f", path],
  "nginx.conf": (path: string, folder: string) => [
    "nginx",
    ...["-p", folder, "-c", path, "-e", join(folder, "error.log")],
    ...["-g", `daemon off; pid ${join(folder, "pid")};`],
  ],
} as const;

export type ProxyConfig = keyof typeof programs;

/** It comes and goes on one port. */
export class ReverseProxy {
  readonly url: string;
  readonly #name: ProxyConfig;
  readonly #command: readonly string[];
  readonly #folder: string;
  #process: ChildProcess | undefined;
  #complaint = "";

  private constructor(name: ProxyConfig, port: number, path: string, folder: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.#name = name;
    this.#command = programs[name](path, folder);
    this.#folder = folder;
  }

  /** Serves until the test ends. */
  static async start(t: Scope, name: ProxyConfig, followed: Followed): Promise<ReverseProxy> {
    const folder = await mkdtemp(join(tmpdir(), "firstprint-proxy-"));
    // Workers of nginx are of another user. Where they cannot reach their cache, reads are 500 until
    // it is taken for known, a minute after the start.
    await chmod(folder, 0o755);
    const port = await freePort();
    const path = await configured(name, port, folder, followed);
    const proxy = new ReverseProxy(name, port, path, folder);
    t.after(async () => {
      await proxy.end("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    });
    await proxy.up();
    return proxy;
  }

  async up(): Promise<void> {
    const [program = "", ...args] = this.#command;
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.on("data", (chunk: Buffer) => (this.#complaint += chunk.toString()));
    this.#process = child;
    await until(`${this.#name} serves`, async () => {
      assert.equal(child.exitCode, null, this.#complaint);
      const said = await fetch(`${this.url}/api/time`).catch(() => undefined);
      return said?.status === 200;
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  /** Its own complaints. */
  complaints(): Promise<string> {
    const log = join(this.#folder, "error.log");
    return readFile(log, "utf8").catch(() => this.#complaint);
  }
}

/** Undefined where its program is installed. */
export function whyNotProxied(name: ProxyConfig): string | undefined {
  const [program = ""] = programs[name]("", "");
  if (spawnSync(program, ["-v"]).error === undefined) return undefined;
  return `${program} is not installed: apt-get install -y haproxy nginx-light`;
}
