// The cost of the chosen protection: by the model, for sale now, and in each way to pay.
// Invariant: a monthly amount is called an estimate until the exchange has said it.
import type { Schemas } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { isAsked } from "../../parts/key-asked.ts";
import { levelPayment } from "../../parts/protection.ts";
import { useReading } from "../../query.ts";
import { isSignedIn } from "../../session.ts";
import { cents, chanceWords, dollars, monthWords } from "../../words.ts";
import { AcceptDialog } from "./accept-dialog.tsx";
import { FUNDING_DAYS, installments, type LayerQuote, limits, type Structure } from "./quote.ts";

interface PanelProps {
  readonly quote: LayerQuote | undefined;
  readonly expiry: string;
}

export function AcceptPanel({ quote: chosen, expiry }: PanelProps) {
  const [structure, setStructure] = useState<Structure>("in_full");
  const [isAccepting, setAccepting] = useState(false);
  const quote = chosen !== undefined && "quote" in chosen ? chosen.quote : undefined;
  if (chosen !== undefined && "why" in chosen) return <p class="soft">{chosen.why}</p>;
  if (quote === undefined) return null;
  const accept = (): void => {
    if (isSignedIn.value) setAccepting(true);
    else isAsked.value = true;
  };
  return (
    <div class="costs">
      <WaysToPay premium={quote.premiumUsd} structure={structure} onChoose={setStructure} />
      <p class="small">
        The model sees {chanceWords(quote.anyClaimProb)} that anything is paid by{" "}
        {monthWords(expiry)}, and {chanceWords(quote.fullLimitProb)} that all of it is.
      </p>
      {quote.seriesMarketId === null ? (
        <p class="soft">This layer is priced, but not traded.</p>
      ) : (
        <>
          <ForSaleNow quote={quote} />
          <button type="button" class="button first" onClick={accept}>
            Protect this home
          </button>
        </>
      )}
      <p class="source">A reference price of the model, not a firm offer. {quote.attribution}.</p>
      {isAccepting && (
        <AcceptDialog
          quote={quote}
          structure={structure}
          onClose={() => {
            setAccepting(false);
          }}
        />
      )}
    </div>
  );
}

interface WaysProps {
  readonly premium: number;
  readonly structure: Structure;
  onChoose(structure: Structure): void;
}

function WaysToPay({ premium, structure, onChoose }: WaysProps) {
  const reading = useReading(limits, []);
  const financing = reading.state === "ready" ? reading.data.financing : undefined;
  const lent = premium * (1 - installments.downPaymentBps / 10_000);
  const monthly = levelPayment(lent, financing?.aprBps ?? 0, installments.months);
  const carry = (premium * (financing?.carryAprBps ?? 0) * FUNDING_DAYS) / 10_000 / 365;
  const ways = [
    { way: "in_full", name: "Now", words: cents(premium), more: "in full, plus a small fee" },
    {
      way: "installments",
      name: "Monthly",
      words: `about ${cents(monthly)}`,
      more: `a month for ${installments.months} months, after ${cents(premium - lent)} now`,
    },
    {
      way: "at_funding",
      name: "At funding",
      words: `about ${cents(premium + carry)}`,
      more: `in ${FUNDING_DAYS} days, owed whatever happens`,
    },
  ] as const;
  return (
    <fieldset class="ways">
      <legend class="unseen">How to pay</legend>
      {ways.map(({ way, name, words, more }) => (
        <label key={way} class="way">
          <input
            type="radio"
            name="structure"
            checked={way === structure}
            onChange={() => onChoose(way)}
          />
          <span class="way-name">{name}</span>
          <strong class="figures">{words}</strong>
          <span class="soft small">{more}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The firm offers now, which may be for less than the coverage, or dearer than the model. */
function ForSaleNow({ quote }: { readonly quote: Schemas["Quote"] }) {
  const { firm, limitPrice, contracts } = quote;
  if (firm === null)
    return (
      <p class="for-sale">
        <strong>Nobody sells this now.</strong> The first seller’s offer makes it available; the
        price above is the model’s.
      </p>
    );
  const offered = Number(firm.amount);
  const cost = <strong class="figures">{cents(offered * firm.price)}</strong>;
  if (firm.price > limitPrice)
    return (
      <p class="for-sale">
        <strong>Sellers ask more than the model’s price now</strong>: {dollars(offered)} of coverage
        cost up to {cost}. This page buys at the model’s price only.
      </p>
    );
  return (
    <p class="for-sale">
      {offered < contracts ? (
        <>
          <strong>{dollars(offered)}</strong> of the {dollars(contracts)} are for sale now, for at
          most {cost}.
        </>
      ) : (
        <>
          All of it is for sale now, for at most {cost}
          {firm.price < limitPrice && ": sellers ask less than the model"}.
        </>
      )}
    </p>
  );
}
