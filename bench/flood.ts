// Orders sent as they fall due, whether or not those before them were answered; or, to find out
// what can be taken at all, each after the answer to the one before.
// Invariant: a request counts as offered when it was written; each of these is waited for.
import { type Heard, Wire } from "#test/e2e/wire.ts";
import { answerWith, Companion } from "./companion.ts";
import { quantile, type Scope } from "./figure.ts";

interface Flood {
  readonly port: number;
  readonly connections: number;
  readonly millis: number;
  /** Orders a second; null: each connection sends when it was answered. */
  readonly perSecond: number | null;
  readonly orders: readonly string[];
  /** Mixed in as each hundredth request, and sent by itself all along. */
  readonly cancels: readonly string[];
  readonly status: string;
}

interface Waits {
  readonly count: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
  readonly mostMillis: number;
}

export interface Flooded {
  /** Orders written, and those that fell due while their connection was full. */
  readonly offered: number;
  readonly held: number;
  /** Within the time, a second. */
  readonly goodPerSecond: number;
  /** Answers to orders by their status; `lost`: none came. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly lost: number;
  /** 429 and 503 without the header that says when to come back. */
  readonly withoutRetryAfter: number;
  readonly good: Waits;
  readonly refused: Waits;
  readonly cancels: Waits;
  readonly cancelStatuses: Readonly<Record<string, number>>;
  readonly looks: Waits;
  readonly lookStatuses: Readonly<Record<string, number>>;
  /** From the end of the time until the last answer. */
  readonly drainMillis: number;
  /** Of this process, in cores. */
  readonly cores: number;
}

export class FloodClient {
  readonly #companion: Companion;

  constructor(scope: Scope) {
    this.#companion = new Companion(scope, new URL(import.meta.url));
  }

  get pid(): number {
    return this.#companion.pid;
  }

  async run(flood: Flood): Promise<Flooded> {
    const flooded = await this.#companion.ask(flood);
    if (!isFlooded(flooded)) throw new Error(`the flood said ${JSON.stringify(flooded)}`);
    return flooded;
  }
}

const isFlooded = (value: unknown): value is Flooded =>
  typeof value === "object" && value !== null && "goodPerSecond" in value;

const isFlood = (value: unknown): value is Flood =>
  typeof value === "object" && value !== null && "perSecond" in value;

const TICK_MILLIS = 5;
const MOST_WAITING = 500;
const CANCEL_EACH = 100;
const ASIDE_MILLIS = 50;
const DRAIN_MILLIS = 120_000;

/** Answers of one kind of request. */
class Tally {
  readonly statuses: Record<string, number> = {};
  readonly good: number[] = [];
  readonly refused: number[] = [];
  withoutRetryAfter = 0;
  sent = 0;

  readonly take = ({ status, text, millis }: Heard): void => {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    (status < 300 ? this.good : this.refused).push(millis);
    const mustTell = status === 429 || status === 503;
    if (mustTell && !text.includes("\r\nretry-after: ")) this.withoutRetryAfter += 1;
  };

  get answered(): number {
    return this.good.length + this.refused.length;
  }
}

function waitsOf(millis: readonly number[]): Waits {
  return {
    count: millis.length,
    p50Millis: quantile(millis, 0.5),
    p99Millis: quantile(millis, 0.99),
    mostMillis: quantile(millis, 1),
  };
}

class Run {
  readonly #flood: Flood;
  readonly #wires: readonly Wire[];
  readonly orders = new Tally();
  readonly cancels = new Tally();
  readonly looks = new Tally();
  held = 0;
  #next = 0;
  #isOver = false;

  constructor(flood: Flood) {
    this.#flood = flood;
    this.#wires = Array.from({ length: flood.connections + 2 }, () => new Wire(flood.port));
  }

