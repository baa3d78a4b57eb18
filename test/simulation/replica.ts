// The exchange again, beside the engine: it is told of durable entries only and decides each anew.
// Invariant: it decides what the engine decided, and every invariant holds after every entry.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Entry } from "#core/outcome.ts";
import { State } from "#core/state.ts";
import { World } from "#test/core/world.ts";

export class Replica extends World {
  /** Forgets what happened in it alone, and what that was; what was printed stays printed. */
  startOver(): readonly Entry[] {
    const before = this.journal.splice(0);
    this.state = new State();
    this.sequence = 0;
    return before;
  }

  follow(entry: Entry): void {
    const at = `entry ${entry.sequence} (${entry.envelope.command.type})`;
    assert.equal(entry.sequence, this.sequence + 1, `${at} follows`);
    const outcome = this.decide(entry.envelope);
    if (!isDeepStrictEqual(outcome, entry.outcome)) {
      assert.deepEqual(outcome, entry.outcome, `${at} is decided alike`);
    }
    assert.equal(this.sequence, entry.sequence, `${at} is worth an entry`);
  }

  /** The clock alone moves: what falls due comes from the engine. */
  override runTo(millis: number): void {
    this.nowMillis = Math.max(this.nowMillis, millis);
  }
}
