// The stage on which the sample's play plays: the exchange's own doors, and the time it is there.
// Invariant: everything goes through the engine, the importers and the clock that anyone uses; a
// step that is refused stops the play with the reason.
import { Readable } from "node:stream";
import type { AccountId, KeyId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Actor, Command } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import type { Engine, Result, Submit } from "#engine/engine.ts";
import type { PrintLevel } from "#prints/release.ts";

type RefusedFile = { readonly refusal: { readonly message: string } } | { readonly failed: Result };

/** Reasons are there where validation has held it back. */
interface PublishedRelease {
  readonly id: string;
  readonly reasons?: readonly { readonly message: string }[];
}

interface SampleReleaseMeta {
  readonly provider: "sample";
  readonly index: IndexKind;
  readonly level: PrintLevel;
  readonly publishedAtMillis: number;
}

export interface SampleKey {
  readonly secret: string;
  readonly prefix: string;
  readonly digest: string;
}

/** The functions of the exchange that the sample needs. */
export interface SamplePorts {
  readonly engine: Pick<Engine, "submit">;
  readonly releases: {
    ingest(
      body: Readable,
      meta: SampleReleaseMeta,
      submit: Submit,
    ): Promise<{ readonly release: PublishedRelease } | RefusedFile>;
  };
  readonly geo: {
    load(body: Readable, submit: Submit): Promise<{ readonly nodes: number } | RefusedFile>;
  };
  /** The series as it would be listed now, with the mark of the reference model. */
  readonly listingFor: (seriesId: string) => Listing | undefined;
  /** The marks that the newest prints change. */
  readonly marksDue: () => Command;
  /** Sets the engine's clock, milliseconds since 1970; only ever forward. */
  readonly setTime: (millis: number) => void | Promise<void>;
  /** A fresh random key; its secret is never kept. */
  readonly makeKey: (label: string) => SampleKey;
  /** The highest rate a key may have, requests a minute. */
  readonly keyRatePerMinute: number;
}

export interface Player {
  readonly name: string;
  readonly accountId: AccountId;
  readonly keyId: KeyId;
  readonly address: string;
}

export const root: Actor = { type: "root" };

export const actorOf = ({ accountId, keyId }: Player): Actor => ({
  type: "key",
  accountId,
  keyId,
});

export class Stage {
  readonly ports: SamplePorts;
  #requests = 0;

  constructor(ports: SamplePorts) {
    this.ports = ports;
  }

  async setTime(millis: number): Promise<void> {
    await this.ports.setTime(millis);
  }

  /** @throws where the command was not accepted */
  async give(actor: Actor, command: Command): Promise<readonly Event[]> {
    const result = await this.#submit(actor, command);
    const refusal = refusalIn(result);
    if (refusal !== undefined) throw broken(command.type, refusal);
    if (!("outcome" in result) || isRejected(result.outcome)) return [];
    return result.outcome.events;
  }

  /** As the exchange does after each release: before its marks nothing matches. */
  async publishMarks(): Promise<void> {
    await this.give({ type: "system" }, this.ports.marksDue());
  }

  /** @throws where the file was not taken, or validation did not do with it what the play says */
  async publish(
    operator: Player,
    text: string,
    meta: SampleReleaseMeta,
    isHeld: boolean,
  ): Promise<void> {
    const { releases } = this.ports;
    const answer = await releases.ingest(bytesOf(text), meta, this.#submitAs(operator));
    const step = `release ${meta.index} ${meta.level}`;
    if (!("release" in answer)) throw broken(step, reason(answer));
    const [held] = answer.release.reasons ?? [];
    if (isHeld === (held !== undefined)) return;
    throw broken(step, held?.message ?? "validation did not hold it back");
  }

  /** @throws where the table was not taken */
  async loadPlaces(operator: Player, text: string): Promise<void> {
    const answer = await this.ports.geo.load(bytesOf(text), this.#submitAs(operator));
    if (!("nodes" in answer)) throw broken("places", reason(answer));
  }

  #submitAs(player: Player): Submit {
    return (command) => this.#submit(actorOf(player), command);
  }

  #submit(actor: Actor, command: Command): Promise<Result> {
    this.#requests += 1;
    const requestId = `sample-${this.#requests}`;
    return this.ports.engine.submit({ actor, command, requestId, idempotency: null });
  }
}

const bytesOf = (text: string): Readable => Readable.from([Buffer.from(text)]);

const reason = (answer: RefusedFile): string =>
  "refusal" in answer ? answer.refusal.message : (refusalIn(answer.failed) ?? "not taken");

function refusalIn(result: Result): string | undefined {
  if ("refused" in result) return result.refused;
  if ("unknown" in result) return "the journal did not answer";
  const { outcome } = result;
  return isRejected(outcome) ? outcome.rejection.code : undefined;
}

const broken = (step: string, why: string): Error =>
  new Error(`The sample stops at "${step}": ${why}. Start again with an empty data folder.`);
