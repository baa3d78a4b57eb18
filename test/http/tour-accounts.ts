// The part of the tour that opens accounts: who they are, what they may do and what they hold.
// Invariant: an account opened here may trade, with the cash it was given.
import { type Trader, textAt } from "#test/support/exchange.ts";
import type { Recorder } from "./recorder.ts";

export async function openTrader(recorder: Recorder, name: string): Promise<Trader> {
  const body = { name, role: "trader" };
  const opened = await recorder.do("POST", "/api/admin/accounts", { body });
  return {
    id: textAt(opened, "account", "id"),
    address: textAt(opened, "account", "address"),
    key: textAt(opened, "key", "secret"),
  };
}

/** Says who the account is, approves it and funds it. */
export async function clear(
  recorder: Recorder,
  { id, key }: Trader,
  amount: string,
): Promise<void> {
  const params = { id };
  const subject = {
    kind: "organisation",
    legalName: "Harbor Lending LLC",
    countryCode: "US",
    registrationNumber: "0000-1111",
  };
  await recorder.do("POST", "/api/kyc/subject", { key, body: subject });
  await recorder.do("POST", "/api/admin/accounts/:id/subject/read", { params, body: {} });
  await recorder.do("POST", "/api/kyc/inquiry", { key, body: { tier: "enhanced" } });
  const decision = {
    decision: "approve",
    countryCode: "US",
    sanctionsCleared: true,
    pepScreened: true,
    adverseMediaCleared: true,
    listVersion: "2024-11",
    accreditation: {
      basis: "qualified purchaser",
      evidenceId: "ev-17",
      expiresAt: 1_763_600_000,
    },
  };
  await recorder.do("POST", "/api/admin/accounts/:id/kyc", { params, body: decision });
  const funding = { amount, memo: "first deposit" };
  await recorder.do("POST", "/api/admin/accounts/:id/funding", { params, body: funding });
}

export async function openAccounts(recorder: Recorder): Promise<readonly [Trader, Trader]> {
  const traders = [
    await openTrader(recorder, "Harbor Lending"),
    await openTrader(recorder, "Plains Re"),
  ] as const;
  for (const trader of traders) await clear(recorder, trader, "100000.00");
  const params = { id: traders[1].id };
  await recorder.do("DELETE", "/api/admin/accounts/:id/subject", { params });
  return traders;
}

export async function readAccounts(recorder: Recorder, { id, key }: Trader): Promise<void> {
  await recorder.do("GET", "/api/admin/accounts", { query: { limit: "1" } });
  await recorder.do("GET", "/api/admin/accounts/:id", { params: { id } });
  await recorder.do("GET", "/api/kyc/status", { key });
  await recorder.do("GET", "/api/kyc/limits", { key });
  const body = {
    label: "trading bot",
    permissions: ["create:orders", "cancel:orders"],
    rateLimit: 600,
    expiresInDays: 30,
  };
  const made = await recorder.do("POST", "/api/trading/keys", { key, body });
  await recorder.do("GET", "/api/trading/keys", { key });
  const params = { keyId: textAt(made, "id") };
  await recorder.do("DELETE", "/api/trading/keys/:keyId", { key, params });
}
