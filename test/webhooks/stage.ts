// A deliverer over a real journal in PostgreSQL, whose pace, clock and names a test sets.
// Invariant: it is the deliverer that an exchange runs, over the server's own HTTP surface.
import assert from "node:assert/strict";
import { BlockList } from "node:net";
import type { TestContext } from "node:test";
import { accountId, webhookId } from "#base/ids.ts";
import { parseMicros } from "#base/money.ts";
import { isKeyLive } from "#core/person.ts";
import { trailData } from "#http/trading/audit-entry.ts";
import { accountsIn, ownData } from "#http/trading/own-message.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { type Holder, World } from "#test/http/world.ts";
import { createDatabase } from "#test/support/database.ts";
import { textAt } from "#test/support/exchange.ts";
import { readAddress } from "#webhooks/address.ts";
import { Deliverer } from "#webhooks/deliverer.ts";
import { type WebhookPace, webhookPace } from "#webhooks/pace.ts";
import { type PostGuard, post } from "#webhooks/post.ts";
import { messageId } from "#webhooks/run.ts";
import { secretOf } from "#webhooks/signature.ts";
import { type Cursor, DeliveryStore, type RefusedRow } from "#webhooks/store.ts";

const WEBHOOKS = "/api/trading/webhooks";
const KEY = "a-webhook-key-for-tests";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");

type Config = ConstructorParameters<typeof DeliveryStore>[0];

interface Circumstances {
  readonly pace?: Partial<WebhookPace>;
  readonly guard?: Partial<PostGuard>;
}

export class Stage {
  readonly world: World;
  readonly faults: unknown[] = [];
  readonly refused: RefusedRow[] = [];
  /** Ahead of the machine's clock. */
  aheadMillis = 0;
  isLeading = true;
  readonly #config: Config;
  readonly #circumstances: Circumstances;
  #deliverer: Deliverer | undefined;

  private constructor(world: World, config: Config, circumstances: Circumstances) {
    this.world = world;
    this.#config = config;
    this.#circumstances = circumstances;
  }

  static async open(t: TestContext, circumstances: Circumstances = {}): Promise<Stage> {
    const config = await createDatabase(t);
    const journal = new PostgresJournal({ ...config });
    let stage: Stage | undefined;
    t.after(() => stage?.stop());
    const world = await World.open(t, [], journal);
    t.after(() => journal.close());
    stage = new Stage(world, config, circumstances);
    await stage.start();
    return stage;
  }

  get guard(): PostGuard {
    const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    const { guard } = this.#circumstances;
    return { resolve, networks: loopback, wholeMillis: 2_000, ...guard };
  }

  async start(): Promise<void> {
    const { engine, view } = this.world;
    const store = new DeliveryStore(this.#config);
    const engineSeconds = () => Math.floor(engine.status().engineTimeMillis / 1000);
    const pace = { ...webhookPace, ...this.#circumstances.pace };
    const deliverer = new Deliverer(
      {
        history: engine.history,
        durableSequence: () => engine.status().durableSequence,
        accountsIn,
        told: (entry, account, types) => ownData(entry, view.accounts, account, types),
        toldOfTrail: (entry, account) => trailData(entry, account, view),
        ...{ pace, key: KEY, store, webhooks: view.webhooks, engineSeconds },
        nowMillis: () => Date.now() + this.aheadMillis,
        isKeyLive: ({ keyId }) => {
          const key = view.keys.get(keyId);
          return key !== undefined && isKeyLive(key, engineSeconds());
        },
        post: (outgoing, signal) => post(outgoing, this.guard, signal),
        suspend: (command) =>
          engine.submit({ actor: { type: "system" }, command, requestId: null, idempotency: null }),
        epoch: () => (this.isLeading ? engine.epoch() : undefined),
        onFault: (error) => this.faults.push(error),
        onRefused: (row) => this.refused.push(row),
      },
      await store.cursors(),
    );
    this.#deliverer = deliverer;
    this.world.onDurable = (entry) => deliverer.take(entry);
    this.world.webhooks = {
      ...this.world.webhooks,
      readAddress: (text) => readAddress(text, this.guard),
      secretOf: (salt) => `whsec_${Buffer.from(secretOf(KEY, salt)).toString("base64")}`,
      progressOf: (id) => deliverer.cursorOf(id),
      attempts: async (id, before, limit) =>
        (await deliverer.attempts(webhookId(id), before, limit)).map((one) => ({
          ...one,
          messageId: messageId(id, one.sequence),
        })),
    };
  }

  async stop(): Promise<void> {
    await this.#deliverer?.stop();
    this.#deliverer = undefined;
    assert.deepEqual(this.faults, [], "no delivery met a fault");
    assert.deepEqual(this.refused, [], "no row was refused");
  }

  /** As they are written. */
  async cursors(): Promise<readonly Cursor[]> {
    const store = new DeliveryStore(this.#config);
    const cursors = await store.cursors();
    await store.close();
    return cursors;
  }

  /** The id and the secret of a new webhook. */
  async set(by: Holder, url: string, more: object = {}) {
    const answer = await this.world.post(WEBHOOKS, by.secret, { url, ...more });
    assert.equal(answer.statusCode, 200, answer.body);
    const made = answer.json();
    return { id: textAt(made, "data", "id"), secret: textAt(made, "data", "secret") };
  }

  async show(by: Holder, id: string) {
    return (await this.world.get(`${WEBHOOKS}/${id}`, by.secret)).json().data;
  }

  async replay(by: Holder, id: string, fromSequence: number) {
    const url = `${WEBHOOKS}/${id}/replay`;
    const answer = await this.world.post(url, by.secret, { fromSequence });
    assert.equal(answer.statusCode, 200, answer.body);
  }

  async deliveries(by: Holder, id: string) {
    const answer = await this.world.get(`${WEBHOOKS}/${id}/deliveries`, by.secret);
    return answer.json().data;
  }

  async fund({ id }: Holder, amount: string): Promise<void> {
    const amountMicros = parseMicros(amount);
    assert.ok(amountMicros !== undefined);
    const command = { type: "FundAccount", accountId: accountId(id), amountMicros } as const;
    await this.world.root({ ...command, memo: null });
  }
}
