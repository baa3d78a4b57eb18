// How the lead passes from one node to another, and how long that took.
// Invariant: the node the lead was taken from runs again afterwards.
import { at, type Exchange } from "#test/support/exchange.ts";

/** Each leaves the node it was taken from standing by. */
export const ways = {
  killed: async (leader: Exchange, hasPassed: Promise<unknown>) => {
    await leader.kill();
    await hasPassed;
    await leader.up();
  },
  hangs: async (leader: Exchange, hasPassed: Promise<unknown>) => {
    leader.signal("SIGSTOP");
    await hasPassed;
    leader.signal("SIGCONT");
  },
  "hands over": async (leader: Exchange, hasPassed: Promise<unknown>) => {
    leader.signal("SIGUSR2");
    await hasPassed;
  },
} as const;

export const modeOf = async (node: Exchange): Promise<unknown> =>
  at((await node.get("/api/status")).body, "mode");

export function spread(millis: readonly number[]): string {
  const sorted = millis.toSorted((a, b) => a - b).map(Math.round);
  const share = (of: number) => sorted[Math.min(sorted.length - 1, Math.floor(of * sorted.length))];
  return `${sorted.length} times, p50 ${share(0.5)} ms, p99 ${share(0.99)} ms`;
}
