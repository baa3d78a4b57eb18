// A market around the window of a release: its orders, files, a word, the print and its marks.
// Invariant: all by commands; the state is read and never written.
import { type NodeId, nodeId, releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { OrderInput } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { isMatchingHeld } from "#core/market/matching.ts";
import { isRejected } from "#core/outcome.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system, World } from "./world.ts";

export const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

/** October is printed; the exchange stands at 20 November 2024, and December's 20th is the day. */
export function windowStage(place: NodeId = nodeId("state:tx")) {
  const world = new World();
  world.place = place;
  world.print("2024-10", "300000");
  const listing = world.listing("2025-12", layer);
  const [maker, taker] = [world.trader("maker", "1000"), world.trader("taker", "1000")];
  const sell = (amount: string, price: string, more: Partial<OrderInput> = {}, of = listing) =>
    world.order(order(of, "SELL", amount, price, more), maker, of);
  const buy = (amount: string, price: string, more: Partial<OrderInput> = {}, of = listing) =>
    world.order(order(of, "BUY", amount, price, more), taker);
  const call = () => world.do(root, { type: "OpenWindow", index: "zhvi", reason: "it is out" });
  const come = () => {
    world.runTo(world.nowMillis + 1);
    world.print("2024-11", "285000");
    world.do(system, publishMarks([]));
  };
  const isHeld = (marketId = listing.marketId) =>
    isMatchingHeld(world.state, world.state.market(marketId));
  const filledOf = ({ id }: { readonly id: Parameters<typeof world.state.order>[0] }) =>
    world.state.order(id).filledLots;
  const shown = { isHeld, filledOf, window: () => world.state.windows.get("zhvi") };
  return { world, listing, maker, taker, sell, buy, call, come, ...shown, ...filesOf(world) };
}

/** A file that is seen, found to be none, or a release of the place; and marks. */
function filesOf(world: World) {
  const named = (name: string, index: IndexKind) =>
    ({ index, releaseId: releaseId(name) }) as const;
  const see = (name: string, index: IndexKind = "zhvi") =>
    world.do(system, { type: "AwaitRelease", ...named(name, index) });
  const forget = (name: string, index: IndexKind = "zhvi") =>
    world.do(system, { type: "ForgetAwaited", ...named(name, index) });
  const accept = (name: string, month = "2024-11") => {
    const { release, ...rest } = world.release(world.observe(month, "285000"));
    return world.do(root, { ...rest, release: { ...release, id: releaseId(name) } });
  };
  const mark = (seenReleases = world.state.releases.size) =>
    world.do(system, publishMarks([], seenReleases));
  return { see, forget, accept, mark };
}

/** The commands of the journal from a place on, with the kinds of events that each has left. */
export const livedSince = ({ journal }: World, from: number) =>
  journal
    .slice(from)
    .map(({ envelope: { command }, outcome }) => [
      command.type,
      ...(isRejected(outcome) ? [] : outcome.events.map(({ type }: Event) => type)),
    ]);
