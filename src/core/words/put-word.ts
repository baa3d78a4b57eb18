// A word, and what an operator has funded alone, in their places.
// Invariant: a word that is open ends by itself when its time is over, or when its giver's last key
// for it runs out.
import type { AccountId } from "#base/ids.ts";
import { setOf } from "#base/set-of.ts";
import type { EventOf } from "../event.ts";
import type { State } from "../state.ts";
import { subjectOf, type Word, wordKinds, wordLapsesAtMillis } from "./word.ts";

export function foldWord(
  state: State,
  event: EventOf<"WordChanged"> | EventOf<"FundingCounted">,
): void {
  if (event.type === "FundingCounted") state.fundings.set(event.funding.operator, event.funding);
  else if (event.status === "open") putWord(state, event.word);
  else dropWord(state, event.word);
}

export function putWord(state: State, word: Word): void {
  state.words.set(word.id, word);
  setOf(state.wordsOn, subjectOf(word.command)).add(word.id);
  addLapse(state, word, wordLapsesAtMillis(word));
  noteExpiry(state, word);
  const { id: proposalId, effectiveAtMillis: atMillis } = word;
  if (atMillis === undefined) return;
  state.due.add({ atMillis, command: { type: "CarryOutWord", proposalId } });
}

function dropWord(state: State, { id, command }: Word): void {
  state.words.delete(id);
  const subject = subjectOf(command);
  const others = state.wordsOn.get(subject);
  others?.delete(id);
  if (others?.size === 0) state.wordsOn.delete(subject);
}

/** A key of an account that has words open was given, or ended: it moves when they end. */
export function noteKeyOfWords(state: State, account: AccountId): void {
  for (const word of state.words.values()) if (word.by === account) noteExpiry(state, word);
}

function noteExpiry(state: State, word: Word): void {
  const atMillis = keysEndAtMillis(state, word);
  if (atMillis !== undefined && atMillis < wordLapsesAtMillis(word))
    addLapse(state, word, atMillis);
}

/** When the last key that may give the word runs out; undefined where one never does, or none is. */
function keysEndAtMillis(state: State, { by, command }: Word): number | undefined {
  if (by === "root") return undefined;
  const { permission } = wordKinds[command.type];
  let last: number | undefined;
  for (const key of state.keysOf(by)) {
    if (!key.permissions.includes(permission) || key.revokedAtSeconds !== null) continue;
    if (key.expiresAtSeconds === null) return undefined;
    last = Math.max(last ?? 0, 1000 * key.expiresAtSeconds);
  }
  return last;
}

const addLapse = (state: State, { id }: Word, atMillis: number): void =>
  state.due.add({ atMillis, command: { type: "LapseProposal", proposalId: id } });
