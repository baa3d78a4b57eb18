// A journal whose appends wait for the test, so that what is undurable can be looked at.
// Invariant: one `release`, one append; at the end of the test all that still wait are let go.
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "#journal/journal.ts";

/** A journal whose appends, but for the founding one, each wait for one `release`. */
export function heldJournal(
  t: TestContext,
  behind: Journal,
  /** Whether an append waits before it is stored, or stored with only its answer held back. */
  hold: "before" | "after" = "before",
): { journal: Journal; release(): void; held(): Promise<void> } {
  let permits = 0;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    permits += 1;
    if (permits > 0) waiting.shift()?.();
  };
  t.after(() => {
    permits = Number.POSITIVE_INFINITY;
    for (const go of waiting) go();
  });
  const journal: Journal = new Proxy(behind, {
    get: (_target, name) => {
      if (name !== "lead") return Reflect.get(behind, name).bind(behind);
      return async (...how: Parameters<Journal["lead"]>) => {
        const lead = await behind.lead(...how);
        let founded = lead.head.size > 0;
        const append: typeof lead.append = async (entries) => {
          if (hold === "after") await lead.append(entries);
          if (founded && permits <= 0) await new Promise<void>((go) => waiting.push(go));
          if (founded) permits -= 1;
          founded = true;
          if (hold === "before") await lead.append(entries);
        };
        return { ...lead, append };
      };
    },
  });
  /** Resolves when an append is under way. */
  const held = async (): Promise<void> => {
    while (waiting.length === 0) await sleep(1);
  };
  return { journal, release, held };
}

/** Whether a promise has its result by now, a moment later. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  await sleep(5);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}
