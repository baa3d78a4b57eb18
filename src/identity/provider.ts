// Decides an inquiry: the operator by hand, or, for trying things out, a published rule.
// Invariant: a decision names its provider; the sandbox's never passes for a person's work.
import type { CommandOf } from "#core/command.ts";
import type { Accreditation } from "#core/kyc/decision.ts";
import type { KycTier } from "#core/records.ts";
import type { Subject } from "./subject.ts";

type KycProviderName = CommandOf<"DecideKyc">["provider"];

interface Inquiry {
  readonly tier: KycTier;
  /** Undefined where the account has given no personal data. */
  readonly subject: Subject | undefined;
}

type Screening = Pick<
  CommandOf<"DecideKyc">,
  | "decision"
  | "countryCode"
  | "sanctionsCleared"
  | "pepScreened"
  | "adverseMediaCleared"
  | "listVersion"
  | "accreditation"
>;

export interface KycProvider {
  readonly name: KycProviderName;
  /** Undefined = not decided by this provider: somebody else will. May be asked again. */
  screen(inquiry: Inquiry): Promise<Screening | undefined>;
}

/** Nothing is decided until an operator does. */
const manual: KycProvider = { name: "manual", screen: () => Promise.resolve(undefined) };

/** Nobody looked at any evidence, and the record says so. */
const sandboxAccreditation: Accreditation = {
  basis: "sandbox rule: everybody is accredited",
  evidenceId: "none",
  expiresAtSeconds: null,
};

/**
 * The rule: approved, unless the legal name has one of the words SANCTIONED, PEP or ADVERSE, each
 * of which is a hit on the list it names. No list is consulted.
 */
const sandbox: KycProvider = {
  name: "sandbox",
  screen: ({ subject }) => {
    const words = new Set((subject?.legalName ?? "").toUpperCase().split(/[^A-Z]+/));
    const sanctionsCleared = !words.has("SANCTIONED");
    const pepScreened = !words.has("PEP");
    const adverseMediaCleared = !words.has("ADVERSE");
    const isClear = sanctionsCleared && pepScreened && adverseMediaCleared;
    return Promise.resolve({
      decision: isClear ? "approve" : "reject",
      countryCode: subject?.countryCode ?? null,
      sanctionsCleared,
      pepScreened,
      adverseMediaCleared,
      listVersion: "sandbox-rule-1",
      accreditation: isClear ? sandboxAccreditation : null,
    });
  },
};

export const providerNamed = (name: KycProviderName): KycProvider =>
  name === "manual" ? manual : sandbox;
