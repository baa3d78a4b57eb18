// A refusal as a person reads it: the exchange's own words, what they are about, what next.
// Invariant: it always says whether anything was done.
import { at, type ExchangeResponse, isText, items } from "./answer.ts";
import { plain } from "./table.ts";

interface RefusalText {
  readonly message: string;
  /** Indented, a line each. */
  readonly lines: readonly string[];
}

export function refusalText(answer: ExchangeResponse): RefusalText {
  const error = at(answer.json, "error");
  const message = at(error, "message");
  const code = at(error, "code");
  if (!isText(message) || !isText(code)) return foreignText(answer);
  const fields = items(at(error, "errors"));
  return {
    message: clean(message),
    lines: [
      line("code", `${code} (${answer.status})`),
      ...(fields.length > 1
        ? fields.map((one) => line("field", `${shown(one, "field")} ${shown(one, "message")}`))
        : optional("field", at(error, "field"))),
      ...detailLines(at(error, "details")),
      ...optional("request", at(error, "requestId")),
      line("next", nextStep(answer, code)),
    ],
  };
}

/** Not in the exchange's envelope: something else answers at this address. */
function foreignText({ status, body }: ExchangeResponse): RefusalText {
  const [first = ""] = body.trim().split("\n");
  return {
    message: `the response had status ${status} and did not come from an exchange`,
    lines: [
      ...optional("body", first.slice(0, 200)),
      line("next", "look whether --url is the address of a Firstprint exchange"),
    ],
  };
}

const steps = new Map([
  ["KYC_REQUIRED", "ask with `firstprint kyc request <tier>`"],
  [
    "ACCREDITATION_REQUIRED",
    "the operator gives it with `firstprint kyc approve <account> --cleared … --accredited … --evidence …`",
  ],
  ["INSUFFICIENT_BALANCE", "ask for less, cancel orders, or have the account funded"],
  ["NOT_OPERATOR", "use the admin secret, or the key of an operator's account"],
  [
    "CLOCK_NOT_SANDBOX",
    "start a sandbox with FIRSTPRINT_CLOCK=sandbox and a data folder of its own",
  ],
  ["LISTING_STALE", "ask for a new one with `firstprint quote`"],
]);

function nextStep({ status, json, retryAfter }: ExchangeResponse, code: string): string {
  if (at(json, "error.outcome") === "unknown") {
    return "it is not known whether the request took effect; check before you repeat it";
  }
  const step = steps.get(code) ?? (status === 401 ? "give a valid --key or secret" : undefined);
  if (step !== undefined) return `nothing was done; ${step}`;
  if (at(json, "error.retryable") !== true) return "nothing was done; correct it and ask again";
  const wait = retryAfter === undefined ? "later" : `in ${retryAfter} s`;
  return `nothing was done; the same may succeed ${wait}`;
}

function detailLines(details: unknown): readonly string[] {
  if (typeof details !== "object" || details === null) return [];
  return Object.entries(details).flatMap(([name, value]) => optional(name, value));
}

const optional = (name: string, value: unknown): readonly string[] =>
  value === undefined || value === null || value === "" ? [] : [line(name, plain(value))];

const shown = (holder: unknown, name: string): string => plain(at(holder, name));

const line = (name: string, text: string): string => `  ${name.padEnd(10)} ${clean(text)}`;

const clean = (text: string): string => text.replaceAll(/\p{Cc}/gu, "\uFFFD");
