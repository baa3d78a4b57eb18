// Sequences of commands in a small world, on the core and on its reference model, each from its
// first command on.
// Invariant: nothing is left out as alike: each sequence is given to a core that lives through all
// of it, and compared at its end; its beginnings were judged before it.
import assert from "node:assert/strict";
import { orderId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import { isRejected, type Outcome } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { fork } from "./fork.ts";
import { decide } from "./model-decide.ts";
import { compareOutcomes, comparePictures } from "./model-picture.ts";
import type { Pair } from "./pair.ts";
import type { ReferenceModel } from "./reference-model.ts";
import type { Trader } from "./world.ts";

export interface Choice {
  readonly words: string;
  readonly actor: Actor;
  /** The command it becomes in the model's present state. */
  readonly command: (model: ReferenceModel) => Command;
}

interface Given {
  readonly words: string;
  readonly actor: Actor;
  readonly command: Command;
}

export class Walk {
  readonly #pair: Pair;
  readonly #choices: readonly Choice[];
  /** How often what came of a command. */
  readonly seen = new Map<string, number>();
  sequences = 0;

  constructor(pair: Pair, choices: readonly Choice[]) {
    this.#pair = pair;
    this.#choices = choices;
  }

  /** Every sequence that goes on by so many commands from where the model stands. */
  goOn(model: ReferenceModel, given: readonly Given[], by: number): void {
    for (const { words, actor, command } of this.#choices) {
      const next = { words, actor, command: command(model) };
      const sequence = [...given, next];
      const after = model.copy();
      if (by === 1) this.#judge(after, sequence);
      else {
        decide(after, actor, next.command, this.#pair.world.nowMillis);
        this.goOn(after, sequence, by - 1);
      }
    }
  }

  #judge(model: ReferenceModel, sequence: readonly Given[]): void {
    try {
      this.#end(model, sequence);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      const lines = sequence.map(({ words }) => words);
      throw new Error([`after ${this.sequences} sequences`, ...lines, message].join("\n"), {
        cause,
      });
    }
  }

  /** The last command, which the model has not seen, after all before it, which it has. */
  #end(model: ReferenceModel, sequence: readonly Given[]): void {
    const last = sequence.at(-1);
    assert.ok(last !== undefined);
    const { state, nowMillis } = this.#pair.world;
    const core = fork(state);
    for (const [at, before] of sequence.slice(0, -1).entries()) this.#apply(core, before, at + 1);
    const fillsBefore = model.fills.length;
    const expected = decide(model, last.actor, last.command, nowMillis);
    const outcome = this.#apply(core, last, sequence.length);
    compareOutcomes(outcome, expected, model.fills.slice(fillsBefore));
    comparePictures(core, model);
    this.#count(outcome);
  }

  #apply(state: State, { actor, command }: Given, sequence: number): Outcome {
    const timeMillis = this.#pair.world.nowMillis;
    return apply(
      state,
      { timeMillis, actor, requestId: null, idempotency: null, command },
      sequence,
    );
  }

  #count(outcome: Outcome): void {
    this.sequences += 1;
    const words = isRejected(outcome)
      ? [outcome.rejection.code]
      : outcome.events.flatMap((event) =>
          event.type === "OrderChanged"
            ? (event.order.cancelReason ?? event.order.status)
            : event.type === "MandateUsed"
              ? `gives ${event.use.usedLots}`
              : [],
        );
    for (const word of words) this.seen.set(word, (this.seen.get(word) ?? 0) + 1);
  }
}

export const choicesOf = (
  { actor, id }: Trader,
  orders: readonly OrderInput[],
): readonly Choice[] => [
  ...orders.map((input) => ({
    words: `${id} ${inWords(input)}`,
    actor,
    command: (): Command => ({ type: "PlaceOrder", order: input, listing: null }),
  })),
  {
    words: `${id} cancels its oldest open order`,
    actor,
    command: (model) => ({
      type: "CancelOrder",
      orderId: model.open(id).at(0)?.id ?? orderId("ord-0"),
    }),
  },
];

/** Everything but whose and where, of which there is but one. */
const inWords = ({ marketId: _, clientOrderId: __, ...input }: OrderInput): string =>
  Object.entries(input)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
