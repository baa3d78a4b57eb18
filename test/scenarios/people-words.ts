// The sentences of what two people decide: rules that are announced, fills that are busted, and
// the second word, which is about the newest proposal.
// Invariant: as in `language.ts`, every line is read by exactly one sentence, whole.
import assert from "node:assert/strict";
import { announcementId, fillId, type ProposalId, proposalId } from "#base/ids.ts";
import type { Command } from "#core/command.ts";
import { kycTiers } from "#core/records.ts";
import type { RulesChange } from "#core/rules-change.ts";
import type { State } from "#core/state.ts";
import type { Scenario } from "./exchange.ts";

type Words = (name: string) => string;
type Act = (scenario: Scenario, words: Words) => void;

const reason = "as the story has it";

export const sentencesOfPeople: readonly (readonly [RegExp, Act])[] = [
  [
    /^(?<name>\w+) sets (?<what>fee|requirement) of (?<tier>\w+) to (?<bps>\d+) bps$/,
    (scenario, words) => {
      const tier = kycTiers.find((one) => one === words("tier")) ?? assert.fail("no such tier");
      const bps = Number(words("bps"));
      const changed = words("what") === "fee" ? { feeBps: bps } : { requirementBps: bps };
      setRules(scenario, words("name"), { tiers: { [tier]: changed } });
    },
  ],
  [
    /^(?<name>\w+) sets the bust band to (?<ticks>\d+) ticks for (?<minutes>\d+) minutes$/,
    (scenario, words) => {
      const [bandTicks, windowMinutes] = [words("ticks"), words("minutes")].map(Number);
      assert.ok(bandTicks !== undefined && windowMinutes !== undefined);
      setRules(scenario, words("name"), { bust: { bandTicks, windowMinutes } });
    },
  ],
  [
    /^(?<name>\w+) calls off (?<id>ann-\d+)$/,
    (scenario, words) => {
      const id = announcementId(words("id"));
      give(scenario, words("name"), { type: "WithdrawRules", announcementId: id });
    },
  ],
  [
    /^(?<name>\w+) busts (?<id>fil-\d+)$/,
    (scenario, words) => {
      give(scenario, words("name"), { type: "BustFill", fillId: fillId(words("id")), reason });
    },
  ],
  [
    /^(?<name>\w+) agrees$/,
    (scenario, words) => {
      const key = { prefix: "fp_test_story", digest: words("name") };
      const proposalId = newest(scenario.world.state);
      give(scenario, words("name"), { type: "ConfirmProposal", proposalId, key });
    },
  ],
];

function setRules(scenario: Scenario, name: string, rules: RulesChange): void {
  give(scenario, name, { type: "SetRules", rules });
}

function give(scenario: Scenario, name: string, command: Command): void {
  scenario.give(scenario.actor(name), command);
}

/** One that nobody made is refused. */
const newest = ({ proposals }: State): ProposalId =>
  [...proposals.keys()].at(-1) ?? proposalId("prp-0");
