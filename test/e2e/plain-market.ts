// One market as plainly as it can be written, to predict every answer an exchange gave to a load.
// Invariant: it shares no code with the exchange, and knows only the requests and their order.
import assert from "node:assert/strict";

export interface PlainOrder {
  readonly outcomeIndex: 0 | 1;
  readonly side: "BUY" | "SELL";
  /** Of 0.0001 USD. */
  readonly tick: number;
  /** Of 0.01 contract. */
  readonly lots: number;
}

export type Asked =
  | { readonly type: "place"; readonly order: PlainOrder }
  | { readonly type: "batch"; readonly orders: readonly PlainOrder[] }
  | { readonly type: "cancel"; readonly orderId: string }
  | { readonly type: "cancelAll" };

/** The expected answer; `placed` of each order sent. */
export type Expected =
  | { readonly placed: readonly Placed[] }
  | { readonly cancelled: number }
  | { readonly refusedWith: number };

export interface Placed {
  readonly id: string;
  readonly status: string;
  readonly filledLots: number;
}

interface Resting {
  readonly id: string;
  readonly account: string;
  readonly buysYes: boolean;
  readonly yesTick: number;
  readonly lots: number;
  filled: number;
  status: "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED";
}

const TICKS = 10_000;
/** 0.5 %: the fee of the institutional tier, in parts of the quantity at min(p, 1 − p). */
const FEE_PARTS = 200;

export class PlainMarket {
  /** Micro-dollars by account. */
  readonly cash = new Map<string, number>();
  /** Lots of YES held; below zero, sold short. */
  readonly held = new Map<string, number>();
  fills = 0;
  readonly #orders: Resting[] = [];
  readonly #byId = new Map<string, Resting>();

  apply(account: string, asked: Asked): Expected {
    switch (asked.type) {
      case "place":
        return { placed: [this.#place(account, asked.order)] };
      case "batch":
        return { placed: asked.orders.map((order) => this.#place(account, order)) };
      case "cancel": {
        const order = this.#byId.get(asked.orderId);
        assert.ok(order !== undefined, `${asked.orderId} was placed before it was cancelled`);
        if (!isOpen(order)) return { refusedWith: 409 };
        order.status = "CANCELLED";
        return { cancelled: 1 };
      }
      case "cancelAll": {
        const open = this.#orders.filter((order) => order.account === account && isOpen(order));
        for (const order of open) order.status = "CANCELLED";
        return { cancelled: open.length };
      }
    }
  }

  #place(account: string, { outcomeIndex, side, tick, lots }: PlainOrder): Placed {
    const isYes = outcomeIndex === 0;
    const order: Resting = {
      id: `ord-${this.#orders.length + 1}`,
      account,
      // Buying NO at p is selling YES at 1 − p, and the other way round.
      buysYes: (side === "BUY") === isYes,
      yesTick: isYes ? tick : TICKS - tick,
      lots,
      filled: 0,
      status: "OPEN",
    };
    let feeBase = 0;
    for (const resting of this.#against(order)) {
      if (order.filled === lots) break;
      if (resting.account === account) {
        order.status = "CANCELLED";
        break;
      }
      feeBase += this.#trade(order, resting);
    }
    this.#pay(account, -Math.ceil(feeBase / FEE_PARTS));
    this.#orders.push(order);
    this.#byId.set(order.id, order);
    return { id: order.id, status: order.status, filledLots: order.filled };
  }

  /** The orders it crosses: best price first, then the earliest. */
  #against({ buysYes, yesTick }: Resting): Resting[] {
    const sign = buysYes ? 1 : -1;
    return this.#orders
      .filter((other) => other.buysYes !== buysYes && isOpen(other))
      .filter((other) => sign * (yesTick - other.yesTick) >= 0)
      .sort((a, b) => sign * (a.yesTick - b.yesTick));
  }

  /** At the resting price; returns what the fee is taken of. */
  #trade(incoming: Resting, resting: Resting): number {
    const lots = Math.min(incoming.lots - incoming.filled, resting.lots - resting.filled);
    const { yesTick: tick } = resting;
    for (const order of [incoming, resting]) {
      order.filled += lots;
      order.status = order.filled === order.lots ? "FILLED" : "PARTIALLY_FILLED";
      const sign = order.buysYes ? 1 : -1;
      this.#pay(order.account, -sign * lots * tick);
      this.held.set(order.account, (this.held.get(order.account) ?? 0) + sign * lots);
    }
    this.fills += 1;
    return lots * Math.min(tick, TICKS - tick);
  }

  #pay(account: string, micros: number): void {
    this.cash.set(account, (this.cash.get(account) ?? 0) + micros);
  }
}

const isOpen = ({ status }: Resting): boolean => status === "OPEN" || status === "PARTIALLY_FILLED";
