// New files that the exchange has been told of before they are read: nothing matches meanwhile.
// Invariant: what was told of and is no release is taken back; what a crash leaves ends by itself.
import type { MarketId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Command } from "#core/command.ts";
import { isLive } from "#core/market/life.ts";
import type { Market } from "#core/records.ts";

interface Markets {
  readonly markets: ReadonlyMap<MarketId, Market>;
}

export class AwaitedFiles {
  readonly #durable: Markets;
  readonly #give: (command: Command) => Promise<unknown>;
  readonly #told = new Set<ReleaseId>();

  constructor(durable: Markets, give: (command: Command) => Promise<unknown>) {
    this.#durable = durable;
    this.#give = give;
  }

  /** Where no market of the index is open there is nothing to hold. */
  async see(index: IndexKind, releaseId: ReleaseId): Promise<void> {
    const markets = [...this.#durable.markets.values()];
    if (!markets.some(({ status, terms }) => isLive(status) && terms.index === index)) return;
    this.#told.add(releaseId);
    await this.#give({ type: "AwaitRelease", index, releaseId });
  }

  /** `isRelease`: it is accepted, or held back by validation. */
  async judged(index: IndexKind, releaseId: ReleaseId, isRelease: boolean): Promise<void> {
    if (!this.#told.delete(releaseId) || isRelease) return;
    await this.#give({ type: "ForgetAwaited", index, releaseId });
  }
}
