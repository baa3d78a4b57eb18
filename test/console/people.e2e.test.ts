// People at the console, one after the other, in a real browser on one exchange with the sample:
// an auditor, owners, a lender and a developer. The auditor comes first: its trail is the shortest.
import { test } from "node:test";
import { audit } from "./auditor.ts";
import { noBrowser } from "./browser.ts";
import { copyRecipes, readAndTry } from "./developer.ts";
import { buyInOneBatch, protectBook } from "./lender.ts";
import { buyOfMandates, buyProtection, lookAtScreens, refuseKeys } from "./owner.ts";
import { openStage } from "./stage.ts";

test("people at the console", { skip: noBrowser ?? false }, async (t) => {
  const stage = await openStage(t);
  await t.test("an auditor checks the trail in the browser, as the offline program would", (t) =>
    audit(t, stage),
  );
  await t.test("an owner finds the place, sees what protection costs, and is protected", () =>
    buyProtection(stage),
  );
  await t.test("protection that mandates sell is for sale before its market is listed", () =>
    buyOfMandates(stage),
  );
  await t.test("a key is refused in words, and is gone with the page", () => refuseKeys(stage));
  await t.test("every screen passes axe, fits its width, and stays within the exchange", () =>
    lookAtScreens(stage),
  );
  await t.test("a lender protects a loan book, which a maker answers on its desk", () =>
    protectBook(stage),
  );
  await t.test("one batch of orders buys the same basket where its series exist", () =>
    buyInOneBatch(stage),
  );
  await t.test("a recipe is copied from the page as it stands, for this exchange", () =>
    copyRecipes(stage),
  );
  await t.test("guides are found by title, and a request is tried with the tab's key", () =>
    readAndTry(stage),
  );
});
