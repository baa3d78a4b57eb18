// Who may give which command: a permission of the key, the operator's role, or the exchange itself.
// Invariant: every command has a row; a key is judged at the moment its command is applied.
import type { AccountId } from "#base/ids.ts";
import type { Actor, Command, CommandType } from "./command.ts";
import { isSecondPerson } from "./person.ts";
import type { Key, Permission } from "./records.ts";
import { type Rejection, reject } from "./rejection.ts";
import type { State } from "./state.ts";

type Authority = Permission | "operator" | "system" | "anyone";

const authorities: Record<CommandType, Authority> = {
  Genesis: "system",
  UpgradeRules: "system",
  SetRules: "operator",
  OpenAccount: "operator",
  SetOwner: "operator",
  CreateKey: "manage:custody",
  RevokeKey: "manage:custody",
  IssueKey: "operator",
  RevokeKeys: "operator",
  IssuePublicKey: "operator",
  RevokePublicKey: "operator",
  RequestKyc: "manage:custody",
  DecideKyc: "operator",
  KeepSubject: "manage:custody",
  ReadSubject: "operator",
  EraseSubject: "operator",
  FundAccount: "operator",
  FundGuarantee: "operator",
  FundFinancing: "operator",
  SetCredit: "operator",
  HaltAccount: "operator",
  ResumeAccount: "operator",
  HaltExchange: "operator",
  ResumeExchange: "operator",
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
  ListMarket: "operator",
  PauseMarket: "operator",
  ResumeMarket: "operator",
  CancelMarket: "operator",
  WithdrawVoid: "operator",
  PublishMarks: "system",
  AwaitRelease: "system",
  ForgetAwaited: "system",
  LoadGeo: "operator",
  AcceptRelease: "operator",
  RereadReleases: "system",
  QuarantineRelease: "operator",
  ApproveRelease: "operator",
  RejectRelease: "operator",
  ApprovePlace: "operator",
  ReleasePlace: "operator",
  RejectPlace: "operator",
  OpenDispute: "create:orders",
  DecideDispute: "operator",
  SetClock: "operator",
  RecordRefusal: "anyone",
  ExpireOrder: "system",
  FireCancelAfter: "system",
  ReportTrip: "system",
  ExpireKyc: "system",
  ExpireAccreditation: "system",
  CloseTrading: "system",
  LapseVoid: "system",
  VoidUnpublished: "system",
  UpholdDispute: "system",
  FinalizeMarket: "system",
  EndWindow: "system",
  ResumeMatching: "system",
};

export const isKeyLive = (key: Key, nowSeconds: number): boolean =>
  key.revokedAtSeconds === null &&
  (key.expiresAtSeconds === null || key.expiresAtSeconds > nowSeconds);

/** Refuses a dead key first, then a missing permission or role. */
export function authorise(
  state: State,
  actor: Actor,
  command: Command,
  nowSeconds: number,
): Rejection | undefined {
  const authority = authorities[command.type];
  if (authority === "anyone" || actor.type === "system") return undefined;
  if (actor.type === "root") {
    return authority === "operator" || command.type === "OpenDispute"
      ? undefined
      : reject("NOT_OPERATOR");
  }
  const key = state.keys.get(actor.keyId);
  if (key === undefined || key.accountId !== actor.accountId || !isKeyLive(key, nowSeconds)) {
    return reject("UNAUTHENTICATED");
  }
  const { role, halted } = state.account(actor.accountId);
  if (authority === "operator") {
    if (role !== "operator") return reject("NOT_OPERATOR");
    return halted ? reject("ACCOUNT_HALTED") : refuseOwnMatter(state, actor.accountId, command);
  }
  if (authority === "system") return reject("NOT_OPERATOR");
  if (!key.permissions.includes(authority)) {
    return reject("PERMISSION_DENIED", { permission: authority });
  }
  return role !== "trader" && trades.has(command.type) ? reject("ROLE_NOT_TRADER") : undefined;
}

/** An account that operates or audits cancels and pays what it owes, and begins nothing new. */
const trades: ReadonlySet<CommandType> = new Set([
  "PlaceOrder",
  "PlaceBatch",
  "AmendOrder",
  "AcceptQuote",
]);

/** What nobody decides about an account of one's own. */
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
