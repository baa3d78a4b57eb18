// The numbers of a node's side work: witnesses, archive, webhooks, disk and the overlap of keys.
// Invariant: of work that the leader does, only the node that leads tells.
import { statfsSync } from "node:fs";
import { keyFile, readKeyFile, SIGNING_KEY } from "#journal/checkpoint-key.ts";
import { readFormer } from "#storage/rotation.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { Deliverer } from "#webhooks/deliverer.ts";
import type { WitnessClient } from "#witness/client.ts";
import type { Archiving } from "./archiving.ts";
import { type GaugeOf, one } from "./gauge.ts";

export interface SideWork {
  leads(): boolean;
  readonly exchange: Pick<ExchangeView, "webhooks">;
  readonly deliverer: Pick<Deliverer, "cursorOf">;
  readonly witnesses: Pick<WitnessClient, "states">;
  readonly archiving: Pick<Archiving, "failedRuns" | "underWaySeconds">;
  readonly dataDir: string;
  /** By the name of the secret, until when the one before it counts. */
  readonly overlaps: ReadonlyMap<string, number>;
}

/** Looked up once: a change of a secret counts from the next start. */
export async function overlapsIn(dataDir: string): Promise<ReadonlyMap<string, number>> {
  const pepper = await readFormer(dataDir);
  const key = await readKeyFile(keyFile(dataDir));
  const ends = [
    ["pepper", pepper?.untilMillis],
    [SIGNING_KEY, key?.former?.at(-1)?.untilMillis],
  ] as const;
  return new Map(ends.flatMap(([name, until]) => (until === undefined ? [] : [[name, until]])));
}

export function gaugesOfSideWork(work: SideWork): readonly GaugeOf[] {
  const { leads, exchange, deliverer, witnesses, archiving, dataDir, overlaps } = work;
  const webhooks = (is: (id: Parameters<Deliverer["cursorOf"]>[0]) => boolean): number =>
    leads() ? [...exchange.webhooks.keys()].filter(is).length : 0;
  return [
    {
      ...{ name: "witness_refuses", labels: ["witness"] },
      help: "1 while a witness does not cosign what the leader sends it",
      read: () =>
        leads()
          ? witnesses.states.map(
              ({ name, refusal }) => [refusal === null ? 0 : 1, { witness: name }] as const,
            )
          : [],
    },
    one("archive_failed_runs", "Runs of the archive that failed, one after another", () =>
      leads() ? archiving.failedRuns : 0,
    ),
    one(
      "archive_run_seconds",
      "How long a run of the archive has been under way",
      () => archiving.underWaySeconds,
    ),
    one("webhooks_failing", "Webhooks whose newest delivery failed and is tried again", () =>
      webhooks((id) => (deliverer.cursorOf(id)?.failingSinceMillis ?? null) !== null),
    ),
    one("webhooks_suspended", "Webhooks that failed for so long that nothing is sent to them", () =>
      webhooks((id) => (exchange.webhooks.get(id)?.suspended ?? null) !== null),
    ),
    one("disk_free_ratio", "Free room on the disk of the data folder", () => {
      const { blocks, bavail } = statfsSync(dataDir);
      return blocks === 0 ? 1 : bavail / blocks;
    }),
    {
      ...{ name: "overlap_ends_timestamp_seconds", labels: ["secret"] },
      help: "Until when a secret that was changed counts beside the new one",
      read: () => [...overlaps].map(([secret, millis]) => [millis / 1_000, { secret }] as const),
    },
  ];
}
