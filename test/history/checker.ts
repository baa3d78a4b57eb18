// Judges a history from outside: what was answered against what the journal says in the end.
// Invariant: a pure function of the history; a sound exchange's history has no fault, whatever was
// killed, paused or cut meanwhile.
import type { Answered, History, Operation, Row } from "./history.ts";
import { Timeline } from "./timeline.ts";

/** Every fault as a sentence that begins with the clause it breaks. */
export function faultsIn(history: History): readonly string[] {
  const judge = new Judge(history);
  judge.answers();
  judge.money();
  judge.order();
  judge.clients();
  judge.end();
  return judge.faults;
}

class Judge {
  readonly faults: string[] = [];
  readonly #history: History;
  readonly #timeline: Timeline;
  readonly #rows = new Map<string, Row>();
  /** All tries of a write, in the order they were made. */
  readonly #tries = new Map<string, Operation[]>();
  readonly #last: number;

  constructor(history: History) {
    this.#history = history;
    this.#timeline = new Timeline(history.rows);
    this.#last = history.rows.at(-1)?.sequence ?? 0;
    for (const operation of history.operations) {
      if (operation.key === null) continue;
      const tries = this.#tries.get(operation.key);
      if (tries === undefined) this.#tries.set(operation.key, [operation]);
      else tries.push(operation);
    }
    for (const [at, row] of history.rows.entries()) {
      if (row.sequence !== at + 1) this.#find("order", `entry ${row.sequence} is number ${at + 1}`);
      if (row.key === null) continue;
      const first = this.#rows.get(row.key);
      if (first !== undefined) {
        const both = `${first.sequence} and ${row.sequence}`;
        this.#find("once", `${row.key} is in the journal twice, as entries ${both}`);
      } else if (!this.#tries.has(row.key)) {
        this.#find("once", `${row.key} is entry ${row.sequence}, and nobody asked for it`);
      }
      this.#rows.set(row.key, row);
    }
  }

  /** Every accepted request is there as it was answered, no refused one is, and both for good. */
  answers(): void {
    for (const [key, tries] of this.#tries) {
      const row = this.#rows.get(key);
      const texts = new Set<string>();
      for (const { outcome } of tries) {
        if (outcome.type === "ok") this.#compare(key, outcome, row);
        if (outcome.type === "refused" && outcome.isDecided && row?.isAccepted === true) {
          this.#find("refused", `${key} was refused, and is entry ${row.sequence}`);
        }
        const isFinal = outcome.type === "ok" || (outcome.type === "refused" && outcome.isDecided);
        if (isFinal) texts.add(outcome.text);
      }
      if (texts.size > 1) this.#find("replay", `${key} has ${texts.size} different answers`);
      const isNowhere = tries.every(({ outcome }) => outcome.type === "refused");
      if (isNowhere && row?.isAccepted === true) {
        this.#find("refused", `${key} was refused each time, and is entry ${row.sequence}`);
      }
    }
  }

