// A maker and two operators at their desks in a real browser, on one sandbox with the sample. The
// operators come last: they move the clock and halt markets.
import { test } from "node:test";
import { noBrowser } from "./browser.ts";
import { quoteAndPull } from "./maker.ts";
import { releaseAndHalt, turnTraderAway } from "./operators.ts";
import { openStage } from "./stage.ts";

test("professionals at the console", { skip: noBrowser ?? false }, async (t) => {
  const stage = await openStage(t, {
    FIRSTPRINT_CLOCK: "sandbox",
    // 800 quotes within seconds are more than 6,000 a minute allow: a browser reports each 429.
    FIRSTPRINT_PUBLIC_RATE: "100000",
    FIRSTPRINT_MAX_KEY_RATE: "60000",
  });
  await t.test("a maker quotes 200 markets anew, and pulls all of it with one key", () =>
    quoteAndPull(stage),
  );
  await t.test("the desk is for operators, and a trader is told so", () => turnTraderAway(stage));
  await t.test("two operators release a held file, and its market is paid", () =>
    releaseAndHalt(stage),
  );
});
