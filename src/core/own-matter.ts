// Whether a command is about something that whoever gives it has a stake in.
// Invariant: one rule for every command: an account of one person with it, a market it holds a
// position in, a fill it was a party to, a release or a place by which such a market settles.
import type { AccountId, KeyId, MarketId, NodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Command } from "./command.ts";
import { isLive } from "./market/life.ts";
import { awaitingName, heldPlaceName, renamingName } from "./names.ts";
import { hasStake, isSecondPerson, stakesOf } from "./person.ts";
import type { Observation, OperatorName, QuarantinedRelease } from "./records.ts";
import type { State } from "./state.ts";

export function isOwnMatter(state: State, by: OperatorName, command: Command): boolean {
  if ("accountId" in command && isOwnAccount(state, by, command.accountId)) return true;
  if ("fillId" in command) return isParty(state, by, command.fillId);
  if ("releaseId" in command && command.releaseId !== null) {
    if ("nodeId" in command) return settlesOwnPlace(state, by, command);
    const held = state.quarantine.get(command.releaseId);
    return held !== undefined && settlesOwn(state, by, held);
  }
  if (!("marketId" in command) || command.marketId === null) return false;
  const { dispute } = state.markets.get(command.marketId) ?? {};
  const isDisputes = command.type === "DecideDispute" && dispute != null;
  if (isDisputes && !isSecondPerson(state, dispute.openedBy, by)) return true;
  return hasStake(state, by, command.marketId);
}

/** An operator sets up an account that it opened, before anybody has used its one key. */
const settingUp: ReadonlySet<Command["type"]> = new Set([
  "DecideKyc",
  "FundAccount",
  "HaltAccount",
]);

/**
 * Whether the command sets up an account that is this person's by its unused first key alone. What
 * takes two people is nobody's to say there either.
 */
export function isSettingUp(state: State, by: OperatorName, command: Command): boolean {
  if (!settingUp.has(command.type) || !("accountId" in command)) return false;
  const { accountId } = command;
  if (accountId === null) return false;
  const [first, ...others] = state.keysOf(accountId);
  const isUnused = first?.usedAtSeconds === undefined && others.length === 0;
  const { accounts, keys } = state;
  return isUnused && isSecondPerson({ accounts, keys, ties: noTies }, accountId, by);
}

const noTies: ReadonlyMap<AccountId, ReadonlySet<KeyId>> = new Map();

const isOwnAccount = (state: State, by: OperatorName, account: OperatorName): boolean =>
  account !== "root" && state.accounts.has(account) && !isSecondPerson(state, account, by);

/** One person with a side of the fill, or with a holder of the market. */
function isParty(
  state: State,
  by: OperatorName,
  id: Extract<Command, { fillId: unknown }>["fillId"],
): boolean {
  const fill = state.strays.get(id)?.fill;
  if (fill === undefined) return false;
  const { buyer, seller, marketId } = fill;
  const isSide = [buyer, seller].some((party) => !isSecondPerson(state, party, by));
  return isSide || hasStake(state, by, marketId);
}

/** Whether a market with a stake of this person waits for a month that the release brings. */
function settlesOwn(state: State, by: OperatorName, release: QuarantinedRelease): boolean {
  const { index, firstMonth, lastMonth } = release;
  return stakesOf(state, by).some((id) => {
    const { status, terms } = state.market(id);
    const { measurementMonth: month } = terms;
    const waits = isLive(status) && terms.index === index;
    return waits && firstMonth <= month && month <= lastMonth;
  });
}

/** Whether a market that these prints settle has a stake of this person. */
export const settlesStakeOf = (
  state: State,
  by: OperatorName,
  index: IndexKind,
  observations: readonly Observation[],
): boolean => {
  const stakes = new Set(stakesOf(state, by));
  if (stakes.size === 0) return false;
  return observations.some((seen) =>
    waitingFor(state, index, seen).some((market) => stakes.has(market)),
  );
};

/** The markets that a print settles. */
export function waitingFor(
  state: State,
  index: IndexKind,
  { nodeId, month, backfill }: Observation,
): readonly MarketId[] {
  return backfill ? [] : [...(state.awaiting.get(awaitingName(index, nodeId, month)) ?? [])];
}

/** Of a held place its prints; of a map of regions every open market of the place. */
function settlesOwnPlace(
  state: State,
  by: OperatorName,
  { releaseId, nodeId }: Pick<Extract<Command, { nodeId: unknown }>, "releaseId" | "nodeId">,
): boolean {
  const release = state.releases.get(releaseId);
  if (release === undefined) return false;
  const held = [heldPlaceName(release, nodeId), renamingName(release, nodeId)]
    .map((name) => state.heldPlaces.get(name))
    .find((place) => place?.releaseId === releaseId);
  if (held === undefined || held.renamed !== undefined) {
    return ownsThere(state, by, release.index, nodeId);
  }
  return settlesStakeOf(state, by, held.index, held.observations);
}

function ownsThere(state: State, by: OperatorName, index: IndexKind, node: NodeId): boolean {
  return stakesOf(state, by).some((id) => {
    const { terms, status } = state.market(id);
    return terms.index === index && terms.nodeId === node && isLive(status);
  });
}
