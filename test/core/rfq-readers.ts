// Everything that a reader of the exchange is told in a history, channel by channel, as it is sent.
// Invariant: each channel's text is made by the function that makes it for the surface.
import assert from "node:assert/strict";
import type { AccountId } from "#base/ids.ts";
import { auditHeading } from "#core/audit.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { partsOf } from "#core/parts.ts";
import { showRisk } from "#http/public/risk.ts";
import { problemOf } from "#http/route/errors.ts";
import type { KeyCaller, Request, Route } from "#http/route/route.ts";
import { addMessage, tellingOf } from "#http/stream/feed-message.ts";
import { auditEntry, isSealedWhole } from "#http/trading/audit-entry.ts";
import { listAlerts } from "#http/trading/list-alerts.ts";
import { showMarginHealth } from "#http/trading/margin-health.ts";
import { ownData, ownMessage } from "#http/trading/own-message.ts";
import { rfqReads } from "#http/trading/rfqs.ts";
import { ExchangeView } from "#views/exchange.ts";
import { ownPositions, ownPostings } from "#views/own-entries.ts";
import type { Given, RfqHistory } from "./rfq-history.ts";

export const channels = [
  "export",
  "audit",
  "stream",
  "private stream",
  "webhook",
  "answer",
  "refusal",
] as const;
type Channel = (typeof channels)[number];

export type Reader = AccountId | "auditor" | "public";
/** Each message or answer of a channel, in the order they came. */
export type Told = Readonly<Record<Channel, readonly string[]>>;

const plain = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
const textOf = (value: unknown): string => JSON.stringify(value, plain) ?? "";

/** The routes are made once, over the view that is asked. */
class Surface {
  #view: ExchangeView | undefined;
  readonly risk = showRisk(this.#exchange());
  readonly lists = [listAlerts(this), showMarginHealth(this), rfqReads(this)[0]];
  readonly one = rfqReads(this)[1];

  get view(): ExchangeView {
    return this.#view ?? assert.fail("a view is asked");
  }

  over(view: ExchangeView): this {
    this.#view = view;
    return this;
  }

  #exchange() {
    const surface = this;
    return {
      get exchange() {
        return surface.view;
      },
    };
  }
}

const surface = new Surface();

/** An entry, and what is made of it for all readers at once. */
interface Shown {
  readonly entry: Entry;
  readonly parts: ReturnType<typeof partsOf>;
  readonly streamed: readonly string[];
  readonly own: ReturnType<typeof ownMessage>;
}

/** All that each reader of a whole history is told. */
export class Readers {
  readonly #history: RfqHistory;
  readonly #view: ExchangeView;
  #shown: readonly Shown[] | undefined;

  constructor(history: RfqHistory) {
    this.#history = history;
    this.#view = ExchangeView.from(history.stage.world.state);
  }

