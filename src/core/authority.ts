// Who may give which command: a permission of the key, the operator's role, or the exchange itself.
// Invariant: every command has a row; a key is judged at the moment its command is applied.
import type { Actor, Command, CommandType } from "./command.ts";
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
  IssuePublicKey: "operator",
  RevokePublicKey: "operator",
  RequestKyc: "manage:custody",
  DecideKyc: "operator",
  KeepSubject: "manage:custody",
  ReadSubject: "operator",
  EraseSubject: "operator",
  FundAccount: "operator",
  FundGuarantee: "operator",
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
  CloseTrading: "system",
  LapseVoid: "system",
  VoidUnpublished: "system",
  FinalizeMarket: "system",
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
  if (authority === "operator") {
    return state.account(actor.accountId).role === "operator" ? undefined : reject("NOT_OPERATOR");
  }
  if (authority === "system") return reject("NOT_OPERATOR");
  return key.permissions.includes(authority)
    ? undefined
    : reject("PERMISSION_DENIED", { permission: authority });
}
