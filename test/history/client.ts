// A client as any stranger may be one: it trades, deposits, asks again and looks, one thing at a
// time, and keeps nothing but what it was told.
// Invariant: a key is sent with one request for ever; what it knows of orders came in answers.
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { at, type Json, listAt, numberAt, type Trader, textAt } from "#test/support/exchange.ts";
import { auditIn, bookIn, cashOf, heldIn, microsIn, orderIn, signedIn, TICKS } from "./answers.ts";
import type { Outcome } from "./history.ts";
import type { Asked, Meaning, Recorder } from "./recorder.ts";

type Draw = (bound: number) => number;

interface World {
  readonly market: string;
  readonly auditor: Trader;
  readonly recorder: Recorder;
  readonly draw: Draw;
}

interface Write {
  readonly asked: Asked;
  readonly bringsMicros: bigint;
  readonly meaning: (body: Json) => Meaning;
}

interface Read {
  readonly asked: Asked;
  readonly meaning: (body: Json) => Meaning;
}

/** Between two requests at most; and more after each that nobody answered. */
const THINKS_MILLIS = 200;
const WAITS_MILLIS = 150;
const MOST_WAITS = 8;
const AMONG_NEWEST = 12;
const ORDERS = "/api/trading/orders";

/** How often of a hundred each is done; the rest are reads. */
const shares = [
  ["place", 26],
  ["batch", 6],
  ["cancel", 12],
  ["amend", 8],
  ["cancelAll", 2],
  ["fund", 8],
  ["again", 8],
] as const;
type Kind = (typeof shares)[number][0];

const claimed = (claims: readonly (readonly [string, string])[]): Meaning => ({
  claims: new Map(claims),
});

export class Client {
  readonly #name: string;
  readonly #trader: Trader;
  readonly #world: World;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #orders: string[] = [];
  readonly #writes = new Map<string, Write>();

  constructor(name: string, trader: Trader, world: World) {
    this.#name = name;
    this.#trader = trader;
    this.#world = world;
  }

  /** Until told that it is enough. */
  async run(isOver: () => boolean): Promise<void> {
    const { draw } = this.#world;
    for (let lost = 0; !isOver(); ) {
      const outcome = await this.#next();
      lost = outcome.type === "unknown" ? Math.min(lost + 1, MOST_WAITS) : 0;
      await sleep(draw(THINKS_MILLIS) + lost * WAITS_MILLIS);
    }
    this.#agent.destroy();
  }

