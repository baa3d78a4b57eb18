// A node of the simulation that does not lead: it has started at some moment, from what lay in the
// journal by then, and decides again what has come since.
// Invariant: it shows every entry it has followed; what it could not take in ends the run.
import type { ClockKind } from "#core/command.ts";
import type { Entry } from "#core/outcome.ts";
import { Standby } from "#engine/standby.ts";
import type { Journal } from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { ExchangeView } from "#views/exchange.ts";

interface Place {
  readonly journal: Journal;
  readonly key: SigningKey;
  readonly clock: ClockKind;
}

export class StandbyNode {
  readonly #standby: Standby;
  readonly view: ExchangeView;

  private constructor(standby: Standby) {
    this.#standby = standby;
    this.view = ExchangeView.from(standby.applied.state);
  }

  static async start(place: Place): Promise<StandbyNode> {
    const quiet = { ...place, file: undefined, log: () => undefined };
    return new StandbyNode(await Standby.open(quiet, () => undefined));
  }

  get sequence(): number {
    return this.#standby.applied.head.size;
  }

  /** To the journal's end; `tell` hears of each entry it shows. */
  async follow(tell: (entry: Entry) => void): Promise<void> {
    for (;;) {
      const followed = await this.#standby.next();
      if (followed.length === 0) return;
      for (const { entry } of followed) {
        this.view.fold(entry);
        tell(entry);
      }
    }
  }

  /** As a node does where it could not take an entry in: all that it shows is drawn anew. */
  redraw(): void {
    this.view.redraw(this.#standby.applied.state, this.sequence);
  }
}
