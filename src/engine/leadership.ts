// Takes leadership of a journal: lock, checks, recovery, and the founding entry of an empty one.
// Invariant: a term begins with a state that every durable entry, and nothing else, has led to.
import { randomBytes } from "node:crypto";
import type { Command } from "#core/command.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import { storageOf } from "#core/exchange.ts";
import { foundingRules } from "#core/rules.ts";
import { State } from "#core/state.ts";
import { originOf } from "#journal/checkpoint.ts";
import type { CheckpointLog } from "#journal/checkpoint-file.ts";
import type { Lead } from "#journal/journal.ts";
import { openState, type StateOptions } from "./recover.ts";
import { type Applied, Term } from "./term.ts";

type OpenedState = NonNullable<Awaited<ReturnType<typeof openState>>>;

export interface LeadershipOptions extends StateOptions {
  /** Heads of the transparency log outside the database; undefined only in simulation. */
  readonly logFile: CheckpointLog | undefined;
  /** Milliseconds since 1970; read under the real clock only. */
  readonly now: () => number;
  /** The name of a chain that is founded now. */
  readonly chainId: () => string;
}

export const randomChainId = (): string => randomBytes(16).toString("hex");

/** A node that has a state already. */
interface Waiting {
  /** Called again and again while another node leads; undefined = to wait is not worth it. */
  readonly whileTaken: (() => Promise<void>) | undefined;
  /** Gives the state away: from now on it is the term's. */
  readonly takeKept: () => Applied | undefined;
}

/**
 * A fault leaves nothing held; if we stop here, the journal is as the last leader left it. A state
 * that was kept serves where the journal holds the very entry that led to it.
 */
export async function takeTerm(
  options: LeadershipOptions,
  onLost: (reason: Error) => void,
  { whileTaken, takeKept }: Waiting,
): Promise<Term> {
  const lead = await options.journal.lead(onLost, whileTaken);
  try {
    const opened = await openState(options, lead.head, takeKept);
    const term = opened === undefined ? await found(lead, options) : termOf(lead, opened);
    if (term.state.deciderVersion < DECIDER_VERSION) await upgrade(term);
    if (lead.storage === "managed" || storageOf(term.state) === "managed") await tellStorage(term);
    return term;
  } catch (error) {
    lead.abandon();
    throw error;
  }
}

const termOf = (lead: Lead, { state, origin, snapshotSize }: OpenedState): Term =>
  new Term(lead, state, origin, lead.head, snapshotSize);

async function found(lead: Lead, { clock, now, chainId }: LeadershipOptions): Promise<Term> {
  const id = chainId();
  const term = new Term(lead, new State(), originOf(id), lead.head, 0);
  term.put({
    timeMillis: clock === "real" ? now() : 0,
    actor: { type: "system" },
    requestId: null,
    idempotency: null,
    command: {
      type: "Genesis",
      clock,
      chainId: id,
      rules: foundingRules,
      version: DECIDER_VERSION,
    },
  });
  // If we stop here, the journal is empty still; after it, the next start finds this chain.
  await term.append();
  term.settle(term.applied);
  return term;
}

/**
 * A store that older rules decided: from this entry on ours do. At the time of the last entry, so
 * that what fell due since then still comes at its own time, and under our rules.
 */
async function upgrade(term: Term): Promise<void> {
  // If we stop here, the store is as the older program left it; after it, that program refuses it.
  await enter(term, { type: "UpgradeRules", version: DECIDER_VERSION });
}

/** Each term that rests on an operator's word says so, and the first that no longer does. */
async function tellStorage(term: Term): Promise<void> {
  await enter(term, { type: "BeginTerm", storage: term.lead.storage });
}

async function enter(term: Term, command: Command): Promise<void> {
  term.put({
    timeMillis: term.state.lastTimeMillis,
    actor: { type: "system" },
    requestId: null,
    idempotency: null,
    command,
  });
  await term.append();
  term.settle(term.applied);
}