  #compare(key: string, { claims }: Answered, row: Row | undefined): void {
    if (row === undefined || !row.isAccepted) {
      this.#find("ok", `${key} was answered ok, and is not in the journal`);
      return;
    }
    for (const [name, value] of claims) {
      const stored = this.#timeline.valueAt(name, row.sequence);
      if (stored === value) continue;
      this.#find("ok", `${key} was answered ${name} ${value}, entry ${row.sequence} has ${stored}`);
    }
  }

  /** At every entry the ledger adds up to nothing, and from outside came what was asked for. */
  money(): void {
    const balances = new Map<string, bigint>();
    let total = 0n;
    for (const { sequence, key, isAccepted, changes } of this.#history.rows) {
      const outsideBefore = balances.get(OUTSIDE) ?? 0n;
      for (const [name, value] of changes) {
        if (!name.startsWith("ledger:")) continue;
        total += BigInt(value) - (balances.get(name) ?? 0n);
        balances.set(name, BigInt(value));
      }
      if (total !== 0n) this.#find("money", `after entry ${sequence} the ledger lacks ${-total}`);
      if (key === null) continue;
      const brought = outsideBefore - (balances.get(OUTSIDE) ?? 0n);
      const asked = isAccepted ? (this.#tries.get(key)?.[0]?.bringsMicros ?? 0n) : 0n;
      if (brought !== asked) {
        this.#find("money", `${key} brought ${brought} from outside, and asked for ${asked}`);
      }
    }
  }

  /**
   * A request that returned before another was invoked has the smaller sequence; and each read
   * shows one moment of the journal: none before what was known, none of what came after it.
   */
  order(): void {
    const { operations } = this.#history;
    const returned = operations
      .filter(({ outcome }) => outcome.type !== "unknown")
      .toSorted((a, b) => a.returnedAt - b.returnedAt);
    const reached = new Map<Operation, number>();
    const floors = new Map<string, number>();
    const bound = this.#latestBounds();
    let known = 0;
    let next = 0;
    for (const operation of operations.toSorted((a, b) => a.invokedAt - b.invokedAt)) {
      // A request that returned before this was invoked was invoked before it, too: its place is
      // known.
      for (; next < returned.length; next += 1) {
        const one = returned[next];
        if (one === undefined || one.returnedAt >= operation.invokedAt) break;
        known = Math.max(known, reached.get(one) ?? 0);
      }
      const { client, key, outcome } = operation;
      if (key !== null) {
        reached.set(operation, this.#placeOf(key, operation, known));
      } else if (outcome.type === "ok") {
        const floor = Math.max(known, floors.get(client) ?? 0);
        const place = this.#momentOf(operation, outcome, floor, bound(operation.returnedAt));
        floors.set(client, Math.max(floor, place));
        reached.set(operation, place);
      }
    }
  }

  /** Of a write's own entry; 0 where it has none, or was not told of it. */
  #placeOf(key: string, operation: Operation, known: number): number {
    const row = this.#rows.get(key);
    if (row === undefined) return 0;
    const { outcome } = operation;
    const isFirst = this.#tries.get(key)?.[0] === operation;
    const isFresh = outcome.type === "ok" && !outcome.isReplay;
    if ((isFirst || isFresh) && row.sequence <= known) {
      this.#find("order", `${key} is entry ${row.sequence}, asked for when ${known} was known`);
    }
    const isTold = outcome.type === "ok" || (outcome.type === "refused" && outcome.isDecided);
    return isTold ? row.sequence : 0;
  }

  #momentOf({ client, invokedAt }: Operation, read: Answered, floor: number, last: number): number {
    const { claims, sequence } = read;
    const where = `${client} at ${invokedAt.toFixed(1)}`;
    if (sequence === null) {
      const [moment] = this.#timeline.momentsOf(claims, { first: floor, last });
      if (moment !== undefined) return moment.first;
      const said = [...claims].map(([name, value]) => `${name} ${value}`).join(", ");
      const shown = said.slice(0, MOST_SHOWN);
      this.#find("moment", `${where} saw no one moment from ${floor} to ${last}: ${shown}`);
      return floor;
    }
    if (sequence < floor) this.#find("order", `${where} saw entry ${sequence} after ${floor}`);
    if (sequence > last) {
      this.#find("order", `${where} saw entry ${sequence}, which was asked for later than that`);
    }
    for (const [name, value] of claims) {
      const stored = this.#timeline.valueAt(name, sequence);
      if (stored === value) continue;
      this.#find("moment", `${where} saw ${name} ${value}, at entry ${sequence} it is ${stored}`);
    }
    return sequence;
  }

  /** The last entry that can have been there at a time: before all that was asked for later. */
  #latestBounds(): (time: number) => number {
    const writes = [...this.#rows].flatMap(([key, { sequence }]) => {
      const first = this.#tries.get(key)?.[0];
      return first === undefined ? [] : [{ invokedAt: first.invokedAt, sequence }];
    });
    writes.sort((a, b) => b.invokedAt - a.invokedAt);
    let least = this.#last + 1;
    const bounds = writes.map(({ invokedAt, sequence }) => {
      least = Math.min(least, sequence);
      return { invokedAt, least };
    });
    bounds.reverse();
    return (time) => {
      let low = 0;
      let high = bounds.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((bounds[middle]?.invokedAt ?? 0) > time) high = middle;
        else low = middle + 1;
      }
      return (bounds[low]?.least ?? this.#last + 1) - 1;
    };
  }

  /** Nobody sees time, a sequence, a fill or the end of an order taken back. */
  clients(): void {
    const seen = new Map<string, Seen>();
    for (const { client, outcome } of this.#history.operations) {
      if (outcome.type !== "ok" || outcome.isReplay) continue;
      const before = seen.get(client) ?? new Seen();
      for (const fault of before.take(outcome)) this.#find("back", `${client} saw ${fault}`);
      seen.set(client, before);
    }
    for (const [at, { sequence, timeMillis }] of this.#history.rows.entries()) {
      const before = this.#history.rows[at - 1]?.timeMillis ?? 0;
      if (timeMillis < before) this.#find("back", `entry ${sequence} has an earlier time`);
    }
  }

  /** The final state shown is that of the last entry, and nothing that was shown is gone. */
  end(): void {
    const { final, operations } = this.#history;
    for (const [name, value] of final) {
      const stored = this.#timeline.valueAt(name, this.#last);
      if (stored !== value) this.#find("end", `${name} is ${value}, the journal leaves ${stored}`);
    }
    for (const { key, outcome } of operations) {
      if (key === null || outcome.type !== "ok") continue;
      for (const name of outcome.claims.keys()) {
        if (name.startsWith("status:") && !final.has(name)) {
          this.#find("end", `${name} was answered to ${key}, and is gone`);
        }
      }
    }
  }

  #find(clause: string, what: string): void {
    this.faults.push(`${clause}: ${what}`);
  }
}

