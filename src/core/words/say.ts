// Two people who say the same decide: every command that takes two goes through here.
// Invariant: a first word changes nothing and stops nobody; a word counts only while its giver
// could still give it; a person's newest word about a subject is the only one it has.
import type { CommandOf } from "../command.ts";
import type { Event } from "../event.ts";
import { isOwnMatter } from "../own-matter.ts";
import {
  hasLiveKey,
  isFounding,
  isPeopleLacking,
  isRootOff,
  isSameOwner,
  isSecondPerson,
} from "../person.ts";
import type { OperatorName } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { emit, type Moment, operatorOf, type Step } from "../step.ts";
import {
  choiceOf,
  FOUNDING_MILLIS,
  inNameOrder,
  MOST_WORDS,
  placeSubject,
  releaseSubject,
  subjectOf,
  subjectsOfMarket,
  type Word,
  type WordCommand,
  wordId,
  wordKinds,
  wordLapsesAtMillis,
} from "./word.ts";

/** Decided now, by the second of two words or where nobody else is needed; or kept, or refused. */
export type Said =
  | { readonly isDecided: true; readonly first: Word | undefined }
  | { readonly isDecided: false; readonly refused: Rejection | undefined };

export const alone: Said = { isDecided: true, first: undefined };

type WordStatus = Exclude<Extract<Event, { type: "WordChanged" }>["status"], "open">;

/**
 * The word of the person who gives the command. All that would refuse the command has been asked
 * before: what follows carries it out.
 */
export function say(step: Step, command: WordCommand): Said {
  const { state } = step;
  if (isEnoughAlone(step, command)) return alone;

  const by = operatorOf(step);
  // One that may be given alone about an account just opened is no word about an own matter.
  if (isOwnMatter(state, by, command)) {
    return { isDecided: false, refused: reject("CONFLICT_OF_INTEREST") };
  }
  const words = wordsOn(state, command);
  const choice = choiceIn(step, command);
  const same = words.filter((word) => choiceOf(word.command, word.givenAtMillis) === choice);
  const first = same.find((word) => isOfAnother(step, word, by));
  if (first !== undefined) {
    for (const word of words) end(step, word, same.includes(word) ? "confirmed" : "lapsed");
    return { isDecided: true, first };
  }
  const kind = wordKinds[command.type];
  if (same.some((word) => !isSecondPerson(state, word.by, by))) {
    return { isDecided: false, refused: reject(kind.same) };
  }
  const own = words.filter((word) => isSameOwner(state, word.by, by));
  if (kind.isOfRecord === undefined && countOf(state, by) - own.length >= MOST_WORDS) {
    return { isDecided: false, refused: reject("PROPOSAL_LIMIT", { allowed: MOST_WORDS }) };
  }

  for (const word of own) end(step, word, "replaced");
  const asked = inNameOrder(command);
  const given = { id: wordId(step.sequence), command: asked, by, givenAtMillis: step.nowMillis };
  const effectiveAtMillis = step.nowMillis + FOUNDING_MILLIS;
  const word = isFoundingAnew(step, command) ? { ...given, effectiveAtMillis } : given;
  emit(step, { type: "WordChanged", word, status: "open" });
  return { isDecided: false, refused: undefined };
}

/** The exchange's own commands need no second person; nor does the founder, where it founds. */
export const isEnoughAlone = (
  { actor, state }: Step,
  { type }: Pick<WordCommand, "type">,
): boolean =>
  actor.type === "system" ||
  (actor.type === "root" && wordKinds[type].founds === true && isFounding(state));

/** Root, while too few people are left, opens one operator's account at a time. */
function isFoundingAnew({ state, actor, nowSeconds }: Step, { type }: WordCommand): boolean {
  if (actor.type !== "root" || type !== "OpenAccount") return false;
  const isOneOpen = [...state.words.values()].some((word) => word.effectiveAtMillis !== undefined);
  return !isOneOpen && arePeopleLacking(state, nowSeconds);
}

