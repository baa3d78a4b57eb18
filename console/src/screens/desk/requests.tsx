// Requests for quotes that others have made: their legs beside the model's prices, and an answer.
// Invariant: the price of the whole and the cash that it holds back are shown before it is sent.
import { answered, type Schemas } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { holdings } from "../../parts/holdings.ts";
import { faultWords, Note, Shown } from "../../parts/note.tsx";
import { type Rfq, readTime, rfq, rfqState, rfqs, totalOf } from "../../parts/rfq.ts";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { cents, dollars, layerOf, monthWords, price, time } from "../../words.ts";

export function Requests() {
  const reading = useReading(rfqs, []);
  return (
    <section class="card" aria-labelledby="rfqs">
      <h2 id="rfqs">Requests for quotes</h2>
      <Shown reading={reading} room="short">
        {(all) => {
          const open = all.filter(({ isOwn, status }) => !isOwn && status === "open");
          return open.length === 0 ? (
            <Note title="Nobody asks for quotes now">
              <p>A request for a basket of places appears here as soon as it is made.</p>
            </Note>
          ) : (
            open.map(({ id }) => <Request key={id} id={id} />)
          );
        }}
      </Shown>
    </section>
  );
}

type Leg = Rfq["legs"][number];

/** Undefined of what the model is not asked about here: levels. */
function questionOf({ marketId, index, place, measurementMonth, amount }: Leg) {
  const layer = layerOf(marketId);
  const strike = /\.K(\d{4})$/.exec(marketId)?.[1];
  const payoff =
    layer === undefined
      ? ({ kind: "binary", strikeBps: Number(strike) } as const)
      : ({ kind: "layered", attachBps: layer[0] * 100, exhaustBps: layer[1] * 100 } as const);
  const asked = { node: place, expiry: measurementMonth, notional: Number(amount) };
  const kind = index === "zori" ? "zori" : "zhvi";
  return layer === undefined && strike === undefined
    ? undefined
    : ({ ...asked, index: kind, ...payoff } as const);
}

/** The model's price of each leg, in their order; null where it has none. */
const modelPrices = new Question(
  async (legs: readonly Leg[]): Promise<readonly (number | null)[]> => {
    const questions = legs.map(questionOf);
    const quotes = questions.filter((one) => one !== undefined);
    if (quotes.length < legs.length) return legs.map(() => null);
    const { data } = await answered(exchange.value.POST("/api/quotes/bulk", { body: { quotes } }));
    return legs.map((_, at) => data[at]?.quote?.price ?? null);
  },
  { freshSeconds: 60 },
);

function Request({ id }: { readonly id: string }) {
  const reading = useReading(rfq, [id], { keepsLast: true });
  return (
    <article class="request" aria-label={`Request ${id}`}>
      <Shown reading={reading} room="short">
        {(request) => <Told request={request} />}
      </Shown>
    </article>
  );
}

function Told({ request }: { readonly request: Rfq }) {
  const { id, side, legCount, coverage, closesAt, legs, quotes } = request;
  const prices = useReading(modelPrices, [legs]);
  const [own] = quotes;
  return (
    <>
      <p class="row apart">
        <strong>
          {id}: somebody {side === "BUY" ? "buys" : "sells"} {dollars(Number(coverage))} in{" "}
          {legCount} {legCount === 1 ? "leg" : "legs"}
        </strong>
        <span class="tag">
          {rfqState(request)} until {time(closesAt)}
        </span>
      </p>
      <Shown reading={prices} room="short">
        {(model) => (
          <>
            <Legs legs={legs} model={model} />
            {own === undefined ? (
              <Answer request={request} model={model} />
            ) : (
              <p class="good-words" role="status">
                Your quote {own.id}: {cents(totalOf(request, own))} for all, firm until{" "}
                {time(own.validUntil)}; it holds back {cents(Number(own.reserved ?? 0))}.
              </p>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

interface LegsProps {
  readonly legs: readonly Leg[];
  readonly model: readonly (number | null)[];
}

const Legs = ({ legs, model }: LegsProps) => (
  <details>
    <summary>The legs and the model’s prices</summary>
    <div class="sheet">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Leg</th>
            <th scope="col">Measured</th>
            <th scope="col" class="number">
              Contracts
            </th>
            <th scope="col" class="number">
              Model
            </th>
          </tr>
        </thead>
        <tbody>
          {legs.map(({ marketId, place, measurementMonth, amount }, at) => (
            <tr key={marketId}>
              <th scope="row">
                {place.replace(":", " ")} {marketId.split(".").at(-1)}
              </th>
              <td data-name="Measured">{monthWords(measurementMonth)}</td>
              <td class="number" data-name="Contracts">
                {amount}
              </td>
              <td class="number" data-name="Model">
                {model[at] === null || model[at] === undefined ? "–" : price(model[at])}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);

interface AnswerProps {
  readonly request: Rfq;
  readonly model: readonly (number | null)[];
}

const TICKS = 10_000;
const HOLDS_SECONDS = 3_600;

/** Each leg's price on the grid: the model's, and so many steps in the maker's favour. */
function pricesOf(model: readonly (number | null)[], steps: number, isSale: boolean) {
  return model.map((one) => {
    const ticks = Math.round((one ?? 0) * TICKS) + (isSale ? steps : -steps);
    return Math.min(Math.max(ticks, 1), TICKS - 1) / TICKS;
  });
}

function Answer({ request, model }: AnswerProps) {
  const [steps, setSteps] = useState(100);
  const [said, setSaid] = useState("");
  const [isSending, setSending] = useState(false);
  // The requester's purchase is the maker's sale.
  const isSale = request.side === "BUY";
  if (model.some((one) => one === null))
    return <p class="soft small">The model has no price for every leg: quote it by the API.</p>;
  const prices = pricesOf(model, steps, isSale);
  const total = totalOf(request, { prices });
  const held = isSale ? Number(request.coverage) - total : total;
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSending(true);
    setSaid(await quote(request, prices).then(() => "", faultWords));
    for (const question of [rfq, rfqs, holdings]) question.askAnew();
    setSending(false);
  };
  return (
    <form class="row" onSubmit={send}>
      <label class="field">
        <span>{isSale ? "Above" : "Below"} the model, in .0001 a leg</span>
        <input
          type="number"
          min={0}
          max={TICKS - 1}
          value={steps}
          required
          onInput={({ currentTarget: { valueAsNumber: value } }) =>
            setSteps(Number.isInteger(value) ? value : 0)
          }
        />
      </label>
      <button type="submit" class="button" disabled={isSending}>
        Quote {cents(total)} for all
      </button>
      <span class="small soft">
        Firm for an hour after the request closes; it holds back {cents(held)} until then.
      </span>
      <p class="bad-words" role="status">
        {said}
      </p>
    </form>
  );
}

/** Firm: no command takes it back. */
async function quote(
  { id, closesAt }: Rfq,
  prices: readonly number[],
): Promise<Schemas["RfqQuote"]> {
  const now = await readTime();
  const body = {
    prices: prices.map(price),
    validUntil: Math.max(now, closesAt) + HOLDS_SECONDS,
  };
  const params = { path: { rfqId: id } };
  const asked = exchange.value.POST("/api/trading/rfqs/{rfqId}/quotes", { params, body });
  return (await answered(asked)).data;
}
