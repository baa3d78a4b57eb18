// The days of markets in PostgreSQL, on connections of their own: no append waits for them.
// Invariant: days and the entry they are counted through change in one transaction.
import type { ClientConfig, Pool } from "pg";
import { marketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { isTick, type Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import { inTransaction, poolOf } from "#storage/with-client.ts";
import { type DayDigests, MarketDaysDigest } from "./drawn-market-days.ts";
import type { DayKey, DaysAsked, DayTrades, MarketDay, MarketDayStore } from "./market-days.ts";

const CONNECTIONS = 2;
const PATIENCE_MILLIS = 30_000;
/** Days put by one statement. */
const ROWS = 5_000;

interface DayRow {
  readonly market: string;
  readonly day: number;
  readonly open_tick: number | null;
  readonly high_tick: number | null;
  readonly low_tick: number | null;
  readonly close_tick: number | null;
  readonly lots: string;
  readonly trades: number;
  readonly mark_tick: number | null;
}

const columns = "market, day, open_tick, high_tick, low_tick, close_tick, lots, trades, mark_tick";

const putSql = `
  INSERT INTO market_day (${columns})
  SELECT * FROM unnest($1::text[], $2::int[], $3::smallint[], $4::smallint[], $5::smallint[],
    $6::smallint[], $7::numeric[], $8::int[], $9::smallint[])
  ON CONFLICT (market, day) DO UPDATE SET
    open_tick = excluded.open_tick, high_tick = excluded.high_tick,
    low_tick = excluded.low_tick, close_tick = excluded.close_tick,
    lots = excluded.lots, trades = excluded.trades, mark_tick = excluded.mark_tick`;

export class PostgresMarketDays implements MarketDayStore {
  readonly #pool: Pool;

  constructor(config: ClientConfig) {
    this.#pool = poolOf({
      query_timeout: PATIENCE_MILLIS,
      connectionTimeoutMillis: PATIENCE_MILLIS,
      ...config,
      max: CONNECTIONS,
    });
  }

  async reached(): Promise<number> {
    const sql = "SELECT sequence FROM market_day_reached";
    const { rows } = await this.#pool.query<{ sequence: string }>(sql);
    return Number(rows[0]?.sequence ?? 0);
  }

  async named(keys: readonly DayKey[]): Promise<readonly MarketDay[]> {
    const { rows } = await this.#pool.query<DayRow>(
      `SELECT ${columns} FROM market_day
       JOIN unnest($1::text[], $2::int[]) AS key (market, day) USING (market, day)`,
      [keys.map(({ market }) => market), keys.map(({ day }) => day)],
    );
    return rows.map(toDay);
  }

  async put(after: number, upTo: number, days: readonly MarketDay[]): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const { rowCount } = await client.query(
        "UPDATE market_day_reached SET sequence = $2 WHERE sequence = $1",
        [after, upTo],
      );
      // If we stop here or anywhere before the commit, nothing was counted.
      for (let at = 0; rowCount === 1 && at < days.length; at += ROWS) {
        await client.query(putSql, valuesOf(days.slice(at, at + ROWS)));
      }
      return rowCount === 1;
    });
  }

  async daysOf(market: string, below: number, limit: number) {
    // One statement, so one moment: the days are those of the sequence beside them.
    const { rows } = await this.#pool.query<DayRow & { readonly sequence: string }>({
      name: "days",
      text: `SELECT reached.sequence, found.* FROM market_day_reached AS reached LEFT JOIN (
               SELECT ${columns} FROM market_day WHERE market = $1 AND day < $2
               ORDER BY day DESC LIMIT $3
             ) AS found ON true ORDER BY found.day DESC`,
      values: [market, below, limit],
    });
    const days = rows.filter((row) => row.market !== null).map(toDay);
    return { days, sequence: Number(rows[0]?.sequence ?? 0) };
  }

  async daysOfAll({ markets, since, below }: DaysAsked, after: DayKey | undefined, limit: number) {
    const { rows } = await this.#pool.query<DayRow>({
      name: "days-of-all",
      text: `SELECT ${columns} FROM market_day
             WHERE market = ANY ($1) AND day >= $2 AND day < $3 AND (market, day) > ($4, $5)
             ORDER BY market, day LIMIT $6`,
      values: [markets, since, below, after?.market ?? "", after?.day ?? -1, limit],
    });
    return rows.map(toDay);
  }

  /** Of all days there are, as they are in one moment. */
  digests(): Promise<DayDigests> {
    return inTransaction(this.#pool, async (client) => {
      await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const { rows: reached } = await client.query<{ sequence: string }>(
        "SELECT sequence FROM market_day_reached",
      );
      const digests = new Map<string, MarketDaysDigest>();
      for (let last: DayRow | undefined; ; ) {
        const { rows } = await client.query<DayRow>(
          `SELECT ${columns} FROM market_day WHERE (market, day) > ($1, $2)
           ORDER BY market, day LIMIT ${ROWS}`,
          [last?.market ?? "", last?.day ?? -1],
        );
        for (const row of rows) {
          const digest = digests.get(row.market) ?? new MarketDaysDigest();
          digests.set(row.market, digest);
          digest.add({
            day: row.day,
            open: row.open_tick,
            high: row.high_tick,
            low: row.low_tick,
            close: row.close_tick,
            lots: row.lots,
            trades: row.trades,
            mark: row.mark_tick,
          });
        }
        last = rows.at(-1);
        if (rows.length < ROWS) break;
      }
      return {
        reached: Number(reached[0]?.sequence ?? 0),
        byMarket: new Map([...digests].map(([market, digest]) => [market, digest.hex()])),
      };
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

const valuesOf = (days: readonly MarketDay[]): unknown[] => [
  days.map(({ market }) => market),
  days.map(({ day }) => day),
  days.map(({ traded }) => traded?.open ?? null),
  days.map(({ traded }) => traded?.high ?? null),
  days.map(({ traded }) => traded?.low ?? null),
  days.map(({ traded }) => traded?.close ?? null),
  days.map(({ traded }) => String(traded?.lots ?? 0n)),
  days.map(({ traded }) => traded?.trades ?? 0),
  days.map(({ mark }) => mark),
];

const toDay = (row: DayRow): MarketDay => ({
  market: marketId(row.market),
  day: row.day,
  traded: row.open_tick === null ? null : toTrades(row),
  mark: row.mark_tick === null ? null : tickOf(row.mark_tick),
});

const toTrades = (row: DayRow): DayTrades => ({
  open: tickOf(row.open_tick),
  high: tickOf(row.high_tick),
  low: tickOf(row.low_tick),
  close: tickOf(row.close_tick),
  lots: lots(BigInt(row.lots)),
  trades: row.trades,
});

function tickOf(value: number | null): Tick {
  invariant(value !== null && isTick(value), `${value} is a price in ticks`);
  return value;
}
