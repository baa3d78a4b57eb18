// Deciding a stored journal again, as a start and `npm run verify` do, beside merely reading it.
// Invariant: what is replayed was written by orders over HTTP, and every byte is compared.
import { State } from "#core/state.ts";
import { noEntries } from "#journal/chain.ts";
import { SLICE_ENTRIES } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { replay as replayEntry } from "#journal/seal.ts";
import { runningConnection } from "#storage/embedded.ts";
import { meetingOrders, openMarket, portOf } from "./exchange.ts";
import { digits, type Figure, median, type Scope, times } from "./figure.ts";
import { LoadClient } from "./http-load.ts";

const FILL_MILLIS = 4_000;
const ROUNDS = 3;

export async function replay(scope: Scope): Promise<readonly Figure[]> {
  const market = await openMarket(scope);
  const { exchange } = market;
  const requests = await meetingOrders(market);
  const client = new LoadClient(scope);
  await client.run({ port: portOf(exchange), connections: 64, millis: FILL_MILLIS, requests });

  const connection = await runningConnection(exchange.dataDir);
  if (connection === undefined) throw new Error("the store is running");
  const journal = new PostgresJournal({ ...connection, application_name: "bench" });
  scope.after(() => journal.close());
  const rounds: { readonly read: number; readonly replayed: number }[] = [];
  let entries = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const read = await walk(journal, false);
    const replayed = await walk(journal, true);
    entries = replayed.entries;
    rounds.push({ read: read.perSecond, replayed: replayed.perSecond });
  }
  return [
    {
      what: `replay of ${digits(entries)} entries`,
      value: `${digits(median(rounds.map(({ replayed }) => replayed)))} a second`,
      against: `reading them only: ${digits(median(rounds.map(({ read }) => read)))}`,
      ratio: times(median(rounds.map(({ read, replayed }) => replayed / read))),
    },
  ];
}

async function walk(journal: PostgresJournal, isReplayed: boolean) {
  const state = new State();
  const started = performance.now();
  let head = noEntries;
  let entries = 0;
  for (;;) {
    const slice = await journal.read(entries + 1, SLICE_ENTRIES);
    if (isReplayed) for (const stored of slice) [head] = replayEntry(state, head, stored);
    entries += slice.length;
    if (slice.length < SLICE_ENTRIES) break;
  }
  return { entries, perSecond: (1_000 * entries) / (performance.now() - started) };
}
