// The promises of every screen: axe finds nothing in any of the looks, nothing is wider than its
// window, and nothing happened that the policy forbids.
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { looks, type Tab } from "./browser.ts";

/** The tab shows the screen, signed in where it has to be. */
export async function checkScreen({ page, trouble }: Tab, path: string): Promise<void> {
  await page.locator(".waiting").first().waitFor({ state: "detached" });
  await page.evaluate(
    "for (const one of document.querySelectorAll('main details')) one.open = true",
  );
  for (const { width, colorScheme } of looks) {
    const where = `${path} at ${width} ${colorScheme}`;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // No screen has a frame: so axe runs in the page alone, which halves its processor time (1.2 s
    // an analysis instead of 2.5). Otherwise each is brought to its end in a second, blank page.
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    assert.equal(page.frames().length, 1, where);
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
    );
    assert.deepEqual(found, [], where);
    const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    assert.ok(Number(wider) <= 0, `${where} is ${wider} px wider than its window`);
  }
  assert.deepEqual(trouble, [], path);
}
