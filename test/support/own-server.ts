// A PostgreSQL server as an operator would run one: no setting on its command line but its socket.
// Invariant: it ends with its test, and so does its folder.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { type Connection, startEmbedded } from "#storage/embedded.ts";
import {
  bareEnvironment,
  installedNative,
  serverAccount,
  usableNative,
} from "#storage/embedded-binaries.ts";
import { clusterArgument } from "#storage/embedded-server.ts";
import { giveCluster } from "./made-cluster.ts";

const PATIENCE_MILLIS = 60_000;

export async function startOwnServer(t: TestContext): Promise<Connection> {
  const dataDir = await mkdtemp(join(tmpdir(), "firstprint-own-"));
  // Made by the exchange, then run without it.
  await giveCluster(dataDir);
  const made = await startEmbedded({ dataDir });
  await made.stop();
  const cluster = join(dataDir, "postgresql", "cluster");
  const account = serverAccount(cluster);
  const { native } = await usableNative(installedNative(), account, join(dataDir, "copies"));
  const server = spawn(
    join(native, "bin", "postgres"),
    ["-D", clusterArgument(cluster, account), "-k", ".", "-c", "listen_addresses="],
    { cwd: cluster, env: bareEnvironment, stdio: "ignore", ...account },
  );
  const ended = once(server, "exit");
  t.after(async () => {
    server.kill("SIGQUIT");
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  });
  await untilServing(made.connection);
  return made.connection;
}

async function untilServing(connection: Connection): Promise<void> {
  const deadline = Date.now() + PATIENCE_MILLIS;
  for (;;) {
    const client = new Client(connection);
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      assert.ok(Date.now() < deadline, `the server does not start: ${error}`);
    }
    await sleep(50);
  }
}
