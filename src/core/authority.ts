// The authority each command needs: a permission of the key, any operator, or the exchange itself.
// Invariant: every command has a row; a key is judged at the moment its command is applied; root
// has every operator's permission, unless two operators have switched it off.
import type { AccountId } from "#base/ids.ts";
import type { Actor, Command, CommandType } from "./command.ts";
import { isKeyLive, isRootOff, isSecondPerson } from "./person.ts";
import { isAdminPermission, type Key, type Permission } from "./records.ts";
import { type Rejection, reject } from "./rejection.ts";
import type { State } from "./state.ts";

type Authority = Permission | "operator" | "system" | "anyone";

const authorities: Record<CommandType, Authority> = {
  Genesis: "system",
  UpgradeRules: "system",
  SetRules: "admin:exchange",
  SetFundingLimit: "admin:exchange",
  SetRoot: "admin:exchange",
  ConfirmProposal: "operator",
  WithdrawProposal: "operator",
  OpenAccount: "admin:accounts",
  SetOwner: "admin:accounts",
  CreateKey: "manage:custody",
  RevokeKey: "manage:custody",
  IssueKey: "admin:accounts",
  RevokeKeys: "admin:accounts",
  IssuePublicKey: "admin:accounts",
  RevokePublicKey: "admin:accounts",
  RequestKyc: "manage:custody",
  DecideKyc: "admin:accounts",
  KeepSubject: "manage:custody",
  ReadSubject: "admin:accounts",
  EraseSubject: "admin:accounts",
  FundAccount: "admin:funding",
  FundGuarantee: "admin:funding",
  FundFinancing: "admin:funding",
  SetCredit: "admin:funding",
  HaltAccount: "admin:accounts",
  ResumeAccount: "admin:accounts",
  HaltExchange: "admin:exchange",
  ResumeExchange: "admin:exchange",
  PlaceOrder: "create:orders",
  PlaceBatch: "create:orders",
  AmendOrder: "create:orders",
  AcceptQuote: "create:orders",
  PayAcceptance: "create:orders",
  CollectPayment: "system",
  DefaultAcceptance: "system",
  CancelOrder: "cancel:orders",
  CancelAll: "cancel:orders",
  SetCancelAfter: "cancel:orders",
  SetProtection: "create:orders",
  ResetProtection: "create:orders",
  ListMarket: "admin:markets",
  PauseMarket: "admin:markets",
  ResumeMarket: "admin:markets",
  CancelMarket: "admin:settle",
  WithdrawVoid: "admin:settle",
  PublishMarks: "system",
  AwaitRelease: "system",
  ForgetAwaited: "system",
  LoadGeo: "admin:releases",
  AcceptRelease: "admin:releases",
  RereadReleases: "system",
  QuarantineRelease: "admin:releases",
  ApproveRelease: "admin:releases",
  RejectRelease: "admin:releases",
  ApprovePlace: "admin:releases",
  ReleasePlace: "admin:releases",
  RejectPlace: "admin:releases",
  OpenDispute: "create:orders",
  DecideDispute: "admin:settle",
  SetClock: "admin:exchange",
  RecordRefusal: "anyone",
  ExpireOrder: "system",
  FireCancelAfter: "system",
  ReportTrip: "system",
  ExpireKyc: "system",
  ExpireAccreditation: "system",
  CloseTrading: "system",
  LapseVoid: "system",
  LapseProposal: "system",
  VoidUnpublished: "system",
  UpholdDispute: "system",
  FinalizeMarket: "system",
  EndWindow: "system",
  ResumeMatching: "system",
  Forget: "system",
};

/** Refuses a dead key first, then a missing role or permission. */
export function authorise(
  state: State,
  actor: Actor,
  command: Command,
  nowSeconds: number,
): Rejection | undefined {
  const authority = authorityFor(state, command);
  if (authority === "anyone" || actor.type === "system") return undefined;
  if (actor.type === "root") return refuseRoot(state, command, authority, nowSeconds);
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
  return role !== "trader" && trades.has(command.type) ? reject("ROLE_NOT_TRADER") : undefined;
}

/** Agreeing to a command, or taking it back, takes what giving it takes. */
function authorityFor(state: State, command: Command): Authority {
  const isOfProposal = command.type === "ConfirmProposal" || command.type === "WithdrawProposal";
  const proposal = isOfProposal ? state.proposals.get(command.proposalId) : undefined;
  return authorities[proposal?.command.type ?? command.type];
}

function carriedOut(state: State, command: Command): Command {
  if (command.type !== "ConfirmProposal") return command;
  return state.proposals.get(command.proposalId)?.command ?? command;
}

const isOperators = (authority: Authority): boolean =>
  authority === "operator" || isAdminPermission(authority);

function refuseLacking(key: Key, authority: Authority): Rejection | undefined {
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
  authority: Authority,
  nowSeconds: number,
): Rejection | undefined {
  if (!isOperators(authority) && type !== "OpenDispute") return reject("NOT_OPERATOR");
  if (type === "IssuePublicKey" || type === "RevokePublicKey") return undefined;
  const isOff = isRootOff(state, state.exchange?.rootOff === true, nowSeconds);
  return isOff ? reject("ROOT_OFF") : undefined;
}

/** An account that operates or audits cancels and pays what it owes, and begins nothing new. */
const trades: ReadonlySet<CommandType> = new Set([
  "PlaceOrder",
  "PlaceBatch",
  "AmendOrder",
  "AcceptQuote",
]);

/** Rejects a decision of an operator about an account of their own. */
function refuseOwnMatter(
  state: State,
  operator: AccountId,
  command: Command,
): Rejection | undefined {
  switch (command.type) {
    case "DecideKyc":
    case "FundAccount":
    case "HaltAccount":
    case "ResumeAccount":
    case "IssueKey":
    case "SetOwner": {
      const isOwn =
        state.accounts.has(command.accountId) &&
        !isSecondPerson(state, command.accountId, operator);
      return isOwn ? reject("CONFLICT_OF_INTEREST") : undefined;
    }
    default:
      return undefined;
  }
}
