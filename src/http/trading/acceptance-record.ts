// An acceptance as its account sees it: what was bought, and what is owed when.
// Invariant: money is text with up to 6 decimals; the schedule's parts add up to what is owed.
import { type Static, Type } from "typebox";
import { formatMicros, micros } from "#base/money.ts";
import { formatLots } from "#base/quantity.ts";
import { owedOn } from "#core/acceptance/owed.ts";
import type { Acceptance, Payment, PremiumStructure } from "#core/acceptance/records.ts";

const PaymentRecord = Type.Object(
  {
    number: Type.Integer(),
    dueAt: Type.Integer(),
    amount: Type.String({ description: "principal and interest" }),
    principal: Type.String(),
    interest: Type.String(),
    paid: Type.String(),
  },
  { title: "Payment" },
);

export const structureNames = ["in_full", "installments", "at_funding"] as const;

export const AcceptanceRecord = Type.Object(
  {
    id: Type.String(),
    marketId: Type.String(),
    orderId: Type.String(),
    structure: Type.Enum([...structureNames]),
    downPaymentBps: Type.Optional(Type.Integer()),
    months: Type.Optional(Type.Integer()),
    aprBps: Type.Optional(Type.Integer()),
    fundingAt: Type.Optional(Type.Integer()),
    coverage: Type.String({ description: "USD paid at full payout: the contracts bought" }),
    premium: Type.String(),
    paidAtClose: Type.String({ description: "the part of the premium that was not lent" }),
    financed: Type.String(),
    outstanding: Type.String({ description: "all that is still owed" }),
    status: Type.Enum(["not_filled", "current", "overdue", "defaulted", "written_off", "paid"]),
    createdAt: Type.Integer(),
    payments: Type.Array(PaymentRecord),
  },
  { title: "Acceptance" },
);

export function acceptanceRecord(acceptance: Acceptance): Static<typeof AcceptanceRecord> {
  const { premiumMicros, principalMicros, payments, structure } = acceptance;
  const outstanding = payments.reduce((sum, payment) => sum + owedOn(payment), 0n);
  return {
    id: acceptance.id,
    marketId: acceptance.marketId,
    orderId: acceptance.orderId,
    structure: structure.kind,
    ...structureFields(structure),
    coverage: formatLots(acceptance.filledLots),
    premium: formatMicros(premiumMicros),
    paidAtClose: formatMicros(micros(premiumMicros - principalMicros)),
    financed: formatMicros(principalMicros),
    outstanding: formatMicros(micros(outstanding)),
    status: acceptance.status,
    createdAt: seconds(acceptance.createdAtMillis),
    payments: payments.map(paymentRecord),
  };
}

function structureFields(structure: PremiumStructure) {
  switch (structure.kind) {
    case "in_full":
      return {};
    case "installments": {
      const { downPaymentBps, months, aprBps } = structure;
      return { downPaymentBps, months, aprBps };
    }
    case "at_funding":
      return { aprBps: structure.aprBps, fundingAt: seconds(structure.fundsAtMillis) };
  }
}

const paymentRecord = (payment: Payment): Static<typeof PaymentRecord> => ({
  number: payment.number,
  dueAt: seconds(payment.dueMillis),
  amount: formatMicros(micros(payment.principalMicros + payment.interestMicros)),
  principal: formatMicros(payment.principalMicros),
  interest: formatMicros(payment.interestMicros),
  paid: formatMicros(payment.paidMicros),
});

const seconds = (millis: number): number => Math.floor(millis / 1000);
