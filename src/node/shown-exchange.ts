// The exchange as this node shows it, and what happens where an entry cannot be taken in.
// Invariant: an entry is told to everybody else once, in order, after the view that they ask shows
// it; a view that failed answers nobody before it was drawn again.
import { invariant } from "#base/invariant.ts";
import type { Entry } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import type { Shown } from "#engine/engine.ts";
import { ExchangeView } from "#views/exchange.ts";

/** A view that could not take an entry in. `isLost`: nor could it be drawn again. */
export interface ViewFault {
  readonly error: unknown;
  readonly sequence: number;
  readonly requestId: string | null;
  readonly isLost: boolean;
}

interface ShownOptions {
  /** Everybody else who hears of a durable entry; at a follower that may take time. */
  tell(entry: Entry): Promise<void> | undefined;
  failed(fault: ViewFault): void;
}

export class ShownExchange implements Shown {
  readonly #options: ShownOptions;
  #view: ExchangeView | undefined;
  /** The entry that failed, and those after it: untold until the view is drawn again. */
  #waiting: Entry[] = [];
  #isLost = false;

  constructor(options: ShownOptions) {
    this.#options = options;
  }

  get view(): ExchangeView {
    invariant(this.#view !== undefined, "a recovered engine has shown its state");
    return this.#view;
  }

  get isBehind(): boolean {
    return this.#waiting.length > 0;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  recover(state: State): void {
    this.#view = ExchangeView.from(state);
  }

  take(entry: Entry): Promise<void> | undefined {
    if (this.isBehind || !this.#folds(entry)) {
      this.#waiting.push(entry);
      return undefined;
    }
    return this.#options.tell(entry);
  }

  /** False where the view has to be drawn again; one that is lost keeps true what it still can. */
  #folds(entry: Entry): boolean {
    try {
      this.view.fold(entry);
      return true;
    } catch (error) {
      if (this.#isLost) return true;
      this.#failed(error, entry);
      return false;
    }
  }

  redraw(state: State): Promise<void> | undefined {
    const [first, ...later] = this.#waiting;
    if (first === undefined) return undefined;
    this.#waiting = [];
    try {
      this.view.redraw(state, later.at(-1)?.sequence ?? first.sequence);
    } catch (error) {
      this.#isLost = true;
      this.#failed(error, first);
      for (const entry of later) this.#folds(entry);
    }
    let told: Promise<void> | undefined;
    for (const entry of [first, ...later]) {
      const tell = () => this.#options.tell(entry);
      told = told === undefined ? tell() : told.then(tell);
    }
    return told;
  }

  #failed(error: unknown, { sequence, envelope: { requestId } }: Entry): void {
    this.#options.failed({ error, sequence, requestId, isLost: this.#isLost });
  }
}
