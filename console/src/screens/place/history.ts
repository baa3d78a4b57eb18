// All first prints of home values at a place, oldest first, on the scale of the newest.
// Invariant: the run has no gap: what lies before a missing month is left out.
import { answered, type Schemas } from "@firstprint/sdk";
import { Question } from "../../query.ts";
import { exchange } from "../../session.ts";
import { monthsBetween } from "../../words.ts";

export interface Point {
  readonly month: string;
  readonly value: number;
  /** It stood in the first release already: a history as it was told then. */
  readonly isBackfill: boolean;
}

const PAGE = 100;
const MOST_PAGES = 8;

async function readPrints(nodeId: string): Promise<readonly Schemas["FirstPrint"][]> {
  const prints: Schemas["FirstPrint"][] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const params = { path: { nodeId }, query: { index: "zhvi", page, limit: PAGE } } as const;
    const asked = exchange.value.GET("/api/index/{nodeId}/prints", { params });
    const { data, pagination } = await answered(asked);
    prints.push(...data);
    if (!pagination.hasMore) break;
  }
  return prints;
}

/** `newestFirst`, as the exchange lists them. */
export function runOf(newestFirst: readonly Schemas["FirstPrint"][]): readonly Point[] {
  const [newest] = newestFirst;
  if (newest?.level == null) return [];
  const scale = Number(newest.value) / Number(newest.level);
  const run: Point[] = [];
  for (const { month, level, backfill } of newestFirst) {
    const after = run.at(-1);
    if (level === null || (after !== undefined && monthsBetween(month, after.month) !== 1)) break;
    run.push({ month, value: Number(level) * scale, isBackfill: backfill });
  }
  return run.toReversed();
}

export const placeHistory = new Question(
  async (nodeId: string) => runOf(await readPrints(nodeId)),
  {
    freshSeconds: 300,
  },
);
