// Requests for the engine's tests: accounts, funding, clock; each with an id of its own.
// Invariant: the same number gives the same command.
import { accountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Actor, Command } from "#core/command.ts";
import type { Engine, Result } from "#engine/engine.ts";

/** A command as a caller gives it to the engine, under an id of its own. */
export type Request = Parameters<Engine["submit"]>[0] & { readonly requestId: string };

const root: Actor = { type: "root" };
let made = 0;

export function request(command: Command, key?: string, digest = "d".repeat(64)): Request {
  made += 1;
  const idempotency = key === undefined ? null : { key, digest };
  return { actor: root, command, requestId: `req-${made}`, idempotency };
}

export const openAccount = (number: number): Command => ({
  type: "OpenAccount",
  name: `Account ${number}`,
  role: "trader",
  address: `0x${number.toString(16).padStart(40, "0")}`,
  key: {
    label: "first",
    prefix: "fp_test_0000",
    digest: number.toString(16).padStart(64, "0"),
    permissions: ["read:portfolio"],
    ratePerMinute: null,
    expiresAtSeconds: null,
  },
});

/** A deposit into the guarantee fund: it is taken whoever has an account. */
export const fund = (usd: number, memo: string | null = null): Command => ({
  type: "FundGuarantee",
  amountMicros: micros(BigInt(usd) * 1_000_000n),
  memo,
});

/** Refused where there is no such account, and not journalled. */
export const fundOf = (account: string): Command => ({
  type: "FundAccount",
  accountId: accountId(account),
  amountMicros: micros(1_000_000n),
  memo: null,
});

/** The answer, or an error that says what came instead. */
export function answered(result: Result): Extract<Result, { readonly outcome: unknown }> {
  if ("outcome" in result) return result;
  throw new Error(`not answered: ${JSON.stringify(result)}`);
}