/** Characters of what was seen that a fault repeats. */
const MOST_SHOWN = 300;
const OUTSIDE = "ledger:external";

/** The facts one client has seen so far. */
class Seen {
  #sequence = 0;
  #timeMillis = 0;
  readonly #filled = new Map<string, bigint>();
  readonly #done = new Map<string, string>();

  take({ sequence, timeMillis, claims }: Answered): readonly string[] {
    const faults: string[] = [];
    if (sequence !== null) {
      if (sequence < this.#sequence) faults.push(`entry ${sequence} after ${this.#sequence}`);
      this.#sequence = Math.max(this.#sequence, sequence);
    }
    if (timeMillis !== null) {
      if (timeMillis < this.#timeMillis) faults.push(`${timeMillis} after ${this.#timeMillis}`);
      this.#timeMillis = Math.max(this.#timeMillis, timeMillis);
    }
    for (const [name, value] of claims) {
      const fault = name.startsWith("filled:")
        ? this.#takeFilled(name, BigInt(value))
        : name.startsWith("status:")
          ? this.#takeStatus(name, value)
          : undefined;
      if (fault !== undefined) faults.push(fault);
    }
    return faults;
  }

  #takeFilled(name: string, lots: bigint): string | undefined {
    const before = this.#filled.get(name) ?? 0n;
    if (lots < before) return `${name} ${lots} after ${before}`;
    this.#filled.set(name, lots);
    return undefined;
  }

  #takeStatus(name: string, status: string): string | undefined {
    const done = this.#done.get(name);
    if (done !== undefined && done !== status) return `${name} ${status} after ${done}`;
    if (status === "FILLED" || status === "CANCELLED") this.#done.set(name, status);
    return undefined;
  }
}
