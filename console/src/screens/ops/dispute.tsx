// A disputed resolution: the claim, what the print paid, and the words that decide it.
// Invariant: agreeing repeats a word exactly, its evidence included; another choice stands beside it.
import { answered } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { AccountName } from "../../parts/account-name.tsx";
import { PlaceName } from "../../parts/place-name.tsx";
import { exchange } from "../../session.ts";
import { cents, monthWords, percent } from "../../words.ts";
import { act, Word } from "./acting.tsx";
import type { ItemOf } from "./queue.ts";

type DisputeOf = ItemOf<"dispute">;

interface Decision {
  readonly decision: "uphold" | "amend";
  readonly value?: string;
  readonly evidence?: string;
}

async function decide(marketId: string, body: Decision): Promise<string> {
  const params = { path: { id: marketId } };
  const asked = exchange.value.POST("/api/admin/markets/{id}/dispute-decision", { params, body });
  const { data } = await answered(asked);
  return data.disputed
    ? `Your word on ${data.frontendId} is kept. Another person has to give the second.`
    : `The dispute of ${data.frontendId} is decided.`;
}

export function DisputeItem({ item }: { readonly item: DisputeOf }) {
  const { dispute, resolution, words } = item;
  const { frontendId, geoNodeId, measurementMonth, decline, payoutFraction } = resolution;
  return (
    <>
      <h3>
        <a href={`/market/${frontendId}`}>
          <PlaceName id={geoNodeId} />
        </a>
        , {monthWords(measurementMonth)}
      </h3>
      <p>“{dispute.reason}”</p>
      <p class="small soft">
        By <AccountName id={dispute.openedBy} />, with a bond of {cents(Number(dispute.bond))}
        {dispute.evidence === null ? "; no evidence was given." : `; see ${dispute.evidence}`}
      </p>
      <p class="small">
        {decline !== null && `The first print says ${fallWords(Number(decline))}. `}
        {payoutFraction != null && `It pays ${percent(100 * payoutFraction)} of the coverage. `}
        <span class="source">{resolution.attribution}.</span>
      </p>
      {words.map((word) => (
        <div class="row" key={`${word.by} ${word.decision}`}>
          <Word
            label={`Agree: ${word.decision === "uphold" ? "it stands" : `amend it to ${word.amendTo ?? "no step"}`}`}
            what={`Deciding ${frontendId}`}
            isFirst
            isDisabled={word.isYours}
            give={() =>
              decide(frontendId, {
                decision: word.decision === "uphold" ? "uphold" : "amend",
                ...(word.amendTo === undefined ? {} : { value: word.amendTo }),
                ...(word.evidence === undefined ? {} : { evidence: word.evidence }),
              })
            }
          />
        </div>
      ))}
      <FirstWord item={item} />
    </>
  );
}

const fallWords = (decline: number): string =>
  decline > 0 ? `a fall of ${percent(decline)}` : `a rise of ${percent(-decline)}`;

function FirstWord({ item: { resolution } }: { readonly item: DisputeOf }) {
  const [value, setValue] = useState("");
  const { frontendId, fallback } = resolution;
  const what = `Deciding ${frontendId}`;
  const amend = (event: Event): void => {
    event.preventDefault();
    const amended = fallback === null ? { value: value.trim() } : {};
    void act(what, () => decide(frontendId, { decision: "amend", ...amended }));
  };
  return (
    <>
      <div class="row">
        <Word
          label="It stands: give the first word"
          what={what}
          isFirst
          give={() => decide(frontendId, { decision: "uphold" })}
        />
      </div>
      <details class="reasoned">
        <summary>Amend it…</summary>
        <form class="stack" onSubmit={amend}>
          {fallback === null ? (
            <label class="field">
              <span>The value as it was first published</span>
              <input
                inputMode="decimal"
                value={value}
                required
                onInput={(event) => setValue(event.currentTarget.value)}
              />
            </label>
          ) : (
            <p class="small">The step of the fallback is undone, and the market waits again.</p>
          )}
          <div class="row">
            <button type="submit" class="button">
              Give the first word to amend it
            </button>
          </div>
        </form>
      </details>
    </>
  );
}
