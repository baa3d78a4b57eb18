// The exchange as a whole: its founding, its rules, and attempts that it turned down.
// Invariant: it is founded once; the rules of deciding only go to a later version.
import { invariant } from "#base/invariant.ts";
import type { CommandOf } from "./command.ts";
import type { State } from "./state.ts";
import { emit, type Step } from "./step.ts";
import type { StorageKind } from "./storage-kind.ts";

export function found(step: Step, command: CommandOf<"Genesis">): undefined {
  invariant(step.state.exchange === undefined, "an exchange is founded once");
  const { clock, chainId, version } = command;
  emit(step, { type: "Founded", clock, chainId, version });
  emit(step, { type: "RulesChanged", rules: command.rules });
}

export function upgradeRules(step: Step, { version }: CommandOf<"UpgradeRules">): undefined {
  const { deciderVersion } = step.state;
  invariant(version > deciderVersion, `rules go from version ${deciderVersion} to a later one`);
  emit(step, { type: "RulesUpgraded", version });
}

/** By the newest entry of leadership; where there is none, the leader checked. */
export const storageOf = ({ exchange }: Pick<State, "exchange">): StorageKind =>
  exchange?.managedStorage === true ? "managed" : "checked";

export function beginTerm(step: Step, { storage }: CommandOf<"BeginTerm">): undefined {
  emit(step, { type: "TermBegun", storage });
}

export function recordRefusal(
  step: Step,
  { operation, count }: CommandOf<"RecordRefusal">,
): undefined {
  emit(step, { type: "RefusalRecorded", operation, count });
}

export function recordMaintenance(
  step: Step,
  { work, subject }: CommandOf<"RecordMaintenance">,
): undefined {
  emit(step, { type: "MaintenanceRecorded", work, subject });
}
