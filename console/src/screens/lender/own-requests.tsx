// The account's requests for quotes: what came in for each, and the way to take one.
// Invariant: a quote is taken only after its whole cost was shown beside it.
import { answered } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { holdings } from "../../parts/holdings.ts";
import { faultWords, Note, Shown } from "../../parts/note.tsx";
import { type Rfq, type RfqQuote, rfq, rfqState, rfqs, totalOf } from "../../parts/rfq.ts";
import { useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { cents, dollars, percent, time } from "../../words.ts";

const MOST_SHOWN = 5;

export function OwnRequests() {
  const reading = useReading(rfqs, []);
  return (
    <section class="card" aria-labelledby="requests">
      <h2 id="requests">Your requests for quotes</h2>
      <Shown reading={reading} room="short">
        {(all) => {
          const own = all.filter(({ isOwn }) => isOwn).slice(0, MOST_SHOWN);
          return own.length === 0 ? (
            <Note title="You have asked for no quotes">
              <p>A request asks every maker for one price of a whole basket.</p>
            </Note>
          ) : (
            own.map(({ id }) => <Request key={id} id={id} />)
          );
        }}
      </Shown>
    </section>
  );
}

function Request({ id }: { readonly id: string }) {
  const reading = useReading(rfq, [id], { keepsLast: true });
  const [said, setSaid] = useState<{ readonly words: string; readonly isBad?: boolean }>();
  const accept = async ({ id: quoteId }: RfqQuote): Promise<void> => {
    const params = { path: { rfqId: id } };
    const asked = exchange.value.POST("/api/trading/rfqs/{rfqId}/accept", {
      ...{ params, body: { quoteId } },
    });
    setSaid(
      await answered(asked).then(
        ({ data: { fills } }) => {
          const cost = fills.reduce((sum, one) => sum + Number(one.amount) * one.price, 0);
          return { words: `Bought: ${fills.length} legs for ${cents(cost)}, before the fee.` };
        },
        (fault: unknown) => ({ words: faultWords(fault), isBad: true }),
      ),
    );
    for (const question of [rfq, rfqs, holdings]) question.askAnew();
  };
  return (
    <article class="request" aria-label={`Request ${id}`}>
      <Shown reading={reading} room="short">
        {(request) => <Told request={request} onAccept={accept} />}
      </Shown>
      <p class={said?.isBad === true ? "bad-words" : "good-words"} role="status">
        {said?.words ?? ""}
      </p>
    </article>
  );
}

interface ToldProps {
  readonly request: Rfq;
  onAccept(quote: RfqQuote): Promise<void>;
}

function Told({ request, onAccept }: ToldProps) {
  const { id, legCount, coverage, closesAt, quotes, status, counterparty } = request;
  const isOpen = status === "open" || status === "closed";
  const best = quotes.toSorted((a, b) => totalOf(request, a) - totalOf(request, b));
  return (
    <>
      <p class="row apart">
        <strong>
          {id}: {legCount} {legCount === 1 ? "leg" : "legs"}, {dollars(Number(coverage))}
        </strong>
        <span class="tag">
          {rfqState(request)}
          {status === "open" && ` until ${time(closesAt)}`}
        </span>
      </p>
      {counterparty !== null && <p class="small">The other side is {counterparty}.</p>}
      {quotes.length === 0 ? (
        <p class="soft small">
          {isOpen ? "No maker has answered yet; this page looks by itself." : "Nobody answered."}
        </p>
      ) : (
        <div class="sheet">
          <table class="stacked">
            <caption>Quotes for all legs together, the cheapest first</caption>
            <thead>
              <tr>
                <th scope="col">Quote</th>
                <th scope="col" class="number">
                  Cost
                </th>
                <th scope="col" class="number">
                  Of the protection
                </th>
                <th scope="col">Holds until</th>
                <th scope="col">
                  <span class="unseen">Take it</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {best.map((quote) => (
                <QuoteRow key={quote.id} request={request} quote={quote} onAccept={onAccept} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

interface RowProps extends ToldProps {
  readonly quote: RfqQuote;
}

function QuoteRow({ request, quote, onAccept }: RowProps) {
  const cost = totalOf(request, quote);
  const isOpen = request.status === "open" || request.status === "closed";
  return (
    <tr>
      <th scope="row">{quote.id}</th>
      <td class="number" data-name="Cost">
        {cents(cost)}
      </td>
      <td class="number" data-name="Of the protection">
        {percent((100 * cost) / Number(request.coverage))}
      </td>
      <td data-name="Holds until">{time(quote.validUntil)}</td>
      <td>
        {isOpen && quote.status === "open" ? (
          <button type="button" class="button slim first" onClick={() => void onAccept(quote)}>
            Accept for {cents(cost)}
          </button>
        ) : (
          <span class="tag">{quote.status === "filled" ? "taken" : "over"}</span>
        )}
      </td>
    </tr>
  );
}
