// Rules for tests: changed as they are, with the notice that a tightening takes already over.
// Invariant: where it takes two people, two have agreed.

import type { RulesChange } from "#core/rules-change.ts";
import { wordIn } from "#core/words/told.ts";
import { root, system, type World } from "./world.ts";

export function setRules(world: World, rules: RulesChange): void {
  const waiting = wordIn("open", world.do(root, { type: "SetRules", rules }));
  if (waiting === undefined) return;
  world.agree(world.open(`ruler ${world.sequence}`, "operator").actor, waiting);
  for (const announcementId of world.state.announcedRules.keys()) {
    world.do(system, { type: "ApplyRules", announcementId });
  }
}