  async drive(): Promise<{ readonly good: number; readonly drainMillis: number }> {
    const { millis, perSecond } = this.#flood;
    const started = performance.now();
    const [cancelling, looking, ...busy] = this.#wires;
    if (cancelling === undefined || looking === undefined) throw new Error("no connections");
    if (perSecond === null) for (const wire of busy) this.#sendNext(wire);
    let asideAt = started;
    let asides = 0;
    for (let now = started; now < started + millis; now = performance.now()) {
      for (; asideAt < now; asideAt += ASIDE_MILLIS, asides += 1) {
        this.#send(cancelling, this.#cancel(asides), asideAt, this.cancels);
        this.#send(looking, this.#flood.status, asideAt, this.looks);
      }
      if (perSecond !== null) this.#sendDue(busy, started, ((now - started) / 1000) * perSecond);
      for (const wire of this.#wires) wire.flush();
      await new Promise((resolve) => setTimeout(resolve, TICK_MILLIS));
    }
    this.#isOver = true;
    const good = this.orders.good.length;
    const over = performance.now();
    while (this.#wires.some((wire) => wire.waiting > 0 && !wire.isClosed)) {
      if (performance.now() > over + DRAIN_MILLIS) break;
      await new Promise((resolve) => setTimeout(resolve, TICK_MILLIS));
    }
    for (const wire of this.#wires) wire.close();
    return { good, drainMillis: performance.now() - over };
  }

  #cancel(number: number): string {
    const { cancels } = this.#flood;
    return cancels[number % cancels.length] ?? "";
  }

  #send(wire: Wire, request: string, dueMillis: number, tally: Tally): void {
    tally.sent += 1;
    wire.ask(request, dueMillis, tally.take);
  }

  /** Latency counts from when it was due: a generator that comes late is no excuse. */
  #sendDue(wires: readonly Wire[], startedMillis: number, due: number): void {
    const { perSecond, orders } = this.#flood;
    for (; this.#next < due; this.#next += 1) {
      const wire = wires[this.#next % wires.length];
      const dueMillis = startedMillis + (1000 * this.#next) / (perSecond ?? 1);
      if (wire === undefined || wire.waiting >= MOST_WAITING) {
        this.held += 1;
      } else if (this.#next % CANCEL_EACH === 0) {
        this.#send(wire, this.#cancel(this.#next / CANCEL_EACH), dueMillis, this.cancels);
      } else {
        this.#send(wire, orders[this.#next % orders.length] ?? "", dueMillis, this.orders);
      }
    }
  }

  #sendNext(wire: Wire): void {
    const { orders } = this.#flood;
    this.orders.sent += 1;
    this.#next += 1;
    wire.ask(orders[this.#next % orders.length] ?? "", performance.now(), (heard) => {
      this.orders.take(heard);
      if (!this.#isOver) this.#sendNext(wire);
    });
    wire.flush();
  }
}

async function flooded(flood: unknown): Promise<Flooded> {
  if (!isFlood(flood)) throw new Error("no flood");
  const run = new Run(flood);
  const before = process.cpuUsage();
  const started = performance.now();
  const { good, drainMillis } = await run.drive();
  const used = process.cpuUsage(before);
  const { orders, cancels, looks } = run;
  const all = [orders, cancels, looks];
  return {
    offered: orders.sent,
    held: run.held,
    goodPerSecond: (1000 * good) / flood.millis,
    statuses: orders.statuses,
    lost: all.reduce((sum, { sent, answered }) => sum + sent - answered, 0),
    withoutRetryAfter: all.reduce((sum, one) => sum + one.withoutRetryAfter, 0),
    good: waitsOf(orders.good),
    refused: waitsOf(orders.refused),
    cancels: waitsOf([...cancels.good, ...cancels.refused]),
    cancelStatuses: cancels.statuses,
    looks: waitsOf(looks.good),
    lookStatuses: looks.statuses,
    drainMillis,
    cores: (used.user + used.system) / 1000 / (performance.now() - started),
  };
}

if (import.meta.main) answerWith(flooded);
