// Deliveries beside the journal: how far each webhook is, and its newest attempts.
// Invariant: only the node that leads writes here; a delivery not written yet is made again; a row
// that is refused keeps no other row from being written.
import { DatabaseError, type Pool, type PoolConfig } from "pg";
import { type WebhookId, webhookId } from "#base/ids.ts";
import { poolOf } from "#storage/with-client.ts";

/** Attempts that are kept of a webhook; older ones leave as newer ones come. */
const KEPT_ATTEMPTS = 1_000;

export interface Cursor {
  readonly id: WebhookId;
  readonly run: number;
  /** Every entry up to here was delivered, or had nothing for it. */
  readonly delivered: number;
  /** How often the next one failed, since when, and when it is tried again. */
  readonly attempts: number;
  readonly failingSinceMillis: number | null;
  readonly nextAttemptMillis: number | null;
  /** Attempts there have been. */
  readonly logged: number;
}

/** One attempt: a status, or the fault that kept it from having one. */
export interface LoggedAttempt {
  readonly id: WebhookId;
  readonly number: number;
  readonly sequence: number;
  /** Of this entry, from 1. */
  readonly attempt: number;
  readonly atMillis: number;
  readonly tookMillis: number;
  readonly status: number | null;
  readonly fault: string | null;
}

type DeliveryRow =
  | { readonly table: "webhook_cursor"; readonly row: Cursor }
  | { readonly table: "webhook_delivery"; readonly row: LoggedAttempt };

/** A row that was not written, and why. */
export type RefusedRow = DeliveryRow & { readonly error: Error };

/** The node does not lead any more, so nothing was written. */
export class NotLeading extends Error {
  override readonly name = "NotLeading";
}

export class DeliveryStore {
  readonly #pool: Pool;

  constructor(config: PoolConfig) {
    this.#pool = poolOf({ ...config, max: 2 });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async cursors(): Promise<readonly Cursor[]> {
    const { rows } = await this.#pool.query<Numbers<Cursor>>(
      `SELECT webhook_id AS id, run, delivered, attempts, logged,
         failing_since_millis AS "failingSinceMillis", next_attempt_millis AS "nextAttemptMillis"
       FROM webhook_cursor`,
    );
    return rows.map((row) => ({
      id: webhookId(row.id),
      run: Number(row.run),
      delivered: Number(row.delivered),
      attempts: Number(row.attempts),
      failingSinceMillis: numberOrNull(row.failingSinceMillis),
      nextAttemptMillis: numberOrNull(row.nextAttemptMillis),
      logged: Number(row.logged),
    }));
  }

  /**
   * The cursors and attempts in one statement, and without those of `gone`. Where a row is refused
   * the others are written without it.
   * @returns the rows that were refused
   * @throws NotLeading where another node has led since `epoch`
   */
  async write(
    epoch: number,
    cursors: readonly Cursor[],
    attempts: readonly LoggedAttempt[],
    gone: readonly WebhookId[],
  ): Promise<readonly RefusedRow[]> {
    const rows: readonly DeliveryRow[] = [
      ...cursors.map((row) => ({ table: "webhook_cursor", row }) as const),
      ...attempts.map((row) => ({ table: "webhook_delivery", row }) as const),
    ];
    const refused: RefusedRow[] = [];
    const whole: DeliveryRow[] = [];
    for (const one of rows) {
      const error = notWhole(one.row);
      if (error === undefined) whole.push(one);
      else refused.push({ ...one, error });
    }
    try {
      await this.#put(epoch, whole, gone);
    } catch (error) {
      if (!isOfARow(error)) throw error;
      await this.#put(epoch, [], gone);
      refused.push(...(await this.#putApart(epoch, whole, error)));
    }
    return refused;
  }

  /** The rows of a statement that was refused, by halves, until each refused one stands alone. */
  async #putApart(
    epoch: number,
    rows: readonly DeliveryRow[],
    error: Error,
  ): Promise<readonly RefusedRow[]> {
    const [only, another] = rows;
    if (only === undefined) return [];
    if (another === undefined) return [{ ...only, error }];
    const middle = Math.ceil(rows.length / 2);
    const refused: RefusedRow[] = [];
    for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
      try {
        await this.#put(epoch, half, []);
      } catch (fault) {
        if (!isOfARow(fault)) throw fault;
        refused.push(...(await this.#putApart(epoch, half, fault)));
      }
    }
    return refused;
  }

  async #put(
    epoch: number,
    rows: readonly DeliveryRow[],
    gone: readonly WebhookId[],
  ): Promise<void> {
    const of = (table: DeliveryRow["table"]): string =>
      JSON.stringify(rows.flatMap((one) => (one.table === table ? one.row : [])));
    const values = [epoch, of("webhook_cursor"), of("webhook_delivery"), gone, KEPT_ATTEMPTS];
    const { rowCount } = await this.#pool.query(writeSql, values);
    if (rowCount === 0) throw new NotLeading();
  }

  /** Newest first; `before` is the number of the last one of the page before. */
  async attempts(
    id: WebhookId,
    before: number | undefined,
    limit: number,
  ): Promise<readonly LoggedAttempt[]> {
    const { rows } = await this.#pool.query<Numbers<LoggedAttempt>>(
      `SELECT webhook_id AS id, number, sequence, attempt, at_millis AS "atMillis",
         took_millis AS "tookMillis", status, fault
       FROM webhook_delivery WHERE webhook_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3`,
      [id, before ?? Number.MAX_SAFE_INTEGER, limit],
    );
    return rows.map((row) => ({
      id: webhookId(row.id),
      number: Number(row.number),
      sequence: Number(row.sequence),
      attempt: Number(row.attempt),
      atMillis: Number(row.atMillis),
      tookMillis: Number(row.tookMillis),
      status: numberOrNull(row.status),
      fault: row.fault,
    }));
  }
}

