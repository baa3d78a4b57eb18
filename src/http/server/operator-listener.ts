// The operator's own listener: a port of this machine, or a unix socket that its owner alone opens.
// Invariant: a socket that another exchange still answers on is never taken from it.

import { chmod, lstat, unlink } from "node:fs/promises";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { messageOf } from "#base/message-of.ts";
import { type ConnectionLimits, STRANGERS_KEEP_ALIVE_SECONDS } from "./connections.ts";

/** Few people, none of them strangers. */
export const operatorConnections: ConnectionLimits = {
  anAddress: 100,
  aLocalAddress: 100,
  all: 100,
  idleSeconds: STRANGERS_KEEP_ALIVE_SECONDS,
};

type Where = { readonly port: number } | { readonly path: string };

interface Listening {
  /** As a person would give it to the command line. */
  readonly address: string;
  close(): Promise<void>;
}

/** @throws Error in a sentence that names the setting */
export async function listenForOperators(
  server: FastifyInstance,
  where: Where,
): Promise<Listening> {
  try {
    return { address: await addressOf(server, where), close: async () => server.close() };
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`FIRSTPRINT_OPERATOR_LISTEN cannot be served: ${reason}`, { cause: error });
  }
}

async function addressOf(server: FastifyInstance, where: Where): Promise<string> {
  if ("port" in where) return server.listen({ host: "127.0.0.1", port: where.port });
  const { path } = where;
  await removeStale(path);
  await server.listen({ path });
  await chmod(path, 0o600);
  return `unix:${path}`;
}

/** A node that was killed leaves its socket behind. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} is there and is no socket`);
  if (await isAnswered(path)) throw new Error(`${path} is served by another process`);
  await unlink(path);
}

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect({ path });
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
