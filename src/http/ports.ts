// The functions of rooms that the endpoints may not import: the intakes of files.
// Invariant: an intake takes a file whole or not at all; a refusal means that nothing has happened.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Month } from "#base/month.ts";
import type { AcceptedRelease, OperatorName, QuarantinedRelease } from "#core/records.ts";
import type { Result, Submit } from "#engine/engine.ts";
import type { MonthRow } from "#prints/first-prints.ts";
import type { FallCounts } from "#prints/growth.ts";
import type { PrintLevel, ProviderId } from "#prints/release.ts";

interface DeclaredRelease {
  readonly provider: ProviderId;
  readonly index: IndexKind;
  readonly level: PrintLevel;
  readonly publishedAtMillis: number;
  /** As the operator declares it; undefined = as before, unless another is detected. */
  readonly methodology: string | undefined;
  /** As its provider called it; undefined where nobody knows. */
  readonly fileName: string | undefined;
}

/** Why a file was not taken; `message` is a sentence that names line and column where it can. */
interface FileRefusal {
  readonly code: string;
  readonly message: string;
  /** As a person counts: the header is line 1. */
  readonly line: number | null;
  readonly column: string | null;
}

interface Taken {
  readonly release: AcceptedRelease | QuarantinedRelease;
}

export interface NotTaken {
  readonly refusal: FileRefusal;
}

/** The file was good; this is what became of its command. */
export interface NotApplied {
  readonly failed: Result;
}

/** The outcome of the command about a held place, or why a file of it cannot be read. */
export type PlaceResultPort = { readonly decided: Result } | NotTaken;

export interface ReleaseIntakePort {
  /**
   * Reads the file as a stream. Its prints show in every view by the time it answers, unless
   * validation held it back.
   */
  ingest(
    upload: AsyncIterable<Uint8Array>,
    meta: DeclaredRelease,
    submit: Submit,
  ): Promise<Taken | NotTaken | NotApplied>;
  /** An operator's word for a release that is held back; the second one's releases it. */
  approve(
    release: ReleaseId,
    operator: OperatorName,
    submit: Submit,
  ): Promise<Taken | NotTaken | NotApplied>;
  /** A place's line in an accepted release, revisions included; undefined where it has none. */
  vintage(release: ReleaseId, node: NodeId): Promise<MonthRow | undefined>;
  /** An operator's word for a place that is held from this release on. */
  approvePlace(
    release: ReleaseId,
    node: NodeId,
    operator: OperatorName,
    submit: Submit,
  ): Promise<PlaceResultPort>;
  /** The release does not count for the place. */
  rejectPlace(
    release: ReleaseId,
    node: NodeId,
    reason: string,
    submit: Submit,
  ): Promise<PlaceResultPort>;
  /** An operator's word that the provider goes on with a place under the id `to`. */
  renamePlace(index: IndexKind, node: NodeId, to: string, submit: Submit): Promise<PlaceResultPort>;
  /** How many places fell by `fallBps` or more between two releases: raw, and in the chain. */
  diff(earlier: ReleaseId, later: ReleaseId, fallBps: number): Promise<FallCounts>;
}

export interface PlaceIntakePort {
  /** Reads a hierarchy table and loads it as one command. */
  load(
    upload: AsyncIterable<Uint8Array>,
    submit: Submit,
  ): Promise<
    | {
        readonly nodes: number;
        readonly added: number;
        readonly changed: number;
        /** How many releases are read again for these places, from now on. */
        readonly rereading: number;
      }
    | NotTaken
    | NotApplied
  >;
}

/** The last entry that a snapshot or an archive holds; null where there is none. */
type Reached = { readonly sequence: number; readonly entryTime: string } | null;

/** The means to restore the exchange, and the replicas of its database. */
export interface Upkeep {
  readonly lastBackupAt: string | null;
  readonly snapshot: Reached;
  readonly archive: Reached;
  /** Null where they cannot be seen. */
  readonly copies:
    | readonly {
        readonly name: string;
        readonly state: string;
        readonly synchronous: boolean;
        readonly lagMillis: number;
      }[]
    | null;
}

/** One source that the exchange fetches by itself. */
export interface DownloadSourceState {
  readonly provider: string;
  readonly index: string;
  readonly level: string;
  readonly file: string;
  readonly everyHours: number;
  readonly askedAtMillis: number | null;
  readonly cameAtMillis: number | null;
  readonly address: string | null;
  readonly dueAtMillis: number;
  readonly failures: number;
  readonly failingSinceMillis: number | null;
  readonly fault: { readonly code: string; readonly message: string } | null;
  readonly refusal: { readonly code: string; readonly message: string } | null;
  readonly release: AcceptedRelease | null;
  readonly nextPrint: {
    readonly month: Month;
    readonly expectedAtMillis: number;
    readonly overdueSinceMillis: number | null;
  } | null;
  /** Since when a person should look at it. */
  readonly wrongSinceMillis: number | null;
}

/** The answer of a server that is only asked. */
export type AskedSource =
  | {
      readonly outcome: "new";
      readonly address: string;
      readonly bytes: number | null;
      readonly lastModified: string | null;
    }
  | { readonly outcome: "unchanged"; readonly address: string }
  | { readonly outcome: "fault"; readonly code: string; readonly message: string };

export interface DownloadsPort {
  /** In the order of the plan; none where there is no plan. */
  states(): readonly DownloadSourceState[];
  check(): Promise<readonly AskedSource[]>;
}

/** For an exchange that fetches nothing. */
export const noDownloads: DownloadsPort = {
  states: () => [],
  check: async () => [],
};

/** The string that travels with every index value of a provider: `Data from …`. */
export type AttributionOf = (provider: string) => string;