/** The columns take whole numbers only, and the statement would be refused for all of its rows. */
function notWhole(row: Cursor | LoggedAttempt): Error | undefined {
  const found = Object.entries(row).find(
    ([, value]) => typeof value === "number" && !Number.isSafeInteger(value),
  );
  return found && new RangeError(`${found[0]} is ${found[1]}, which is no whole number`);
}

/**
 * SQLSTATE classes: a value, a constraint, a limit of size. Any other fault is the whole
 * statement's. https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const rowState = /^(22|23|54)[0-9A-Z]{3}$/;

const isOfARow = (error: unknown): error is Error =>
  error instanceof DatabaseError && rowState.test(error.code ?? "");

/** As the client gives a bigint: as text. */
type Numbers<T> = {
  readonly [K in keyof T]: T[K] extends string | null ? T[K] : string | number | Nulls<T[K]>;
};
type Nulls<T> = T extends null ? null : never;

const numberOrNull = (value: string | number | null): number | null =>
  value === null ? null : Number(value);

/**
 * `FOR SHARE` makes the next leader's raise of the epoch wait until this is written, so nothing of
 * ours is written after it.
 */
const writeSql = `
  WITH permit AS (SELECT FROM leader WHERE epoch = $1 FOR SHARE),
  cursor AS (
    SELECT c.* FROM permit, jsonb_to_recordset($2::jsonb) AS c (id text, run bigint,
      delivered bigint, attempts integer, "failingSinceMillis" bigint, "nextAttemptMillis" bigint,
      logged bigint)),
  put AS (
    INSERT INTO webhook_cursor SELECT * FROM cursor
    ON CONFLICT (webhook_id) DO UPDATE SET run = excluded.run, delivered = excluded.delivered,
      attempts = excluded.attempts, failing_since_millis = excluded.failing_since_millis,
      next_attempt_millis = excluded.next_attempt_millis, logged = excluded.logged),
  old AS (
    DELETE FROM webhook_delivery AS d USING cursor AS c
    WHERE d.webhook_id = c.id AND d.number <= c.logged - $5::bigint),
  logged AS (
    INSERT INTO webhook_delivery SELECT a.id, a.number, a.sequence, a.attempt, a."atMillis",
      a."tookMillis", a.status, a.fault
    FROM permit, jsonb_to_recordset($3::jsonb) AS a (id text, number bigint, sequence bigint,
      attempt integer, "atMillis" bigint, "tookMillis" integer, status integer, fault text)
    ON CONFLICT DO NOTHING),
  gone AS (
    DELETE FROM webhook_cursor USING permit WHERE webhook_id = ANY ($4::text[])),
  forgotten AS (
    DELETE FROM webhook_delivery USING permit WHERE webhook_id = ANY ($4::text[]))
  SELECT FROM permit`;
