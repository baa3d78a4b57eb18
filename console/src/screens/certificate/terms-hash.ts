// The hash of a market's terms, computed here from the certificate's fields.
// Invariant: lines, order and tag are those of docs/reference/ids.md; no digit is rounded.
/** The terms of a certificate, as far as they are hashed. */
interface CertifiedTerms {
  readonly index: string;
  readonly geoNodeId: string;
  readonly measurementMonth: string;
  readonly payoff: Readonly<Record<string, unknown>>;
  readonly baseline: {
    readonly month: string;
    readonly value: string;
    readonly level: string | null;
    readonly releaseId: string;
  } | null;
  readonly rounding: string;
  readonly fallback: string;
  readonly methodologyVersion: string;
  readonly expectedAtMillis: number;
  readonly successor: string | null;
}

/** A decimal as a whole number of so many places: "1.5" and 3 → "1500". */
function wholeOf(decimal: string, places: number): string {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)\.?(\d*)$/.exec(decimal) ?? [];
  return `${sign}${BigInt(whole + fraction.padEnd(places, "0"))}`;
}

function payoffText(payoff: CertifiedTerms["payoff"]): string {
  const { kind, attachBps, exhaustBps, strikeBps, comparator, threshold } = payoff;
  if (kind === "layered") return `layered|${attachBps}|${exhaustBps}`;
  return kind === "binary" ? `binary|${strikeBps}` : `level|${comparator}|${threshold}`;
}

function baselineText({ baseline }: CertifiedTerms): string {
  if (baseline === null) return "none";
  const { month, value, level, releaseId } = baseline;
  return [month, wholeOf(value, 15), wholeOf(level ?? "", 12), releaseId].join("|");
}

/** The ten lines. */
const termsText = (terms: CertifiedTerms): string =>
  [
    terms.index,
    terms.geoNodeId,
    terms.measurementMonth,
    payoffText(terms.payoff),
    baselineText(terms),
    terms.rounding,
    terms.fallback,
    terms.methodologyVersion,
    String(terms.expectedAtMillis),
    terms.successor ?? "none",
  ].join("\n");

export async function hashOf(terms: CertifiedTerms): Promise<string> {
  const bytes = new TextEncoder().encode(`firstprint/terms/v1\0${termsText(terms)}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
