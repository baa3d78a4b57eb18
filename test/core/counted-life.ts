// A life of commands that are counted one by one, whoever gives them, the clock included.
// Invariant: of each kind the one that took the most for its units is kept; none is refused.
import type { Actor, Command } from "#core/command.ts";
import { unitsOf } from "#core/command-table.ts";
import { nextDue } from "#core/due.ts";
import type { Event } from "#core/event.ts";
import { wordIn } from "#core/words/told.ts";
import type { WordCommand } from "#core/words/word.ts";
import { CountedStage } from "./counted-stage.ts";
import { system, type Trader } from "./world.ts";

export interface Measured {
  readonly steps: number;
  readonly units: number;
}

export class CountedLife extends CountedStage {
  readonly found = new Map<string, Measured>();

  give(actor: Actor, command: Command, name: string = command.type): readonly Event[] {
    const units = unitsOf(this.world.state, actor, command);
    const { steps, ended, events } = this.counted(actor, command);
    const measured = { steps, units: units + ended };
    const before = this.found.get(name);
    const isMore = before === undefined || shareOf(measured) > shareOf(before);
    if (isMore) this.found.set(name, measured);
    return events;
  }

  /** By two people, each of whom is counted. */
  giveInTwo([first, second]: readonly [Trader, Trader], command: WordCommand): readonly Event[] {
    const said = this.give(first.actor, command);
    const waiting = wordIn("open", said);
    return waiting === undefined ? said : this.give(second.actor, command);
  }

  /** All that falls due up to a moment, and stands there. */
  runTo(millis: number): void {
    const { world } = this;
    for (let due = nextDue(world.state, millis); due; due = nextDue(world.state, millis)) {
      world.nowMillis = due.timeMillis;
      this.give(system, due.command);
    }
    world.nowMillis = millis;
  }
}

const shareOf = ({ steps, units }: Measured): number => steps / units;
