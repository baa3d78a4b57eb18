// The wire between engine and PostgreSQL, cut or slowed at each message of a whole life:
// before the message gets there, after it did its work, or not at all.
// Invariant: whatever is cut, what was acknowledged is there once and the journal verifies.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRejected } from "#core/outcome.ts";
import { type OpenEngine, openEngine } from "#engine/open.ts";
import { JournalRefusal } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import type { Connection } from "#storage/embedded.ts";
import { type FaultKind, faultKinds } from "#test/engine/faulty-journal.ts";
import { fund, openAccount, request } from "#test/engine/requests.ts";
import { createDatabase } from "#test/support/database.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const SLOW_MILLIS = 40;
/** Of the messages of a life, each so many-th is hit. */
const EVERY = sizeOfRun("FIRSTPRINT_WIRE_EVERY", 1);

/** Between a client and the server's socket; strikes at one chosen message of the clients. */
class Wire {
  readonly #server: Server;
  #left = Number.POSITIVE_INFINITY;
  #kind: FaultKind = "slow";
  struck = false;

  private constructor(target: string) {
    this.#server = createServer((client) => {
      const server = connect({ path: target });
      const cut = (): void => {
        client.destroy();
        server.destroy();
      };
      for (const end of [client, server]) end.on("error", cut).on("close", cut);
      let cutAtReply = false;
      client.on("data", async (message: Buffer) => {
        this.#left -= 1;
        if (this.#left !== 0) return server.write(message);
        this.struck = true;
        if (this.#kind === "failed") return cut();
        if (this.#kind === "slow") await sleep(SLOW_MILLIS);
        else cutAtReply = true;
        server.write(message);
      });
      server.on("data", (reply: Buffer) => (cutAtReply ? cut() : client.write(reply)));
    });
  }

  static async open(target: string): Promise<Wire> {
    const wire = new Wire(target);
    wire.#server.listen(0, "127.0.0.1");
    await once(wire.#server, "listening");
    return wire;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** The message, counted from now, that is hit. */
  plan(message: number, kind: FaultKind): void {
    this.#left = message;
    this.#kind = kind;
    this.struck = false;
  }

  close(): void {
    this.#server.close();
  }
}

for (const kind of faultKinds) {
  test(`each message of a life: ${kind}`, (t) => everyMessage(t, kind));
}

async function everyMessage(t: TestContext, kind: FaultKind): Promise<void> {
  const connection = await createDatabase(t);
  const dataDir = await temporaryFolder(t, "firstprint-wire-");
  const wire = await Wire.open(join(connection.host, `.s.PGSQL.${connection.port}`));
  t.after(() => wire.close());
  const through: Connection = { ...connection, host: "127.0.0.1", port: wire.port };

  let lives = 0;
  // Later lives have their schema and their founder already: some messages come once only.
  for (let message = 1; ; message += kind === "slow" ? 3 : EVERY) {
    wire.plan(message, kind);
    await oneLife(through, dataDir, lives);
    lives += 1;
    if (!wire.struck) break;
  }
  t.diagnostic(`${lives - 1} messages hit`);
  assert.ok(lives > 10, "a life has more messages than that");
}

/** Start, eight deposits by two clients with keys, a read, and a stop. */
async function oneLife(connection: Connection, dataDir: string, life: number): Promise<void> {
  const journal = new PostgresJournal({ ...connection });
  try {
    const engine = await started(journal, dataDir);
    if (life === 0) await untilAnswered(engine, "open");
    const before = engine.status().durableSequence;
    const clients = [0, 1].map(async (client) => {
      const sequences: (number | null)[] = [];
      for (let count = 0; count < 4; count += 1) {
        sequences.push(await untilAnswered(engine, `life ${life}, client ${client}, ${count}`));
      }
      return sequences;
    });
    const sequences = (await Promise.all(clients)).flat();
    assert.equal(new Set(sequences).size, 8);
    assert.equal(engine.status().durableSequence, before + 8, "each deposit once");
    await Array.fromAsync(engine.history.newest({}, 5, 0)).catch(() => undefined);
    await engine.stop();
  } finally {
    await journal.close();
  }
  await verifies(connection, dataDir, life);
}

async function started(journal: PostgresJournal, dataDir: string): Promise<OpenEngine> {
  const options = {
    journal,
    dataDir,
    clock: "real",
    checkpoints: { entries: 3, millis: 5 },
  } as const;
  try {
    return await openEngine(options);
  } catch (error) {
    assert.ok(!(error instanceof JournalRefusal), String(error));
    return openEngine(options);
  }
}

async function untilAnswered(engine: OpenEngine, memo: string): Promise<number | null> {
  const command = memo === "open" ? openAccount(1) : fund(1, memo);
  for (let attempt = 0; attempt < 2_000; attempt += 1) {
    const result = await engine.submit(request(command, memo));
    if ("outcome" in result) {
      assert.ok(!isRejected(result.outcome));
      return result.sequence;
    }
    await sleep(2);
  }
  throw new Error(`no answer for ${memo}`);
}

/** Every eighth life, and the last: a verification replays all lives before it. */
async function verifies(connection: Connection, dataDir: string, life: number): Promise<void> {
  if (life % 8 !== 0) return;
  const journal = new PostgresJournal({ ...connection });
  try {
    const engine = await started(journal, dataDir);
    let verification = await engine.history.verify().catch(() => undefined);
    verification ??= await engine.history.verify();
    assert.equal(verification.reason, undefined);
    assert.equal(verification.size, 2 + 8 * (life + 1));
    await engine.stop();
  } finally {
    await journal.close();
  }
}