  #next(): Promise<Outcome> {
    let at = this.#world.draw(100);
    for (const [kind, share] of shares) {
      at -= share;
      if (at < 0) return kind === "again" ? this.#again() : this.#write(this.#drawn(kind));
    }
    return this.#read();
  }

  async #write(write: Write): Promise<Outcome> {
    const key = `${this.#name}:${this.#writes.size + 1}`;
    this.#writes.set(key, write);
    let outcome = await this.#ask(key, write);
    // Half of those who do not know ask again; the others leave it so for ever.
    for (let tries = 1; outcome.type === "unknown" && tries < 5; tries += 1) {
      if (this.#world.draw(2) === 0) break;
      await sleep(WAITS_MILLIS * tries);
      outcome = await this.#ask(key, write);
    }
    return outcome;
  }

  /** Something that was asked before, whatever was said to it. */
  #again(): Promise<Outcome> {
    const keys = [...this.#writes.keys()];
    const key = keys.at(-1 - this.#world.draw(AMONG_NEWEST));
    const write = this.#writes.get(key ?? "");
    if (key === undefined || write === undefined) return this.#read();
    return this.#ask(key, write);
  }

  async #ask(key: string, { asked, bringsMicros, meaning }: Write): Promise<Outcome> {
    const { recorder } = this.#world;
    const write = { key, bringsMicros };
    const outcome = await recorder.ask(this.#name, this.#agent, asked, write, meaning);
    if (outcome.type !== "ok") return outcome;
    for (const name of outcome.claims.keys()) {
      const [, id] = /^status:(.+)$/.exec(name) ?? [];
      if (id !== undefined && !this.#orders.includes(id)) this.#orders.push(id);
    }
    return outcome;
  }

  #drawn(kind: Exclude<Kind, "again">): Write {
    const id = this.#orders.at(-1 - this.#world.draw(AMONG_NEWEST));
    const write = (
      method: Asked["method"],
      path: string,
      body: Json | undefined,
      meaning: Write["meaning"],
    ): Write => {
      const asked = { method, path, body, secret: this.#trader.key };
      return { asked, bringsMicros: 0n, meaning };
    };
    if (kind === "fund") return this.#deposit();
    if (kind === "batch") {
      const orders = Array.from({ length: 2 + this.#world.draw(3) }, () => this.#order());
      return write("POST", `${ORDERS}/batch`, { orders }, (body) =>
        claimed(listAt(body, "data").flatMap(orderIn)),
      );
    }
    if (kind === "cancelAll") {
      return write("POST", `${ORDERS}/cancel-all`, {}, (body) =>
        claimed([["cancelled", String(numberAt(body, "data", "cancelledCount"))]]),
      );
    }
    if (id === undefined || kind === "place") {
      return write("POST", ORDERS, this.#order(), (body) => claimed(orderIn(at(body, "data"))));
    }
    if (kind === "cancel") {
      const done = claimed([[`status:${id}`, "CANCELLED"]]);
      return write("DELETE", `${ORDERS}/${id}`, undefined, () => done);
    }
    const { price } = this.#order();
    const changes = this.#world.draw(2) === 0 ? { price } : { price, amount: this.#amount() };
    return write("PATCH", `${ORDERS}/${id}`, changes, (body) => claimed(orderIn(at(body, "data"))));
  }

  #deposit(): Write {
    const { draw } = this.#world;
    const sign = draw(4) === 0 ? "-" : "";
    const amount = `${sign}${(draw(100_000) / 100 + 0.01).toFixed(2)}`;
    const path = `/api/admin/accounts/${this.#trader.id}/funding`;
    return {
      asked: { method: "POST", path, body: { amount }, secret: null },
      bringsMicros: BigInt(microsIn(amount)),
      meaning: (body) => claimed(cashOf(this.#trader.id, at(body, "data"))),
    };
  }

  #amount(): string {
    return (this.#world.draw(2_000) / 100 + 0.01).toFixed(2);
  }

  #order() {
    const { draw, market } = this.#world;
    const tick = TICKS.first + 20 + 10 * draw(9);
    const side = draw(2) === 0 ? "BUY" : "SELL";
    return {
      marketId: market,
      outcomeIndex: 0,
      side,
      amount: this.#amount(),
      price: tick / 10_000,
    };
  }

  #read(): Promise<Outcome> {
    const { draw, recorder } = this.#world;
    const reads = [...this.#ownReads(), ...this.#publicReads()];
    const { asked, meaning } = reads[draw(reads.length)] ?? reads[0] ?? this.#status();
    return recorder.ask(this.#name, this.#agent, asked, null, meaning);
  }

  #ownReads(): readonly Read[] {
    const { id: account, key } = this.#trader;
    const { auditor, market, draw } = this.#world;
    const read = (path: string, meaning: Read["meaning"], secret: string | null = key): Read => ({
      asked: { method: "GET", path, secret },
      meaning,
    });
    const id = this.#orders.at(-1 - draw(AMONG_NEWEST));
    const one =
      id === undefined
        ? []
        : [read(`${ORDERS}/${id}`, (body) => claimed(orderIn(at(body, "data"))))];
    return [
      ...one,
      read("/api/trading/account", (body) => claimed(cashOf(account, at(body, "data")))),
      read(`${ORDERS}?limit=20`, (body) => claimed(listAt(body, "data").flatMap(orderIn))),
      read(`/api/trading/positions?marketId=${market}`, (body) =>
        claimed(heldIn(account, listAt(body, "data"))),
      ),
      read(
        "/api/audit/logs?limit=20",
        (body) => claimed(auditIn(listAt(body, "data"))),
        auditor.key,
      ),
      read(
        "/api/admin/accounts?limit=100",
        (body) => claimed(listAt(body, "data").flatMap((one) => cashOf(textAt(one, "id"), one))),
        null,
      ),
    ];
  }

  #publicReads(): readonly Read[] {
    const { market } = this.#world;
    const read = (path: string, meaning: Read["meaning"]): Read => ({
      asked: { method: "GET", path, secret: "" },
      meaning,
    });
    return [
      this.#status(),
      read("/api/checkpoint", (body) => claimed(signedIn(textAt(body, "data", "note")))),
      read(`/api/markets/${market}/book?depth=100`, (body) => ({
        claims: bookIn(at(body, "data")),
        sequence: numberAt(body, "data", "sequence"),
      })),
    ];
  }

  #status(): Read {
    return {
      asked: { method: "GET", path: "/api/status", secret: "" },
      meaning: (body) => ({
        claims: new Map(),
        sequence: numberAt(body, "durableSequence"),
        timeMillis: Date.parse(textAt(body, "engineTime")),
      }),
    };
  }
}