const arePeopleLacking = (state: State, nowSeconds: number): boolean =>
  isPeopleLacking(state, state.exchange?.rootOff === true, nowSeconds);

/** Of one that is confirmed: as it was given then, whatever day it is now. */
function choiceIn({ confirmed, nowMillis }: Step, command: WordCommand): string {
  if (confirmed !== undefined) return choiceOf(confirmed.command, confirmed.givenAtMillis);
  return choiceOf(command, nowMillis);
}

const wordsOn = (state: Pick<State, "words" | "wordsOn">, command: WordCommand): readonly Word[] =>
  wordsAbout(state, subjectOf(command));

/** Oldest first. */
export const wordsAbout = (
  { words, wordsOn: ids }: Pick<State, "words" | "wordsOn">,
  subject: string,
): readonly Word[] => [...(ids.get(subject) ?? [])].flatMap((id) => words.get(id) ?? []);

const countOf = ({ words }: State, by: OperatorName): number =>
  [...words.values()].filter(
    (word) => word.by === by && wordKinds[word.command.type].isOfRecord === undefined,
  ).length;

/** A second person's, who could still give it. */
const isOfAnother = (moment: Moment, word: Word, by: OperatorName): boolean =>
  isSecondPerson(moment.state, word.by, by) && canStillGive(moment, word);

/** The word that one of this person would second; undefined where there is none. */
export function firstFor(moment: Moment, command: WordCommand, by: OperatorName): Word | undefined {
  const choice = choiceOf(command, moment.nowMillis);
  return wordsOn(moment.state, command).find(
    (word) =>
      choiceOf(word.command, word.givenAtMillis) === choice && isOfAnother(moment, word, by),
  );
}

/** Whether a word that this one would repeat is of the same person. */
export const isSaidBefore = ({ state }: Moment, command: WordCommand, by: OperatorName): boolean =>
  wordsOn(state, command).some((word) => !isSecondPerson(state, word.by, by));

/** Role, no halt, a live key with the permission, and no stake. */
function canStillGive(moment: Moment, { by, command }: Pick<Word, "by" | "command">): boolean {
  return mayStillGive(moment, by, command) && !isOwnMatter(moment.state, by, command);
}

function mayStillGive(
  { state, nowSeconds }: Pick<Moment, "state" | "nowSeconds">,
  by: OperatorName,
  { type }: Pick<WordCommand, "type">,
): boolean {
  if (by === "root") {
    const isOff = isRootOff(state, state.exchange?.rootOff === true, nowSeconds);
    return !isOff || (type === "OpenAccount" && arePeopleLacking(state, nowSeconds));
  }
  const { role, halted } = state.account(by);
  const { permission } = wordKinds[type];
  return role === "operator" && !halted && hasLiveKey(state, by, permission, nowSeconds);
}

type WordOfWords = CommandOf<
  "ConfirmProposal" | "WithdrawProposal" | "LapseProposal" | "CarryOutWord"
>;

/** `carryOut` decides the command anew: what refuses it now refuses the second word. */
export function decideWord(
  step: Step,
  command: WordOfWords,
  carryOut: (step: Step, command: WordCommand) => Rejection | undefined,
): Rejection | undefined {
  const word = step.state.words.get(command.proposalId);
  if (word === undefined) return reject("PROPOSAL_NOT_FOUND");
  if (command.type === "LapseProposal") return end(step, word, "lapsed");
  if (command.type === "CarryOutWord") {
    const refused = carryOut({ ...step, carriedOut: word }, word.command);
    if (refused === undefined) end(step, word, "confirmed");
    return refused;
  }
  const by = operatorOf(step);
  if (command.type === "WithdrawProposal") {
    if (word.effectiveAtMillis === undefined && !isSameOwner(step.state, word.by, by))
      return reject("PROPOSAL_OF_ANOTHER");
    return end(step, word, "withdrawn");
  }
  if (!isSecondPerson(step.state, word.by, by)) return reject(wordKinds[word.command.type].same);

  const { key } = command;
  const said = word.command;
  const keyed = "key" in said ? { ...said, key: { ...said.key, ...key } } : said;
  const refused = carryOut({ ...step, confirmed: word }, keyed);
  if (refused !== undefined) return refused;
  // A command that took two people when it was proposed may take one by now.
  const isKept = wordsOn(step.state, said).some(({ id }) => id === wordId(step.sequence));
  if (!isKept && step.state.words.has(word.id)) end(step, word, "confirmed");
  return undefined;
}

