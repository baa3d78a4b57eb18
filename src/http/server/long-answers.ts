// How many long answers are under way: exports that walk the whole journal, as slowly as they are
// read.
// Invariant: an account, an address and a public key have two at a time, and all of them together
// leave the store room for the rest, those without an account half of it to accounts; a place is
// given back when the response is over, however it ended.
import type { ServerResponse } from "node:http";
import { isStrangers } from "./admission.ts";

const MOST_LONG_ANSWERS = { account: 2, strangers: 4, all: 8 };

export class LongAnswers {
  readonly #underWay = new Map<string, number>();
  #all = 0;
  #strangers = 0;

  /** False where there is no place for one more. */
  take(owner: string, response: Pick<ServerResponse, "once">): boolean {
    const own = this.#underWay.get(owner) ?? 0;
    if (own >= MOST_LONG_ANSWERS.account || this.#all >= MOST_LONG_ANSWERS.all) return false;
    const isStranger = isStrangers(owner);
    if (isStranger && this.#strangers >= MOST_LONG_ANSWERS.strangers) return false;
    this.#underWay.set(owner, own + 1);
    this.#all += 1;
    if (isStranger) this.#strangers += 1;
    response.once("close", () => this.#giveBack(owner));
    return true;
  }

  #giveBack(owner: string): void {
    if (isStrangers(owner)) this.#strangers -= 1;
    const own = this.#underWay.get(owner) ?? 0;
    if (own <= 1) this.#underWay.delete(owner);
    else this.#underWay.set(owner, own - 1);
    this.#all -= 1;
  }
}
