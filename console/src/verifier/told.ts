// The messages between a page and the worker that judges an export.
// Invariant: the worker is asked once, and tells its verdict last.
import type { Judging, Verdict } from "../../../tools/judge-export.ts";

export interface Asked extends Judging {
  readonly file: Blob;
}

export type Told =
  | { readonly state: "judging"; readonly share: number }
  | { readonly state: "unusable"; readonly reason: string }
  | {
      readonly state: "judged";
      readonly verdict: Verdict;
      readonly words: string;
      readonly hashes: number;
      readonly tookMillis: number;
    };
