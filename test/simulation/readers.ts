// Readers beside the traders of the simulation: they ask the leader, a node that stands by and one
// that has just started the same, and hear streams that end with their nodes.
// Invariant: at one sequence all nodes answer alike, to the byte, and of an account's money as the
// auditor predicts; no read changes what is decided.
import assert from "node:assert/strict";
import type { ClockKind } from "#core/command.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Engine } from "#engine/engine.ts";
import { JournalHistory } from "#engine/history.ts";
import type { MemoryJournal } from "#journal/memory.ts";
import type { SigningKey } from "#journal/note.ts";
import { Dice } from "#test/core/dice.ts";
import { at } from "#test/support/exchange.ts";
import { SeriesView } from "#views/series.ts";
import type { Auditor } from "./auditor.ts";
import type { Incarnation } from "./incarnation.ts";
import { assertAsPredicted } from "./predictions.ts";
import { Questions } from "./questions.ts";
import type { Replica } from "./replica.ts";
import { StandbyNode } from "./standby-node.ts";
import { StreamClient } from "./stream-client.ts";
import { type Answer, type Question, Surface } from "./surface.ts";

/** Of the commands, so many are followed by questions; and so many are asked at a time at most. */
const ASKED_PERCENT = 6;
const MOST_ASKED = 4;
/** Of a node that has just started, or drawn anew: there its own faults show. */
const ASKED_ANEW = 16;
/** Of the times that questions are asked: a node starts, or draws anew what it shows. */
const STARTED_PERCENT = 4;
const REDRAWN_PERCENT = 3;
/** Of those times, a stream is heard: mostly by a client that was there before. */
const HEARD_PERCENT = 30;
const NEW_CLIENT_PERCENT = 15;
/** A new client has missed so many entries at most, but now and then anything. */
const MOST_MISSED = 150;
/** How many pages are turned after the first. */
const MOST_PAGES = 2;

const streams = ["GET /api/stream", "GET /api/trading/stream"] as const;
type Stream = (typeof streams)[number];
const isStream = (place: string): boolean => streams.some((one) => one === place);

/** Routes that are not asked here, and why. */
const unread: Readonly<Record<string, string>> = {
  "GET /api/audit/verify": "walks the whole journal: the end of each run does",
  "GET /api/admin/releases/:id/diff": "compares two files of a provider, which nobody has here",
  "GET /api/index/:nodeId/vintages": "reads a provider's file, which nobody has here",
  "GET /api/trading/webhooks/:webhookId": "no account has a webhook, which needs receivers",
  "GET /api/trading/webhooks/:webhookId/deliveries": "as above",
  "GET /api/log/checkpoint/witnessed": "no witness cosigns the heads of this log",
  "POST /api/stream/:id/subscriptions": "the streams heard here are of everything",
};

interface Surroundings {
  readonly seed: number;
  readonly disk: MemoryJournal;
  readonly key: SigningKey;
  readonly clock: ClockKind;
  readonly replica: Replica;
  readonly auditor: Auditor;
}