/** Takes back the giver's own word about a subject; false where it has none. */
export function takeBack(step: Step, subject: string): boolean {
  const by = operatorOf(step);
  const own = wordsAbout(step.state, subject).filter((word) =>
    isSameOwner(step.state, word.by, by),
  );
  for (const word of own) end(step, word, "withdrawn");
  return own.length > 0;
}

/** Of a subject that the second word has decided with files of its own. */
export function endAgreed(step: Step, command: WordCommand): void {
  const choice = choiceOf(command, step.nowMillis);
  for (const word of wordsOn(step.state, command)) {
    const isSame = choiceOf(word.command, word.givenAtMillis) === choice;
    end(step, word, isSame ? "confirmed" : "lapsed");
  }
}

const end = (step: Step, word: Word, status: WordStatus): undefined => {
  emit(step, { type: "WordChanged", word, status });
};

/**
 * After a command: words whose giver may give none any more, and words about what is decided or no
 * longer as it was seen, are gone.
 */
export function sweepWords(step: Step): void {
  const { state } = step;
  if (state.words.size === 0) return;
  const subjects = new Set<string>();
  let isOfPeople = false;
  for (const event of step.events) {
    for (const subject of subjectsIn(event)) subjects.add(subject);
    isOfPeople ||= isAboutGivers(state, event);
  }
  const given = wordId(step.sequence);
  for (const subject of subjects) {
    for (const word of wordsAbout(state, subject)) {
      if (word.id !== given && isOver(state, word)) end(step, word, "lapsed");
    }
  }
  if (!isOfPeople) return;
  for (const word of [...state.words.values()]) {
    if (!mayStillGive(step, word.by, word.command)) end(step, word, "lapsed");
  }
}

function subjectsIn(event: Event): readonly string[] {
  switch (event.type) {
    case "MarketChanged":
      return subjectsOfMarket(event.market.id);
    case "MarketsForgotten":
      return event.marketIds.flatMap(subjectsOfMarket);
    case "QuarantineChanged":
    case "ReleaseAccepted":
      return [releaseSubject(event.release.id)];
    case "HeldPlaceChanged":
      return [placeSubject(event.place.releaseId, event.place.nodeId)];
    default:
      return [];
  }
}

/** A market that only changed otherwise is as undecided as before. */
function isOver({ markets }: State, { command }: Word): boolean {
  if (!("marketId" in command)) return true;
  const market = markets.get(command.marketId);
  if (market === undefined) return true;
  if (command.type === "DecideDispute") return market.dispute === null;
  return market.status !== "ACTIVE" && market.status !== "PAUSED";
}

function isAboutGivers({ operators }: State, event: Event): boolean {
  if (event.type === "AccountChanged") return operators.has(event.account.id);
  if (event.type === "KeyChanged") return operators.has(event.key.accountId);
  return event.type === "RootSwitched";
}

/** Its day is over, and still too few people are left. */
export const isToCarryOut = (state: State, word: Word, atMillis: number): boolean =>
  word.effectiveAtMillis === atMillis && arePeopleLacking(state, Math.floor(atMillis / 1000));

/** Whether its ten days are over, or the last key that could give it has run out. */
export const isLapsed = (state: State, word: Word, atMillis: number): boolean =>
  wordLapsesAtMillis(word) === atMillis ||
  !mayStillGive({ state, nowSeconds: Math.floor(atMillis / 1000) }, word.by, word.command);
