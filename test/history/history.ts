// The actions and views of clients, and the journal in the end: all that the checker judges by.
// Invariant: nothing here is known to an exchange only; each value came over HTTP, with its time.

/**
 * The claims of an answer, thing by thing: `ledger:cash:acc-1` → `12000000`, `status:ord-3` →
 * `OPEN`. A thing that is not there is `absent`.
 */
export type Claims = ReadonlyMap<string, string>;

export const ABSENT = "absent";

/** One request and what came of it, or one message of a stream. */
export interface Operation {
  readonly client: string;
  /** Under which a write may be asked for again; null = a read. */
  readonly key: string | null;
  /** Micro-dollars that the request would bring in from outside. */
  readonly bringsMicros: bigint;
  /** Milliseconds of one clock that never goes back; 0 = what comes need not be the newest. */
  readonly invokedAt: number;
  readonly returnedAt: number;
  readonly outcome: Outcome;
}

export type Outcome =
  | {
      readonly type: "ok";
      readonly claims: Claims;
      readonly text: string;
      /** Given before, to the same key. */
      readonly isReplay: boolean;
      /** The journal's entry after which all of it is so, where the answer says it. */
      readonly sequence: number | null;
      /** The exchange's own time, where the answer says it. */
      readonly timeMillis: number | null;
    }
  /** Nothing has been done; `isDecided` when the exchange will say so again for this key. */
  | { readonly type: "refused"; readonly isDecided: boolean; readonly text: string }
  | { readonly type: "unknown" };

export type Answered = Extract<Outcome, { type: "ok" }>;

/** An entry of the journal as it was exported in the end. */
export interface Row {
  readonly sequence: number;
  readonly timeMillis: number;
  readonly key: string | null;
  readonly isAccepted: boolean;
  /** The changes from this entry on. */
  readonly changes: Claims;
}

export interface History {
  readonly operations: readonly Operation[];
  /** In the order of the journal, from its first entry. */
  readonly rows: readonly Row[];
  /** The state the exchange shows after the last of them. */
  readonly final: Claims;
}
