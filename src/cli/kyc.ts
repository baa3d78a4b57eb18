// firstprint kyc …: asking for a tier with a key, deciding about one as the operator.
// Invariant: only the decision is sent; no document, no birthday, no name passes through here.
import { at } from "./answer.ts";
import type { Arguments } from "./arguments.ts";
import type { CliCommand } from "./command.ts";
import type { Members } from "./exchange.ts";
import { UsageFault } from "./faults.ts";
import { secondsOf } from "./instant.ts";
import { field, time } from "./table.ts";

export const kycFields = [
  field("status"),
  field("tier"),
  field("requestedTier", "asked for"),
  field("sanctionsCleared", "sanctions cleared"),
  field("pepScreened", "pep screened"),
  field("adverseMediaCleared", "adverse media cleared"),
  field("countryCode", "country"),
  field("expiresAt", "expires", time),
  field("accreditation.basis", "accredited as"),
  field("accreditation.evidenceId", "evidence"),
  field("accreditation.expiresAt", "accredited until", time),
  field("limits.maxPosition", "most a market"),
  field("limits.maxDaily", "most a day"),
  field("limits.maxTotal", "most in all"),
];

const decisionOptions = {
  country: { value: "code", about: "two capital letters" },
  "list-version": { value: "text", about: "the version of the screening lists" },
} as const;

const screenings = new Map([
  ["sanctions", "sanctionsCleared"],
  ["pep", "pepScreened"],
  ["adverse-media", "adverseMediaCleared"],
]);

const approve: CliCommand = {
  words: "kyc approve",
  about: "Approve an account, naming each screening that was cleared",
  takes: ["account"],
  options: {
    cleared: {
      value: "list",
      about: "what was cleared: sanctions,pep,adverse-media; an approval needs all three",
    },
    tier: {
      value: "tier",
      about: "basic, enhanced or institutional; the one asked for when left out",
    },
    accredited: { value: "basis", about: "the rule the account is accredited under" },
    evidence: { value: "id", about: "what names the evidence for that; goes with --accredited" },
    until: {
      value: "time",
      about: "when the accreditation ends; with the approval when left out",
    },
    ...decisionOptions,
  },
  example:
    "kyc approve acc-1 --cleared sanctions,pep,adverse-media --tier institutional " +
    '--accredited "qualified purchaser" --evidence ev-17',
  needs: "operator",
  run: (call) =>
    decide(call, {
      decision: "approve",
      ...screened(call.args.option("cleared"), "--cleared", true),
      ...call.args.given("tier"),
      ...accreditation(call.args),
    }),
};

const reject: CliCommand = {
  words: "kyc reject",
  about: "Reject an account; its open orders are cancelled",
  takes: ["account"],
  options: {
    failed: { value: "list", about: "what was not cleared: sanctions, pep, adverse-media" },
    ...decisionOptions,
  },
  example: "kyc reject acc-2 --failed sanctions",
  needs: "operator",
  run: (call) =>
    decide(call, {
      decision: "reject",
      ...screened(call.args.option("failed"), "--failed", false),
    }),
};

async function decide(
  { args, exchange, screen }: Parameters<CliCommand["run"]>[0],
  decision: Members,
): Promise<undefined> {
  const countryCode = args.option("country");
  const listVersion = args.option("list-version");
  const answer = await exchange.post("/api/admin/accounts/{id}/kyc", {
    id: args.word("account"),
    ...decision,
    ...(countryCode === undefined ? {} : { countryCode }),
    ...(listVersion === undefined ? {} : { listVersion }),
  });
  screen.show(answer, () => screen.record(kycFields, at(answer.json, "data")));
}

function accreditation(args: Arguments): Members {
  const [basis, evidenceId] = [args.option("accredited"), args.option("evidence")];
  const until = args.option("until");
  if (basis === undefined && evidenceId === undefined && until === undefined) return {};
  if (basis === undefined || evidenceId === undefined) {
    throw new UsageFault("--accredited and --evidence go together");
  }
  const expiresAt = until === undefined ? {} : { expiresAt: secondsOf(until, "--until") };
  return { accreditation: { basis, evidenceId, ...expiresAt } };
}

function screened(list: string | undefined, option: string, said: boolean): Members {
  const members: Record<string, boolean> = {};
  for (const name of list?.split(",") ?? []) {
    const member = screenings.get(name.trim());
    if (member === undefined) {
      throw new UsageFault(`${option} takes ${[...screenings.keys()].join(", ")}`);
    }
    members[member] = said;
  }
  return members;
}

const request: CliCommand = {
  words: "kyc request",
  about: "Ask for a tier for the account whose key asks",
  takes: ["tier"],
  example: "kyc request enhanced",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post("/api/kyc/inquiry", { tier: args.word("tier") });
    screen.show(answer, () => screen.record(kycFields, at(answer.json, "data")));
    return undefined;
  },
};

const status: CliCommand = {
  words: "kyc status",
  about: "Show the KYC record of the account whose key asks",
  example: "kyc status",
  needs: "key",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/kyc/status");
    screen.show(answer, () => screen.record(kycFields, at(answer.json, "data")));
    return undefined;
  },
};

export const kycCommands: readonly CliCommand[] = [approve, reject, status, request];
