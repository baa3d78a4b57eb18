// A fault that is waited out: the same work is tried again and again until it is over.
// Invariant: its beginning is told once, and so is its end.

export class Outage {
  readonly #tell: (fault: unknown) => void;
  #isOn = false;

  /** `tell`: of the first fault, and of undefined once it is over. */
  constructor(tell: (fault: unknown) => void) {
    this.#tell = tell;
  }

  met(fault: unknown): void {
    if (!this.#isOn) this.#tell(fault);
    this.#isOn = true;
  }

  over(): void {
    if (this.#isOn) this.#tell(undefined);
    this.#isOn = false;
  }
}
