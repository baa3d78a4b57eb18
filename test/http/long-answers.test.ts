// Places of long answers: so many an owner, so many for those without an account, so many in all.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { LongAnswers } from "#http/server/long-answers.ts";

class Response extends EventEmitter {}

test("those without an account leave half of the places to accounts, and give theirs back", () => {
  const answers = new LongAnswers();
  const responses: Response[] = [];
  const take = (owner: string): boolean => {
    const response = new Response();
    responses.push(response);
    return answers.take(owner, Object.assign(response));
  };
  const four = ["ip 192.0.2.1", "ip 192.0.2.1", "ip 192.0.2.2", "public key 7"].map(take);
  assert.deepEqual(four, [true, true, true, true]);
  assert.deepEqual(
    [take("ip 192.0.2.1"), take("ip 192.0.2.3"), take("public key 8")],
    [false, false, false],
  );
  const accounts = ["acc-1", "acc-1", "acc-2", "acc-2"].map((id) => take(`key of account ${id}`));
  assert.deepEqual(accounts, [true, true, true, true]);
  assert.equal(take("key of account acc-3"), false, "all places are taken");

  responses[3]?.emit("close");
  assert.equal(take("ip 192.0.2.3"), true);
  assert.equal(take("ip 192.0.2.4"), false);
});
