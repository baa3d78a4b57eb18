// A mandate as the desk writes it, and the commands that set, change and cancel one.
// Invariant: amounts go out as the digits that were typed.
import { answered, type Schemas } from "@firstprint/sdk";
import { exchange } from "../../session.ts";

type Mandate = Schemas["Mandate"];

export interface Draft {
  /** Null for a new one. */
  readonly id: string | null;
  readonly side: Mandate["side"];
  readonly index: Mandate["index"];
  readonly places: string;
  readonly spread: string;
  readonly spreadPerYear: string;
  readonly perMarket: string;
  readonly perState: string;
  readonly total: string;
}

export const newDraft: Draft = {
  ...({ id: null, side: "SELL", index: "zhvi", places: "" } as const),
  ...{ spread: "150", spreadPerYear: "50" },
  ...{ perMarket: "10000", perState: "100000", total: "200000" },
};

export const draftOf = (one: Mandate): Draft => ({
  ...{ id: one.id, side: one.side, index: one.index, places: one.places.join(", ") },
  ...{ spread: String(one.spreadBps), spreadPerYear: String(one.spreadBpsPerYear) },
  ...{ perMarket: one.maxPerMarketUsd, perState: one.maxPerStateUsd, total: one.maxTotalUsd },
});

const termsOf = ({ side, index, ...draft }: Draft) => ({
  ...{ side, index },
  places: draft.places.split(/[\s,]+/).filter((place) => place !== ""),
  spreadBps: Number(draft.spread),
  spreadBpsPerYear: Number(draft.spreadPerYear),
  maxPerMarketUsd: draft.perMarket.trim(),
  maxPerStateUsd: draft.perState.trim(),
  maxTotalUsd: draft.total.trim(),
});

interface Told {
  readonly words: string;
}

export async function saveMandate(draft: Draft): Promise<Told> {
  const [ask, body] = [exchange.value, termsOf(draft)];
  const asked =
    draft.id === null
      ? ask.POST("/api/trading/mandates", { body })
      : ask.PATCH("/api/trading/mandates/{mandateId}", {
          ...{ params: { path: { mandateId: draft.id } }, body },
        });
  const { data } = await answered(asked);
  return { words: `${data.id} stands in ${data.places.join(", ")}.` };
}

export async function cancelMandate(mandateId: string): Promise<Told> {
  const params = { path: { mandateId } };
  await answered(exchange.value.DELETE("/api/trading/mandates/{mandateId}", { params }));
  return { words: `${mandateId} is cancelled; its positions stay.` };
}
