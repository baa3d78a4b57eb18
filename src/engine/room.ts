// How much of this process's memory is in use for good: what a full collection leaves.
// Invariant: measured, never decided by: two nodes may differ, so what is refused for want of room
// is refused before the core, and never becomes an entry.

import { totalmem } from "node:os";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { Command } from "#core/command.ts";
import { carriedOut, commands } from "#core/command-table.ts";
import { usedShare } from "#core/full.ts";
import type { State } from "#core/state.ts";

/**
 * Of the memory for what stays. The rest is for what a start needs beside the state itself (the text
 * of the snapshot it reads), and for what passes: requests, batches, the collector.
 */
export const ORDERS_REFUSED_SHARE = 0.7;

/** It leaves records that stay at least a day, as its row says; a cancel leaves none. */
export const takesRoom = (state: State, command: Command): boolean =>
  commands[carriedOut(state, command).type].grows;

const WARN_SHARE = 0.75;

/** Of what the exchange may hold, or of its memory, to the percent below; at 1 it is full. */
export function roomInUse(state: State, memoryShare: number): number {
  const ofMemory = Math.min(memoryShare / ORDERS_REFUSED_SHARE, 1);
  return Math.floor(Math.max(usedShare(state), ofMemory) * 100) / 100;
}

/** A full exchange takes no order: its operator hears of it from three quarters on. */
export const warningOf = (share: number): string | undefined =>
  share < WARN_SHARE
    ? undefined
    : `the exchange is ${Math.round(share * 100)} % full: ` +
      "at 100 % new orders are refused as EXCHANGE_FULL";

export class MemoryRoom {
  #share = 0;
  readonly #observer: PerformanceObserver;

  /** Of so many bytes for heap and buffers together. `close` ends the watching. */
  constructor(mostBytes = memoryBytes()) {
    this.#observer = new PerformanceObserver((list) => {
      const details = list.getEntries().map((entry) => ("detail" in entry ? entry.detail : null));
      if (details.some(isFullCollection)) this.#share = shareInUse(mostBytes);
    });
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  /** From 0 to 1, as the last full collection left it. */
  get share(): number {
    return this.#share;
  }

  close(): void {
    this.#observer.disconnect();
  }
}

const isFullCollection = (detail: unknown): boolean =>
  typeof detail === "object" &&
  detail !== null &&
  "kind" in detail &&
  detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;

/**
 * V8 adds so much to `--max-old-space-size` for young objects, in the limit it tells of. Nothing
 * stays there: counted in, a node of 512 MB or less would end before 70 % of that limit are in use.
 */
const YOUNG_BYTES = 192 * 1024 * 1024;

/**
 * The heap of its own limit; and the heap with all that lies outside it, buffers above all, of the
 * memory that the process may have: the greater share decides.
 */
function shareInUse(mostBytes: number): number {
  const { used_heap_size, heap_size_limit: limit, external_memory } = getHeapStatistics();
  const ofHeap = used_heap_size / Math.max(limit - YOUNG_BYTES, limit / 4);
  return Math.max(ofHeap, (used_heap_size + external_memory) / mostBytes);
}

/** The container's limit, or all that the machine has. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
