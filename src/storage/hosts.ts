// The servers that `DATABASE_URL` names: connections go to the one that accepts writes.
// Invariant: of several that do, the last promoted counts; no connection to another one stays.
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConfig } from "pg";
import { messageOf } from "#base/message-of.ts";
import { withClient } from "./with-client.ts";

interface ServerAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
}

interface Server extends ServerAddress {
  readonly url: string;
}

const DEFAULT_PORT = "5432";
/** A server that does not say within this whether it accepts writes is passed over. */
const LOOK_MILLIS = 3_000;
/** How long the others are waited for once one accepts writes. */
const GRACE_MILLIS = 500;
/** Connections that are opened together are led to the same server. */
const FRESH_MILLIS = 500;
/** A server that owes an answer for so long may be over: it is looked whether another is led on. */
const SILENT_MILLIS = 2_000;
const LOOK_AGAIN_MILLIS = 1_000;

/**
 * The servers of a URL with several hosts, as libpq has it: `postgres://user@a:5432,b:5432/db`, or
 * in the query (`host=a,b&port=5432,5432`). One where there is one host.
 */
export function serversIn(databaseUrl: string): readonly Server[] {
  const form = /^(postgres(?:ql)?:\/\/)([^@/?]*@)?([^/?]*)(\/[^?]*)?(?:\?(.*))?$/;
  const [, scheme = "", user = "", authority = "", path = "", text = ""] =
    form.exec(databaseUrl) ?? [];
  const query = new URLSearchParams(text);
  const named = query.get("host");
  const ports = (query.get("port") ?? DEFAULT_PORT).split(",");
  const places =
    named === null
      ? authority.split(",").map(placeIn)
      : named.split(",").map((host, at) => ({ host, port: ports[at] ?? ports[0] ?? DEFAULT_PORT }));
  for (const name of ["host", "port", "target_session_attrs"]) query.delete(name);
  return places.map(({ host, port }) => {
    const own = new URLSearchParams([...query, ["host", host], ["port", port]]);
    return { host, port: Number(port), url: `${scheme}${user}${path}?${own}` };
  });
}

function placeIn(part: string): { readonly host: string; readonly port: string } {
  const [, host = "", port = DEFAULT_PORT] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(part) ?? [];
  return { host: host.replace(/^\[|\]$/g, ""), port };
}

/** Several of one host differ in their ports. */
const nameOf = ({ host, port }: ServerAddress): string => `${host}:${port}`;

/** A client of this database connects with it, wherever the database is led from. */
export function connectionOf(databaseUrl: string): ClientConfig {
  const servers = serversIn(databaseUrl);
  const [first] = servers;
  if (first === undefined || servers.length === 1) return { connectionString: databaseUrl };
  const hosts = new Hosts(servers);
  return { connectionString: first.url, stream: () => hosts.socket() };
}

/**
 * Where connections of `config` have heard nothing since `heardAt`, on `performance`'s clock, a new
 * one is opened again and again: it goes where writes are accepted, and cuts those that are
 * elsewhere. A server that is only slow keeps them, since no other accepts writes.
 * @returns the end of it
 */
export function lookWhileSilent(config: ClientConfig, heardAt: () => number): () => void {
  // One host has nothing beside it.
  if (config.stream === undefined) return () => undefined;
  const timer = setInterval(() => {
    if (performance.now() < heardAt() + SILENT_MILLIS) return;
    void withClient(config, async () => undefined).catch(() => undefined);
  }, LOOK_AGAIN_MILLIS).unref();
  return () => clearInterval(timer);
}

class NoneWritable extends Error {
  readonly code = "NO_WRITABLE_HOST";
}

class Hosts {
  readonly #servers: readonly Server[];
  readonly #open = new Map<Socket, Server>();
  #found: { readonly begunAt: number; readonly server: Server } | undefined;
  #asked: { readonly at: number; readonly found: Promise<Server> } | undefined;

  constructor(servers: readonly Server[]) {
    this.#servers = servers;
  }

  /** One that connects to the server that accepts writes by then, whatever it is asked for. */
  socket(): Socket {
    const socket = new Socket();
    const connect = socket.connect.bind(socket);
    const lead = (): Socket => {
      this.#writable().then(
        (server) => {
          if (socket.destroyed) return;
          this.#open.set(socket, server);
          socket.once("close", () => this.#open.delete(socket));
          const { host, port } = server;
          if (host.startsWith("/")) connect(`${host}/.s.PGSQL.${port}`);
          else connect(port, host);
        },
        (error: Error) => socket.destroy(error),
      );
      return socket;
    };
    return Object.assign(socket, { connect: lead });
  }

  #writable(): Promise<Server> {
    const now = performance.now();
    if (this.#asked === undefined || now > this.#asked.at + FRESH_MILLIS) {
      this.#asked = { at: now, found: this.#look() };
    }
    return this.#asked.found;
  }

  async #look(): Promise<Server> {
    const begunAt = performance.now();
    const server = await newestWritable(this.#servers);
    // One that began before this one has ended knows less: a server that hung answers late.
    if (this.#found !== undefined && this.#found.begunAt > begunAt) return this.#found.server;
    this.#found = { begunAt, server };
    // A connection elsewhere reads what is over, or waits for a server that nobody leads on.
    for (const [socket, other] of this.#open) {
      if (other !== server)
        socket.destroy(new NoneWritable(`${nameOf(other)} takes no writes now`));
    }
    return server;
  }
}

interface Look {
  readonly server: Server;
  /** Raised by each promotion. */
  readonly timeline: number;
}

/** @throws NoneWritable with what each said */
async function newestWritable(servers: readonly Server[]): Promise<Server> {
  const writable: Look[] = [];
  const others: string[] = [];
  const looks = servers.map(async (server) => {
    try {
      const timeline = await timelineOf(server);
      if (timeline !== undefined) writable.push({ server, timeline });
      else others.push(`${nameOf(server)} is read-only`);
    } catch (error) {
      others.push(`${nameOf(server)}: ${messageOf(error)}`);
    }
    if (writable.length === 0) throw new Error("not this one");
  });
  // One that does not answer holds nobody up, where another accepts writes.
  await Promise.any(looks).then(
    () => Promise.race([Promise.allSettled(looks), sleep(GRACE_MILLIS)]),
    () => undefined,
  );
  const [newest] = writable.toSorted((a, b) => b.timeline - a.timeline);
  if (newest !== undefined) return newest.server;
  throw new NoneWritable(`No host of DATABASE_URL accepts writes: ${others.toSorted().join("; ")}`);
}

/** Undefined where it takes no writes. */
function timelineOf({ url }: Server): Promise<number | undefined> {
  const limits = { connectionTimeoutMillis: LOOK_MILLIS, query_timeout: LOOK_MILLIS };
  return withClient({ connectionString: url, ...limits }, async (client) => {
    const { rows } = await client.query<{ timeline: string | null }>(
      `SELECT CASE WHEN NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'
         THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline`,
    );
    const timeline = rows[0]?.timeline;
    return timeline == null ? undefined : Number.parseInt(timeline, 16);
  });
}
