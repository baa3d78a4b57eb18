// Sequences of commands in a small world, on the core and on its reference model, each from its
// first command on.
// Invariant: nothing is left out as alike: each sequence is given to a core that lives through all
// of it, and compared at its end; its beginnings were judged before it.
//
// FIRSTPRINT_WALK_ONE_IN: of the sequences of full length one in so many is judged, as a seed draws
// them; of the shorter ones every one.
import assert from "node:assert/strict";
import { orderId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import { nextDue } from "#core/due.ts";
import type { Event } from "#core/event.ts";
import { isRejected, type Outcome } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { Dice } from "./dice.ts";
import { fork } from "./fork.ts";
import { decide } from "./model-decide.ts";
import { nextDueOf } from "./model-due.ts";
import { compareOutcomes, comparePictures } from "./model-picture.ts";
import type { Pair } from "./pair.ts";
import type { ReferenceModel } from "./reference-model.ts";
import { system, type Trader } from "./world.ts";

const ONE_IN = sizeOfRun("FIRSTPRINT_WALK_ONE_IN", 1);

/** Time that passes, with all that falls due in it. */
interface Wait {
  readonly type: "Wait";
  readonly millis: number;
}

export interface Choice {
  readonly words: string;
  readonly actor: Actor;
  /** The command it becomes in the model's present state. */
  readonly command: (model: ReferenceModel) => Command | Wait;
}

interface Given {
  readonly words: string;
  readonly actor: Actor;
  readonly command: Command | Wait;
  readonly atMillis: number;
}

/** Looks at the core before a last command, and again after it. */
type Watch = (core: State) => (outcome: Outcome) => void;

export class Walk {
  readonly #pair: Pair;
  readonly #choices: readonly Choice[];
  readonly #watch: Watch;
  readonly #dice = new Dice(1);
  /** How often what came of a command. */
  readonly seen = new Map<string, number>();
  sequences = 0;

  constructor(pair: Pair, choices: readonly Choice[], watch: Watch = () => () => undefined) {
    this.#pair = pair;
    this.#choices = choices;
    this.#watch = watch;
  }

  /** Every sequence that begins with these and goes on by up to so many of all choices. */
  upTo(by: number, first: readonly Choice[] = []): void {
    const given: Given[] = [];
    const model = this.#pair.model.copy();
    for (const choice of first) {
      given.push(next(choice, model));
      this.#judge(model, given);
    }
    // The shortest first: what fails first cannot be shown by less.
    for (let more = 1; more <= by; more += 1) {
      this.#goOn(model, given, more, more === by ? ONE_IN : 1);
    }
  }

  /** The words that never came up. A draw may miss a rare one, so of a draw none is called missing. */
  missing(wanted: readonly string[]): readonly string[] {
    return ONE_IN > 1 ? [] : wanted.filter((word) => !this.seen.has(word));
  }

  /** Sequences that go on by so many commands from where the model stands, one in `oneIn`. */
  #goOn(model: ReferenceModel, given: readonly Given[], by: number, oneIn: number): void {
    for (const choice of this.#choices) {
      if (by === 1) {
        if (this.#dice.below(oneIn) > 0) continue;
        this.#judge(model.copy(), [...given, next(choice, model)]);
      } else {
        const after = model.copy();
        decideNext(after, next(choice, model));
        this.#goOn(after, [...given, next(choice, model)], by - 1, oneIn);
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
    const core = fork(this.#pair.world.state);
    for (const [at, before] of sequence.slice(0, -1).entries()) applyNext(core, before, at + 1);
    const look = this.#watch(core);
    const fillsBefore = model.fills.length;
    const { refusal, due } = decideNext(model, last);
    const { outcome, due: ofCore } = applyNext(core, last, sequence.length);
    assert.deepEqual(ofCore, due, "the same falls due");
    compareOutcomes(outcome, refusal, model.fills.slice(fillsBefore));
    comparePictures(core, model);
    look(outcome);
    this.#count(last.command, outcome);
  }

  #count({ type }: Given["command"], outcome: Outcome): void {
    this.sequences += 1;
    const words = isRejected(outcome)
      ? [outcome.rejection.code, `${type} ${outcome.rejection.code}`]
      : outcome.events.flatMap((event) => wordOf(event) ?? []);
    for (const word of words) this.seen.set(word, (this.seen.get(word) ?? 0) + 1);
  }
}

const next = ({ words, actor, command }: Choice, model: ReferenceModel): Given => ({
  ...{ words, actor, command: command(model), atMillis: model.nowMillis },
});

/** The model's answer, and all that it finds falling due where time passes. */
function decideNext(model: ReferenceModel, { actor, command, atMillis }: Given) {
  if (command.type !== "Wait") {
    return { refusal: decide(model, actor, command, atMillis), due: [] };
  }
  const due: Command[] = [];
  const until = atMillis + command.millis;
  for (let item = nextDueOf(model, until); item; item = nextDueOf(model, until)) {
    due.push(item.command);
    assert.equal(decide(model, system, item.command, item.atMillis), undefined);
  }
  model.nowMillis = until;
  return { refusal: undefined, due };
}

function applyNext(state: State, { actor, command, atMillis }: Given, sequence: number) {
  const give = (by: Actor, one: Command, timeMillis: number): Outcome =>
    apply(
      state,
      { timeMillis, actor: by, requestId: null, idempotency: null, command: one },
      sequence,
    );
  if (command.type !== "Wait") return { outcome: give(actor, command, atMillis), due: [] };
  const due: Command[] = [];
  const events: Event[] = [];
  const until = atMillis + command.millis;
  for (let item = nextDue(state, until); item; item = nextDue(state, until)) {
    due.push(item.command);
    const outcome = give(system, item.command, item.timeMillis);
    assert.ok(!isRejected(outcome), `${item.command.type} is due`);
    events.push(...outcome.events);
  }
  return { outcome: { events }, due };
}

function wordOf(event: Event): string | undefined {
  switch (event.type) {
    case "OrderChanged":
      return event.order.cancelReason ?? event.order.status;
    case "MandateUsed":
      return `gives ${event.use.usedLots}`;
    case "RfqEnded":
      return `request ${event.status}`;
    case "RfqQuoteChanged":
      return "quoted";
    case "RfqQuoteEnded":
      return "quote lapsed";
    case "MarketListed":
      return "listed";
    case "MatchingChanged":
      return event.held === null ? "met" : "held";
    default:
      return undefined;
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
