// What the endpoints need from rooms they may not import: the desks that take files.
// Invariant: a desk takes a file whole or not at all; a refusal means that nothing has happened.
import type { ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Command } from "#core/command.ts";
import type { Submitted } from "#engine/engine.ts";
import type { FallCounts } from "#prints/growth.ts";
import type { PrintLevel, ProviderId } from "#prints/release.ts";

/** Hands a command to the engine on behalf of whoever sent the file. */
export type Submit = (command: Command) => Promise<Submitted>;

export interface ReleaseMeta {
  readonly provider: ProviderId;
  readonly index: IndexKind;
  readonly level: Exclude<PrintLevel, "nation">;
  readonly publishedAtMillis: number;
}

export interface ReleaseDesk {
  /**
   * Reads the file as a stream; `submitted` is absent when these bytes had been accepted before.
   * Its prints show in every view by the time it answers.
   * @throws ReleaseRefusal naming line and column
   */
  ingest(
    upload: AsyncIterable<Uint8Array>,
    meta: ReleaseMeta,
    submit: Submit,
  ): Promise<{ readonly id: ReleaseId; readonly submitted?: Submitted }>;
  /** How many places fell by `fallBps` or more between two releases: raw, and in the chain. */
  diff(earlier: ReleaseId, later: ReleaseId, fallBps: number): Promise<FallCounts>;
}

export type GeoAnswer =
  | {
      readonly refusal: {
        /** The header is row 1. */
        readonly row: number | null;
        readonly column: string | null;
        readonly message: string;
      };
    }
  | {
      readonly rows: number;
      readonly added: number;
      readonly changed: number;
      readonly submitted: Submitted;
    };

export interface GeoDesk {
  /** Reads a hierarchy table and loads it as one command. */
  load(upload: AsyncIterable<Uint8Array>, submit: Submit): Promise<GeoAnswer>;
}

/** The string that travels with every index value of a provider: `Data from …`. */
export type AttributionOf = (provider: string) => string;
