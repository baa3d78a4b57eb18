// Accepting a protection: what it will cost to the cent, the terms in full, then the word.
// Invariant: nothing is bought before the terms were shown; a purchase in doubt says so.
import { answered, NoAnswer, type Schemas } from "@firstprint/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { holdings } from "../../parts/holdings.ts";
import { faultWords, Note, Shown } from "../../parts/note.tsx";
import { usePlace } from "../../parts/place-name.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { cents, day, dollars, monthWords } from "../../words.ts";
import { FUNDING_DAYS, installments, layerQuotes, limits, type Structure } from "./quote.ts";

type Quote = Schemas["Quote"];

async function readPreview(marketId: string, contracts: number, price: number) {
  const amount = contracts.toFixed(2);
  const order = { marketId, outcomeIndex: 0, side: "BUY", timeInForce: "IOC" } as const;
  const body = { ...order, amount, price };
  return (await answered(exchange.value.POST("/api/trading/orders/preview", { body }))).data;
}

const preview = new Question(readPreview, { freshSeconds: 3, isPrivate: true });

async function accept(quote: Quote, structure: Structure): Promise<Schemas["Acceptance"]> {
  const ask = exchange.value;
  const { data: known } = await answered(ask.GET("/api/limits"));
  const { data: time } = await answered(ask.GET("/api/time"));
  const terms =
    structure === "installments"
      ? { ...installments, aprBps: known.financing.aprBps }
      : structure === "at_funding"
        ? {
            aprBps: known.financing.carryAprBps,
            fundingAt: time.unixSeconds + FUNDING_DAYS * 86_400,
          }
        : {};
  const body = {
    marketId: quote.seriesMarketId ?? "",
    amount: quote.contracts.toFixed(2),
    limitPrice: quote.limitPrice,
    structure,
    ...terms,
  };
  return (await answered(ask.POST("/api/trading/acceptances", { body }))).data;
}

interface DialogProps {
  readonly quote: Quote;
  readonly structure: Structure;
  onClose(): void;
}

interface Trouble {
  readonly title: string;
  readonly words: string;
}

