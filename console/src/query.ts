// Answers of the exchange, asked once for all who show them, and anew when they are old.
// Invariant: a private answer belongs to the key it was given to, and is gone when another is taken;
// an answer that nobody shows is forgotten after a while.
import { type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export type Reading<T> =
  | { readonly state: "waiting" }
  | { readonly state: "failed"; readonly fault: unknown; retry(): void }
  | { readonly state: "ready"; readonly data: T };

interface Manner {
  /** It is the account's own: it is forgotten when the key changes. */
  readonly isPrivate?: boolean;
  /** An older answer is asked anew when somebody comes to look. */
  readonly freshSeconds?: number;
  /** While somebody looks, it is asked anew so often. */
  readonly everySeconds?: number;
}

const FRESH_SECONDS = 15;
const KEPT_MILLIS = 300_000;
const waiting = { state: "waiting" } as const;

/** Everything that is asked with `read`, an answer for each of what it is given. */
export class Question<Given extends readonly unknown[], T> {
  readonly #read: (...given: Given) => Promise<T>;
  readonly #manner: Manner;
  readonly #answers = new Map<string, Answer<T>>();

  constructor(read: (...given: Given) => Promise<T>, manner: Manner = {}) {
    this.#read = read;
    this.#manner = manner;
    questions.add(this);
  }

  answer(given: Given): Answer<T> {
    const name = JSON.stringify(given);
    const known = this.#answers.get(name);
    if (known !== undefined) return known;
    const forget = (): void => {
      this.#answers.delete(name);
    };
    const answer = new Answer(() => this.#read(...given), this.#manner, forget);
    this.#answers.set(name, answer);
    return answer;
  }

  /** After a command: each is asked anew, at once where somebody looks. */
  askAnew(): void {
    for (const answer of this.#answers.values()) answer.age();
  }

  /** The key has changed: what everybody is told stays in sight until it is told anew. */
  changeKey(): void {
    for (const answer of this.#answers.values())
      if (this.#manner.isPrivate) answer.empty();
      else answer.age();
  }
}

const questions = new Set<{ changeKey(): void }>();

/** For another key: nothing private that was said to the last one is shown. */
export function changeKey(): void {
  for (const question of questions) question.changeKey();
}

class Answer<T> {
  readonly reading: Signal<Reading<T>> = signal(waiting);
  readonly #read: () => Promise<T>;
  readonly #manner: Manner;
  readonly #forget: () => void;
  #watchers = 0;
  #freshUntil = 0;
  /** Counts what was asked: an answer to anything but the newest is dropped. */
  #asked = 0;
  #isAsking = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(read: () => Promise<T>, manner: Manner, forget: () => void) {
    this.#read = read;
    this.#manner = manner;
    this.#forget = forget;
  }

  /** Until the function that it gives is called, somebody looks. */
  watch(): () => void {
    this.#watchers += 1;
    clearTimeout(this.#timer);
    if (Date.now() >= this.#freshUntil) void this.#ask();
    else this.#plan();
    return () => {
      this.#watchers -= 1;
      if (this.#watchers > 0) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#forget, KEPT_MILLIS);
    };
  }

  age(): void {
    this.#freshUntil = 0;
    this.#isAsking = false;
    if (this.#watchers > 0) void this.#ask();
  }

  empty(): void {
    this.reading.value = waiting;
    this.age();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#asked += 1;
    const asked = this.#asked;
    const outcome = await this.#read().then(
      (data) => ({ state: "ready", data }) as const,
      (fault: unknown) => ({ state: "failed", fault, retry: () => void this.#ask() }) as const,
    );
    if (asked !== this.#asked) return;
    this.#isAsking = false;
    const { freshSeconds = FRESH_SECONDS } = this.#manner;
    this.#freshUntil = outcome.state === "ready" ? Date.now() + freshSeconds * 1000 : 0;
    // An answer that could not be renewed is still the newest there is.
    const isWorse = outcome.state === "failed" && this.reading.value.state === "ready";
    if (!isWorse) this.reading.value = outcome;
    this.#plan();
  }

  #plan(): void {
    const { everySeconds } = this.#manner;
    if (everySeconds === undefined || this.#watchers === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (document.visibilityState === "visible") void this.#ask();
      else this.#plan();
    }, everySeconds * 1000);
  }
}

/**
 * What the exchange says to a question; undefined: nothing is asked yet. `keepsLast`: the answer
 * before stays until the next is here.
 */
export function useReading<Given extends readonly unknown[], T>(
  question: Question<Given, T>,
  given: Given | undefined,
  { keepsLast = false }: { readonly keepsLast?: boolean } = {},
): Reading<T> {
  const answer = given === undefined ? undefined : question.answer(given);
  useEffect(() => answer?.watch(), [answer]);
  const reading = answer?.reading.value ?? waiting;
  const last = useRef<Reading<T>>(waiting);
  if (reading.state === "ready") last.current = reading;
  return keepsLast && reading.state === "waiting" ? last.current : reading;
}