  get #entries(): readonly Shown[] {
    this.#shown ??= this.#history.stage.world.journal.map((entry) => ({
      entry,
      parts: partsOf(entry),
      streamed: streamed(entry),
      own: ownMessage(entry, this.#view.accounts),
    }));
    return this.#shown;
  }

  /** `without`: no entry that holds a part of this account. */
  toldTo(reader: Reader, answers: readonly string[], without?: AccountId): Told {
    const isShown = ({ parts }: Shown): boolean => parts.closed.every(({ of }) => of !== without);
    const entries = without === undefined ? this.#entries : this.#entries.filter(isShown);
    const refusals = this.#history.given.flatMap(({ actor, outcome }) =>
      actor.type === "key" && actor.accountId === reader && isRejected(outcome)
        ? textOf(problemOf(outcome.rejection, {}))
        : [],
    );
    return {
      export: entries.map((shown) => exported(shown, reader)),
      audit: reader === "public" ? [] : entries.flatMap((shown) => this.#audited(shown, reader)),
      stream: entries.flatMap((shown) => shown.streamed),
      "private stream": entries.flatMap(({ own }) => privately(own, reader)),
      webhook: entries.flatMap(({ entry }) => this.#delivered(entry, reader)),
      answer: answers,
      refusal: refusals,
    };
  }

  /** As the trail lists it; a trader's holds what concerns the trader. */
  #audited({ entry }: Shown, reader: AccountId | "auditor"): readonly string[] {
    if (reader !== "auditor" && !isOf(entry, reader)) return [];
    const account = [...this.#view.accounts.values()].find(({ id }) => id === reader);
    const anybody = this.#view.accounts.values().next().value ?? assert.fail();
    const asked = account ?? { ...anybody, role: "auditor" as const };
    const chained = { entry, hash: "", previousHash: "", disclose: () => assert.fail() };
    const caller = this.#caller(asked.id);
    const shown = auditEntry(chained, { ...caller, account: asked }, { view: this.#view });
    return [textOf(shown)];
  }

  #delivered(entry: Entry, reader: Reader): readonly string[] {
    if (reader === "auditor" || reader === "public") return [];
    const body = ownData(entry, this.#view.accounts, reader, undefined);
    return body === undefined ? [] : [Buffer.from(body).toString()];
  }

  #caller(id: AccountId): KeyCaller {
    const account = this.#view.accounts.get(id) ?? assert.fail();
    const key = this.#view.keysOf(id)[0] ?? assert.fail();
    return { type: "key", account, key, actor: { type: "key", accountId: id, keyId: key.id } };
  }

  /** The answers to reads now, with their statuses. */
  async answersTo(reader: Reader): Promise<readonly string[]> {
    if (reader === "auditor") return [];
    const { risk, lists, one } = surface.over(this.#view);
    if (reader === "public") return [await asked(risk, {})];
    const caller = this.#caller(reader);
    const answers = [];
    for (const route of lists) {
      answers.push(await asked(route, { caller }));
    }
    for (const rfqId of [...this.#history.stage.world.state.rfqs.keys(), "rfq-999"]) {
      answers.push(await asked(one, { caller, params: { rfqId } }));
    }
    return answers;
  }
}

async function asked(route: Route, request: Partial<Request>): Promise<string> {
  const response = await route.handle({
    caller: { type: "anonymous" },
    bucket: "",
    requestId: "",
    params: {},
    query: "",
    body: undefined,
    accept: "",
    upload: undefined,
    header: () => [],
    submit: () => assert.fail("a read gives no command"),
    ...request,
  });
  return textOf(response);
}

/** Entries that concern the account, or moved its cash or a position of it: its filter. */
const isOf = (entry: Entry, account: AccountId): boolean =>
  auditHeading(entry).concerns === account ||
  ownPostings(entry, account).length > 0 ||
  ownPositions(entry, account).length > 0;

function privately(own: Shown["own"], reader: Reader): readonly string[] {
  if (own === undefined || reader === "auditor" || reader === "public") return [];
  const buffers: Buffer[] = [];
  addMessage(buffers, own, { account: reader, markets: undefined, types: undefined });
  return buffers.length === 0 ? [] : [Buffer.concat(buffers).toString()];
}

/** The parts that a reader's export holds, and how many others there are. */
function exported({ entry, parts: { open, closed } }: Shown, reader: Reader): string {
  const seesAll = reader === "auditor" && !isSealedWhole(entry);
  const own = closed.filter(({ of }) => seesAll || of === reader);
  return [open, ...own.map(({ text }) => text), String(closed.length)].join("\n");
}

function streamed(entry: Entry): readonly string[] {
  const message = tellingOf(entry, () => "");
  if (message === undefined) return [];
  const buffers: Buffer[] = [];
  addMessage(buffers, message, { markets: undefined, types: undefined });
  return [Buffer.concat(buffers).toString()];
}

/** Answers at moments of a history, which are asked for after every fifteenth command. */
export class Asked {
  readonly #answers = new Map<Reader, Promise<readonly string[]>[]>();
  #given = 0;

  readonly note = (_given: Given, history: RfqHistory): void => {
    this.#given += 1;
    if (this.#given % 15 === 0) this.ask(history);
  };

  ask(history: RfqHistory): void {
    const readers = new Readers(history);
    for (const reader of readersIn(history)) {
      const answers = this.#answers.get(reader) ?? [];
      this.#answers.set(reader, [...answers, readers.answersTo(reader)]);
    }
  }

  async of(reader: Reader): Promise<readonly string[]> {
    return (await Promise.all(this.#answers.get(reader) ?? [])).flat();
  }
}

export const readersIn = ({ stage: { world } }: RfqHistory): readonly Reader[] => [
  ...world.state.accounts.keys(),
  "auditor",
  "public",
];
