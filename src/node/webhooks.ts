// Webhooks in a node: the exchange as a deliverer sees it, and the deliverer as endpoints do.
// Invariant: a webhook carries what its account's private stream carries, or the audit trail, by
// the same functions.
import { randomBytes } from "node:crypto";
import { BlockList } from "node:net";
import { webhookId } from "#base/ids.ts";
import { isKeyLive } from "#core/person.ts";
import { trailData } from "#http/trading/audit-entry.ts";
import { accountsIn, ownData } from "#http/trading/own-message.ts";
import type { TradingPorts } from "#http/trading/ports.ts";
import { readAddress } from "#webhooks/address.ts";
import { Deliverer } from "#webhooks/deliverer.ts";
import { nameResolver } from "#webhooks/names.ts";
import { webhookPace } from "#webhooks/pace.ts";
import { post, WHOLE_MILLIS } from "#webhooks/post.ts";
import { messageId } from "#webhooks/run.ts";
import { secretOf, secretShown } from "#webhooks/signature.ts";
import { type Cursor, DeliveryStore } from "#webhooks/store.ts";
import type { Database } from "./database.ts";
import { log } from "./faults.ts";
import type { Metrics } from "./metrics.ts";
import { type Node, submitOwn } from "./node.ts";
import type { Settings } from "./settings.ts";

export interface StoredDeliveries {
  readonly store: DeliveryStore;
  readonly cursors: readonly Cursor[];
}

export async function loadDeliveries(config: Database["config"]): Promise<StoredDeliveries> {
  const store = new DeliveryStore(config);
  try {
    return { store, cursors: await store.cursors() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** It delivers from here on, and has to be given every durable entry. */
export function openDeliverer(
  settings: Settings,
  { engine, referenceData: { exchange }, atTerm }: Node,
  key: string,
  { store, cursors }: StoredDeliveries,
  { onRowRefused }: Pick<Metrics, "onRowRefused">,
): Deliverer {
  const guard = guardOf(settings);
  const engineSeconds = (): number => Math.floor(engine.status().engineTimeMillis / 1000);
  const deliverer = new Deliverer(
    {
      history: engine.history,
      durableSequence: () => engine.status().durableSequence,
      accountsIn,
      told: (entry, account, types) => ownData(entry, exchange.accounts, account, types),
      toldOfTrail: (entry, account) => trailData(entry, account, exchange),
      pace: webhookPace,
      key,
      nowMillis: Date.now,
      engineSeconds,
      isKeyLive: ({ keyId }) => {
        const found = exchange.keys.get(keyId);
        return found !== undefined && isKeyLive(found, engineSeconds());
      },
      post: (outgoing, signal) => post(outgoing, guard, signal),
      suspend: (command) => submitOwn(engine, command, "webhook"),
      store,
      webhooks: exchange.webhooks,
      epoch: () => engine.epoch(),
      onFault: (error) => log.error({ error }, "a webhook met a fault"),
      onRefused: ({ row: { id }, table, error }) => {
        onRowRefused();
        log.error({ webhook: id, table, error }, "a row of a webhook was refused");
      },
    },
    cursors,
  );
  atTerm(() => deliverer.begin());
  return deliverer;
}

function guardOf({ webhookNetworks }: Settings) {
  const networks = new BlockList();
  for (const { address, prefix, family } of webhookNetworks) {
    networks.addSubnet(address, prefix, family);
  }
  return { resolve: nameResolver(), networks, wholeMillis: WHOLE_MILLIS };
}

export function webhookPort(
  settings: Settings,
  key: string,
  deliverer: Deliverer,
): TradingPorts["webhooks"] {
  const guard = guardOf(settings);
  return {
    readAddress: (text) => readAddress(text, guard),
    draw: () => ({
      id: webhookId(`whk-${randomBytes(8).toString("hex")}`),
      salt: randomBytes(16).toString("hex"),
    }),
    secretOf: (salt) => secretShown(secretOf(key, salt)),
    progressOf: (id) => deliverer.cursorOf(id),
    attempts: async (id, before, limit) => {
      const attempts = await deliverer.attempts(id, before, limit);
      return attempts.map((one) => ({ ...one, messageId: messageId(id, one.sequence) }));
    },
  };
}