export class Readers {
  readonly #around: Surroundings;
  readonly #dice: Dice;
  /** The prints that an importer would have stored: shared by all nodes, as a database is. */
  readonly #series = new SeriesView();
  #life: Incarnation | undefined;
  #leader: Surface | undefined;
  #standby: { readonly node: StandbyNode; readonly surface: Surface } | undefined;
  #questions: Questions | undefined;
  /** Of what is public, and of an account. */
  readonly #clients: Record<Stream, StreamClient | undefined> = {
    "GET /api/stream": undefined,
    "GET /api/trading/stream": undefined,
  };
  /** Routes that have answered, and not refused. */
  readonly #answered = new Set<string>();

  constructor(around: Surroundings) {
    this.#around = around;
    this.#dice = new Dice(around.seed ^ 0x4ead);
  }

  /** Of all routes that are to be read, those that never answered but with a refusal. */
  get unanswered(): readonly string[] {
    const places = this.#leader?.places ?? [];
    return places.filter((place) => !this.#answered.has(place) && !Object.hasOwn(unread, place));
  }

  /** Each durable entry, before any node shows it. */
  follow({ outcome }: Entry): void {
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type !== "FrontierMoved") continue;
      const { index, nodeId, month, valueE15, levelE12, releaseId } = event.frontier;
      if (this.#series.at(index, nodeId, month) !== undefined) continue;
      const point = { month, valueE15, levelE12, releaseId, backfill: false };
      this.#series.extend(index, nodeId, [point]);
    }
  }

  /** An entry that the leader shows. */
  shown(entry: Entry, by: Incarnation): void {
    if (this.#life === by) this.#leader?.take(entry);
  }

  /** After so many commands, when all that was asked is durable. */
  async read(life: Incarnation, commands: number): Promise<void> {
    if (!this.#dice.chance(ASKED_PERCENT * commands)) return;
    const leader = this.#surfaceOf(life);
    const { surface: standby, isAnew } = await this.#standbyNow();
    for (let left = isAnew ? ASKED_ANEW : 1 + this.#dice.below(MOST_ASKED); left > 0; left -= 1) {
      if (life.journal.isDead) return;
      await this.#ask(this.#asker(leader).next(this.#around.replica), leader, standby);
    }
    if (!this.#dice.chance(HEARD_PERCENT)) return;
    await this.#hear(this.#dice.pick(streams), this.#dice.pick([leader, standby]), leader);
  }

  #asker(leader: Surface): Questions {
    const known = new Set(leader.places);
    for (const place of Object.keys(unread)) assert.ok(known.has(place), `${place} is a read`);
    const asked = (place: string): boolean => !Object.hasOwn(unread, place) && !isStream(place);
    const places = leader.places.filter(asked);
    this.#questions ??= new Questions(this.#dice, places, (place) => leader.route(place));
    return this.#questions;
  }

  /** A client goes to a node, and is there told of all it has not heard. */
  async #hear(place: Stream, node: Surface, leader: Surface): Promise<void> {
    const { replica } = this.#around;
    const dice = this.#dice;
    if (this.#clients[place] === undefined || dice.chance(NEW_CLIENT_PERCENT)) {
      this.#clients[place]?.leave();
      const missed = dice.chance(5) ? replica.sequence : MOST_MISSED;
      const after = Math.max(0, replica.sequence - dice.below(missed));
      this.#clients[place] = new StreamClient(this.#asker(leader).about(place, replica), after);
    }
    const { sequence } = replica;
    const heard = this.#clients[place].hear(node, replica.journal);
    const isTold = await this.#alive(heard);
    if (isTold === true && replica.sequence === sequence) this.#answered.add(place);
    else this.#clients[place] = undefined;
  }

  async #ask(asked: Question, leader: Surface, standby: Surface): Promise<void> {
    let question: Question | undefined = asked;
    for (let page = 0; question !== undefined && page <= MOST_PAGES; page += 1) {
      const { sequence } = this.#around.replica;
      const answer: Answer | undefined = await this.#alive(leader.ask(question));
      const other = await standby.ask(question);
      // An entry that fell due meanwhile may be shown by one of them only.
      if (answer === undefined || this.#around.replica.sequence !== sequence) return;
      const { place, query }: Question = question;
      assert.equal(other.text, answer.text, `${place}?${query} of two nodes at ${sequence}`);
      if (answer.isRefused) return;
      this.#answered.add(place);
      assertAsPredicted(question, answer, this.#around.auditor);
      question = nextPage(question, answer);
    }
  }

  /** Undefined where the leader has ended meanwhile, and answers nobody. */
  async #alive<T>(answer: Promise<T>): Promise<T | undefined> {
    const died = this.#life?.journal.died.then(() => undefined);
    return await Promise.race([answer, died]);
  }

  #surfaceOf(life: Incarnation): Surface {
    if (this.#life === life && this.#leader !== undefined) return this.#leader;
    this.#leader?.end();
    this.#life = life;
    this.#leader = this.#surface(life.engine, () => life.view);
    return this.#leader;
  }

  async #standbyNow(): Promise<{ readonly surface: Surface; readonly isAnew: boolean }> {
    const dice = this.#dice;
    const starts = this.#standby === undefined || dice.chance(STARTED_PERCENT);
    if (this.#standby === undefined || starts) {
      this.#standby?.surface.end();
      this.#standby = await this.#start();
    }
    const { node, surface } = this.#standby;
    await node.follow((entry) => surface.take(entry));
    assert.equal(
      node.sequence,
      this.#around.replica.sequence,
      "the journal ends with what is durable",
    );
    const isRedrawn = dice.chance(REDRAWN_PERCENT);
    if (isRedrawn) node.redraw();
    return { surface, isAnew: starts || isRedrawn };
  }

  async #start() {
    const { disk: journal, key, clock } = this.#around;
    const node = await StandbyNode.start({ journal, key, clock });
    const leader = (): Engine => this.#life?.engine ?? assert.fail("the exchange has begun");
    const history = new JournalHistory({
      ...{ journal, key, file: undefined, logFile: undefined },
      durableSequence: () => node.sequence,
      checkpoint: () => leader().history.checkpoint(),
      log: () => leader().history.log(),
    });
    const engine = { status: () => leader().status(), isCurrent: () => true, history };
    return { node, surface: this.#surface(engine, () => node.view) };
  }

  #surface(
    engine: Pick<Engine, "status" | "isCurrent" | "history">,
    view: () => Incarnation["view"],
  ): Surface {
    return new Surface({ clock: this.#around.clock, engine, series: this.#series, view });
  }
}

/** Where the answer says that more follows. */
function nextPage(question: Question, { text, isJson }: Answer): Question | undefined {
  if (!isJson) return undefined;
  const said = JSON.parse(text);
  const cursor =
    at(said, "siblings", "nextCursor") ?? at(said, "siblings", "pagination", "nextCursor");
  if (typeof cursor !== "string") return undefined;
  const query = new URLSearchParams(question.query);
  query.set("cursor", cursor);
  return { ...question, query: query.toString() };
}
