// Gives every command its time and place, and answers when its entry is durable.
// Invariant: nothing undurable is answered or shown; after any doubt the state is read again.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { answerName } from "#core/apply.ts";
import { invariant, InvariantBreach } from "#base/invariant.ts";
import type { ClockKind, Envelope } from "#core/command.ts";
import { nextDue, nextDueMillis } from "#core/due.ts";
import { type Entry, isRejected, readEntry } from "#core/outcome.ts";
import { type AnswerRecord, State } from "#core/state.ts";
import { ChainBreak, noEntries } from "#journal/chain.ts";
import type { CheckpointFile } from "#journal/checkpoint-file.ts";
import { checkWitnesses, originOf } from "#journal/checkpoint.ts";
import {
  type Head,
  type Journal,
  JournalRefusal,
  type Lead,
  LeadershipTaken,
  SLICE_ENTRIES,
} from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { sealSnapshot } from "#journal/snapshot.ts";
import { type Cadence, Checkpointer } from "./checkpointer.ts";
import type { Engine, History, Mode, Request, Status, Submitted } from "./engine.ts";
import { JournalHistory } from "./history.ts";
import { readOrigin, recover } from "./recover.ts";
import { isCancel, type Sealed, Term } from "./term.ts";
