// How long the loop stands still while all markets are marked: computed in one piece, computed in
// slices, and applied by the one command that publishes them.
// Invariant: every market's mark changes in every turn, so nothing is passed over.
import { nodeId } from "#base/ids.ts";
import { monthEndMillis } from "#base/month.ts";
import { apply } from "#core/apply.ts";
import type { MarkUpdate } from "#core/command.ts";
import { noEntries } from "#journal/chain.ts";
import { seal } from "#journal/seal.ts";
import { MarkPublisher } from "#node/mark-publisher.ts";
import { DEFAULT_PRICE_MODEL } from "#pricing/constants.ts";
import { marksDue } from "#quoting/listing.ts";
import { Reference, type ReferenceData } from "#quoting/reference.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { system, World } from "#test/core/world.ts";
import { ExchangeView } from "#views/exchange.ts";
import { digits, type Figure, median, times, workedMillis } from "./figure.ts";
import { GrownExchange } from "./grown-exchange.ts";
import { statesInMemory } from "./quote.ts";

const MARKETS = 10_000;
const TURNS = 7;

export async function marks(): Promise<readonly Figure[]> {
  const series = await statesInMemory();
  const newest = series.newest("zhvi", nodeId("state:tx"));
  if (newest === undefined) throw new Error("the sample has Texas");
  const world = new World("real");
  world.print("2024-10", "300000");
  world.nowMillis = monthEndMillis(newest.month);
  const grown = new GrownExchange(world.state, world.sequence, world.nowMillis);
  grown.growTo({ orders: 0, markets: MARKETS });
  const exchange = ExchangeView.from(world.state);
  const reference = new Reference(series, () => exchange.geo, DEFAULT_PRICE_MODEL);
  const knowledge = { exchange, series, reference };
  const due = marksDue(knowledge);
  if (due.length < 0.9 * MARKETS) throw new Error(`${due.length} of ${MARKETS} marks change`);

  const [whole, sliced]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn += 1) {
    whole.push(await longestStall(async () => void marksDue(fresh(knowledge))));
    sliced.push(await longestStall(() => published(fresh(knowledge))));
  }
  const applying = applied(world, exchange, due);
  return [
    {
      what: `the longest stall while ${digits(MARKETS)} markets are marked, in slices`,
      value: `${digits(median(sliced))} ms`,
      against: `in one piece: ${digits(median(whole))} ms`,
      ratio: times(median(sliced) / median(whole)),
    },
    {
      what: `one command that applies ${digits(due.length)} marks`,
      value: `${digits(applying)} ms`,
      against: `computing them in one piece: ${digits(median(whole))} ms`,
      ratio: times(applying / median(whole)),
    },
  ];
}

/** As after a release: nothing that was computed from the prints is kept. */
function fresh(knowledge: ReferenceData): ReferenceData {
  knowledge.series.changed();
  return knowledge;
}

async function published(knowledge: ReferenceData): Promise<void> {
  const publisher = new MarkPublisher(knowledge, async () => undefined);
  await publisher.after(() => Promise.resolve());
  publisher.stop();
}

async function longestStall(work: () => Promise<void>): Promise<number> {
  let last = workedMillis();
  let longest = 0;
  let isOver = false;
  const turn = (): void => {
    const now = workedMillis();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await new Promise((resolve) => setImmediate(resolve));
  await work();
  isOver = true;
  turn();
  return longest;
}

/** Decided, sealed and shown, as one entry is: nothing comes between. */
function applied({ state, nowMillis }: World, view: ExchangeView, due: readonly MarkUpdate[]) {
  const stressed = due.map((mark) => ({ ...mark, markTick: mark.stressedTick }));
  const waits: number[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const command = publishMarks(turn % 2 === 0 ? due : stressed);
    const envelope = {
      timeMillis: nowMillis,
      actor: system,
      requestId: "marks",
      idempotency: null,
      command,
    };
    const began = workedMillis();
    const entry = { sequence: turn, envelope, outcome: apply(state, envelope, turn) };
    seal(noEntries, entry, state);
    view.fold(entry);
    waits.push(workedMillis() - began);
  }
  return median(waits);
}