export function AcceptDialog({ quote, structure, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [accepted, setAccepted] = useState<Schemas["Acceptance"]>();
  const [trouble, setTrouble] = useState<Trouble>();
  const [isSending, setSending] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const send = async (): Promise<void> => {
    setSending(true);
    setTrouble(undefined);
    try {
      setAccepted(await accept(quote, structure));
    } catch (fault) {
      setTrouble(
        fault instanceof NoAnswer
          ? {
              title: "It is not known whether this was bought",
              words: "The exchange has not answered. Look at your portfolio before you try again.",
            }
          : { title: "Nothing was bought", words: faultWords(fault) },
      );
    } finally {
      setSending(false);
      for (const one of [holdings, layerQuotes, preview]) one.askAnew();
    }
  };
  return (
    <dialog ref={dialog} class="accept" onClose={onClose} aria-labelledby="accept-title">
      {accepted !== undefined ? (
        <Accepted acceptance={accepted} quote={quote} onClose={() => dialog.current?.close()} />
      ) : (
        <div class="stack">
          <h2 id="accept-title">Protect this home</h2>
          <Costs quote={quote} structure={structure} />
          <Terms quote={quote} />
          {trouble !== undefined && (
            <Note title={trouble.title} isBad>
              <p>{trouble.words}</p>
            </Note>
          )}
          <div class="row">
            <button type="button" class="button first" disabled={isSending} onClick={send}>
              Accept these terms
            </button>
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
              Not now
            </button>
          </div>
        </div>
      )}
    </dialog>
  );
}

function Costs({ quote, structure }: Omit<DialogProps, "onClose">) {
  const { seriesMarketId, contracts, limitPrice } = quote;
  const reading = useReading(preview, [seriesMarketId ?? "", contracts, limitPrice]);
  const known = useReading(limits, []);
  return (
    <Shown reading={reading} room="short">
      {({ orders, cost, fee, availableAfter }) => {
        const filled = Number(orders[0]?.order.filledAmount ?? 0);
        if (filled === 0)
          return (
            <Note title="Nobody sells this now">
              <p>Nothing would be bought at the model’s price. Try another layer or month.</p>
            </Note>
          );
        return (
          <dl class="pairs">
            <Pair name="Pays up to" words={dollars(filled)} />
            {filled < quote.contracts && (
              <Pair
                name="You asked for"
                words={`${dollars(quote.contracts)}, not all is for sale`}
              />
            )}
            <Pair name="Premium" words={cents(Number(cost))} />
            <Pair name="Fee" words={cents(Number(fee))} />
            {structure === "in_full" ? (
              <Pair name="Left in your account" words={cents(Number(availableAfter))} />
            ) : (
              <Pair
                name={structure === "installments" ? "Yearly rate" : "Carry, a year"}
                words={known.state === "ready" ? rateWords(known.data.financing, structure) : "…"}
              />
            )}
          </dl>
        );
      }}
    </Shown>
  );
}

const rateWords = (
  { aprBps, carryAprBps }: { readonly aprBps: number; readonly carryAprBps: number },
  structure: Structure,
): string => `${(structure === "installments" ? aprBps : carryAprBps) / 100}%`;

const Pair = ({ name, words }: { readonly name: string; readonly words: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="figures">{words}</dd>
  </div>
);

function Terms({ quote }: { readonly quote: Quote }) {
  const place = usePlace(quote.node);
  const name =
    place.state === "ready" ? `${place.data.name}, ${place.data.stateCode}` : quote.nodeName;
  return (
    <div class="terms">
      <h3>Terms</h3>
      <p>
        It is on the index of home values of {name}, from {monthWords(quote.asOfMonth)} to{" "}
        {monthWords(quote.expiry)}. It pays nothing for a fall of {quote.attachPct}% or less, all
        for {quote.exhaustPct}% or more, and in proportion between.
      </p>
      <p>
        The first print published for {monthWords(quote.expiry)} decides; later revisions do not
        count. The payout follows 72 hours after that print, unless somebody disputes it. If no
        print comes in time, the fallbacks of the market’s terms apply, and at the end every payment
        is reversed.
      </p>
      <p class="soft small">Series {quote.seriesMarketId}</p>
    </div>
  );
}

interface AcceptedProps {
  readonly acceptance: Schemas["Acceptance"];
  readonly quote: Quote;
  onClose(): void;
}

const Accepted = ({ acceptance, quote, onClose }: AcceptedProps) => (
  <div class="stack" role="status">
    <h2 id="accept-title">
      {acceptance.status === "not_filled" ? "Nothing was for sale" : "You are protected"}
    </h2>
    {acceptance.status === "not_filled" ? (
      <p>Nobody sold at the model’s price, and nothing is owed.</p>
    ) : (
      <>
        <p>
          Up to <strong>{dollars(Number(acceptance.coverage))}</strong> until{" "}
          {monthWords(quote.expiry)}, for a premium of {cents(Number(acceptance.premium))}.
        </p>
        {acceptance.payments.length > 0 && <Schedule acceptance={acceptance} />}
      </>
    )}
    <div class="row">
      <a class="button first" href="/portfolio">
        See it in your portfolio
      </a>
      <button type="button" class="button" onClick={onClose}>
        Close
      </button>
    </div>
  </div>
);

const Schedule = ({ acceptance }: { readonly acceptance: Schemas["Acceptance"] }) => (
  <div class="sheet">
    <table>
      <caption>Payments to come</caption>
      <tbody>
        {acceptance.payments.map(({ number, dueAt, amount }) => (
          <tr key={number}>
            <th scope="row">{day(dueAt)}</th>
            <td class="number">{cents(Number(amount))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
