// How many long answers are under way: exports that walk the whole journal, as slowly as they are
// read.
// Invariant: an account has two at a time, and all of them together leave the store room for the
// rest; a place is given back when the response is over, however it ended.
import type { ServerResponse } from "node:http";

const MOST_LONG_ANSWERS = { account: 2, all: 8 };

export class LongAnswers {
  readonly #underWay = new Map<string, number>();
  #all = 0;

  /** False where there is no place for one more. */
  take(owner: string, response: Pick<ServerResponse, "once">): boolean {
    const own = this.#underWay.get(owner) ?? 0;
    if (own >= MOST_LONG_ANSWERS.account || this.#all >= MOST_LONG_ANSWERS.all) return false;
    this.#underWay.set(owner, own + 1);
    this.#all += 1;
    response.once("close", () => this.#giveBack(owner));
    return true;
  }

  #giveBack(owner: string): void {
    const own = this.#underWay.get(owner) ?? 0;
    if (own <= 1) this.#underWay.delete(owner);
    else this.#underWay.set(owner, own - 1);
    this.#all -= 1;
  }
}
