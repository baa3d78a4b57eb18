// GET /api/admin/proposals; POST …/:id/confirm and …/:id/withdraw.
// Invariant: what a proposal does is done by the second person's word, and answered to that person.
import { Type } from "typebox";
import { proposalId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { wordIn } from "#core/words/told.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { ErrorCode } from "../route/errors.ts";
import { admin, nothing, type Route } from "../route/route.ts";
import { KeyRecord, keyRecord } from "../trading/key-record.ts";
import { AccountRecord, accountRecord } from "./account-record.ts";
import type { OpenAccountPorts } from "./open-account.ts";
import { ProposalRecord, proposalRecord } from "./proposal-record.ts";

interface ProposalPorts extends Pick<OpenAccountPorts, "newSecret"> {
  readonly exchange: ExchangeView;
}

const IdParams = Type.Object({ id: Type.String() });

export const listProposals = (ports: ProposalPorts): Route =>
  admin.read({
    url: "/api/admin/proposals",
    access: "admin:read",
    summary: "Lists the proposals that wait for a second operator, oldest first",
    params: nothing,
    query: nothing,
    data: Type.Array(ProposalRecord),
    read: () => ({ data: [...ports.exchange.proposals].map(proposalRecord) }),
  });

/** A second word can be refused for whatever would refuse the command itself. */
const ofWords: readonly ErrorCode[] = ["PERMISSION_DENIED", "PROPOSAL_NOT_FOUND"];

export const confirmProposal = (ports: ProposalPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/proposals/:id/confirm",
    access: "operator",
    summary: "Agrees to a proposal of another person, which is then carried out",
    refusals: [
      ...ofWords,
      "PROPOSAL_SAME_OPERATOR",
      "CONFLICT_OF_INTEREST",
      "OPERATORS_MISSING",
      "ACCOUNT_NOT_FOUND",
      "ROLE_NOT_TRADER",
      "KEY_ESCALATION",
      "KEY_LIMIT",
      "KYC_REQUIRED",
      "ACCREDITATION_REQUIRED",
      "MARGIN_CALL",
      "IN_DEFAULT",
      "INSUFFICIENT_BALANCE",
      "MARKET_STATE",
      "FALLBACK_STEP",
      "BUST_NOT_OPEN",
      "BUST_AFTER_PRINT",
      "BUST_FINANCED",
      "BUST_SOLD_ON",
      "BUST_NOT_COVERED",
      "RULES_NOT_ANNOUNCED",
      "RULES_ANNOUNCED_LIMIT",
    ],
    otherStatuses: [202],
    params: IdParams,
    body: nothing,
    data: Type.Object({
      proposal: ProposalRecord,
      account: Type.Optional(AccountRecord),
      key: Type.Optional(KeyRecord),
    }),
    toCommand: ({ params }) => {
      const { secret, prefix, digest } = ports.newSecret();
      const key = { prefix, digest };
      const command = { type: "ConfirmProposal", proposalId: proposalId(params.id), key } as const;
      return { command, secret };
    },
    render: ({ events, secret }) => {
      const agreed = wordIn("confirmed", events);
      const kept = wordIn("open", events);
      const proposal = agreed ?? kept;
      invariant(proposal !== undefined, "a proposal was agreed to, or waits anew");
      const account = events.findLast((event) => event.type === "AccountChanged")?.account;
      const key = events.findLast((event) => event.type === "KeyChanged")?.key;
      const shown = secret === undefined ? {} : { secret };
      return {
        data: {
          proposal: proposalRecord(proposal),
          ...(account === undefined ? {} : { account: accountRecord(account) }),
          ...(key === undefined ? {} : { key: { ...keyRecord(key, null), ...shown } }),
        },
        // Its first giver may no longer give it: this word is the first one now.
        ...(agreed === undefined ? { status: 202 } : {}),
      };
    },
  });

export const withdrawProposal = (): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/proposals/:id/withdraw",
    access: "operator",
    summary: "Takes one's own proposal back",
    refusals: [...ofWords, "PROPOSAL_OF_ANOTHER"],
    params: IdParams,
    body: nothing,
    data: ProposalRecord,
    toCommand: ({ params }) => ({
      command: { type: "WithdrawProposal", proposalId: proposalId(params.id) },
    }),
    render: ({ events }) => {
      const withdrawn = wordIn("withdrawn", events);
      invariant(withdrawn !== undefined, "a proposal was taken back");
      return { data: proposalRecord(withdrawn) };
    },
  });
