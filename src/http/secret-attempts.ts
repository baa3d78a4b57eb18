// Wrong admin secrets, folded: one entry a minute for an address, with how many it stands for.
// Invariant: every attempt is counted in exactly one entry, the last of a series within a minute.
const MINUTE_MILLIS = 60_000;

interface Attempts {
  /** When the last entry for the address was made. */
  readonly toldAtMillis: number;
  /** Since then. */
  readonly untold: number;
}

export class SecretAttempts {
  readonly #byNetwork = new Map<string, Attempts>();

  /** How many attempts to enter now; 0 when this one waits to be folded with later ones. */
  note(network: string, nowMillis: number): number {
    const before = this.#byNetwork.get(network);
    if (before !== undefined && nowMillis - before.toldAtMillis < MINUTE_MILLIS) {
      this.#byNetwork.set(network, { ...before, untold: before.untold + 1 });
      return 0;
    }
    this.#byNetwork.set(network, { toldAtMillis: nowMillis, untold: 0 });
    return (before?.untold ?? 0) + 1;
  }

  /** Attempts whose minute is over and which nobody has followed. Forgets addresses gone quiet. */
  overdue(nowMillis: number): readonly { readonly network: string; readonly count: number }[] {
    const told: { network: string; count: number }[] = [];
    for (const [network, { toldAtMillis, untold }] of this.#byNetwork) {
      if (nowMillis - toldAtMillis < MINUTE_MILLIS) continue;
      if (untold === 0) this.#byNetwork.delete(network);
      else {
        told.push({ network, count: untold });
        this.#byNetwork.set(network, { toldAtMillis: nowMillis, untold: 0 });
      }
    }
    return told;
  }
}
