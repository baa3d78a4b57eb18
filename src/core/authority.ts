// The authority each command needs: a permission of the key, any operator, or the exchange itself.
// Invariant: a key is judged at the moment its command is applied; root
// has every operator's permission, unless two operators have switched it off.
import type { Actor, Command } from "./command.ts";
import { carriedOut, commands, type RequiredAuthority } from "./command-table.ts";
import { isOwnMatter, isSettingUp } from "./own-matter.ts";
import { isKeyLive, isPeopleLacking, isRootOff } from "./person.ts";
import { isAdminPermission, type Key, type OperatorName } from "./records.ts";
import { type Rejection, reject } from "./rejection.ts";
import type { State } from "./state.ts";

/** Refuses a dead key first, then a missing role or permission. */
export function authorise(
  state: State,
  actor: Actor,
  command: Command,
  nowSeconds: number,
): Rejection | undefined {
  const authority = authorityFor(state, command);
  if (authority === "anyone" || actor.type === "system") return undefined;
  if (actor.type === "root") {
    const refused = refuseRoot(state, command, authority, nowSeconds);
    return refused ?? refuseOwnMatter(state, "root", carriedOut(state, command));
  }
  const key = state.keys.get(actor.keyId);
  if (key === undefined || key.accountId !== actor.accountId || !isKeyLive(key, nowSeconds)) {
    return reject("UNAUTHENTICATED");
  }
  if (authority === "system") return reject("NOT_OPERATOR");
  const { role, halted } = state.account(actor.accountId);
  if (isOperators(authority)) {
    if (role !== "operator") return reject("NOT_OPERATOR");
    if (halted) return reject("ACCOUNT_HALTED");
    return (
      refuseLacking(key, authority) ??
      refuseOwnMatter(state, actor.accountId, carriedOut(state, command))
    );
  }
  const lacking = refuseLacking(key, authority);
  if (lacking !== undefined) return lacking;
  return role !== "trader" && commands[command.type].trades ? reject("ROLE_NOT_TRADER") : undefined;
}

/** Agreeing to a command, or taking it back, takes what giving it takes. */
function authorityFor(state: State, command: Command): RequiredAuthority {
  const isOfProposal = command.type === "ConfirmProposal" || command.type === "WithdrawProposal";
  const proposal = isOfProposal ? state.words.get(command.proposalId) : undefined;
  // An operator's account that root opens alone is stopped by any operator there is.
  const isStopped =
    command.type === "WithdrawProposal" && proposal?.effectiveAtMillis !== undefined;
  return isStopped ? "operator" : commands[proposal?.command.type ?? command.type].by;
}

const isOperators = (authority: RequiredAuthority): boolean =>
  authority === "operator" || isAdminPermission(authority);

function refuseLacking(key: Key, authority: RequiredAuthority): Rejection | undefined {
  if (authority === "operator" || authority === "system" || authority === "anyone") {
    return undefined;
  }
  const holds = key.permissions.includes(authority);
  return holds ? undefined : reject("PERMISSION_DENIED", { permission: authority });
}

/** Public keys open nothing, and the interface has them issued by the admin secret alone. */
function refuseRoot(
  state: State,
  { type }: Command,
  authority: RequiredAuthority,
  nowSeconds: number,
): Rejection | undefined {
  if (!isOperators(authority) && type !== "OpenDispute") return reject("NOT_OPERATOR");
  if (type === "IssuePublicKey" || type === "RevokePublicKey") return undefined;
  const isSwitchedOff = state.exchange?.rootOff === true;
  if (!isRootOff(state, isSwitchedOff, nowSeconds)) return undefined;
  const isFounding = type === "OpenAccount" && isPeopleLacking(state, isSwitchedOff, nowSeconds);
  return isFounding ? undefined : reject("ROOT_OFF");
}

/** An operator decides nothing in its own matter, unless the command's row says why it may. */
function refuseOwnMatter(
  state: State,
  operator: OperatorName,
  command: Command,
): Rejection | undefined {
  if (commands[command.type].ownMatter !== undefined) return undefined;
  if (isSettingUp(state, operator, command)) return undefined;
  return isOwnMatter(state, operator, command) ? reject("CONFLICT_OF_INTEREST") : undefined;
}
