// The basket with its model price, the worst places first, and the two ways to buy it at once.
// Invariant: what is asked for or ordered is exactly what is listed.
import { useState } from "preact/hooks";
import { holdings } from "../../parts/holdings.ts";
import { faultWords, Note, Shown } from "../../parts/note.tsx";
import type { Layer } from "../../parts/protection.ts";
import { readTime, rfqs } from "../../parts/rfq.ts";
import { Question, useReading } from "../../query.ts";
import { amount, cents, chanceWords, dollars, monthWords, percent } from "../../words.ts";
import { askForQuotes, type Basket, basketOf, type Left, orderAll, premiumOf } from "./basket.ts";
import type { Exposure } from "./exposure.ts";

const basket = new Question(basketOf, { freshSeconds: 60 });

interface PanelProps {
  readonly exposures: readonly Exposure[];
  readonly layer: Layer;
}

export function BasketPanel({ exposures, layer }: PanelProps) {
  const [months, setMonths] = useState(12);
  const isEmpty = exposures.every(({ coverage }) => coverage < 1);
  const given = [exposures, layer, months] as const;
  const reading = useReading(basket, isEmpty ? undefined : [...given]);
  return (
    <section class="card" aria-labelledby="basket">
      <h2 id="basket">The basket that protects it</h2>
      <label class="field months">
        <span>For how long</span>
        <select
          value={months}
          onChange={({ currentTarget: { value } }) => setMonths(Number(value))}
        >
          {[6, 12, 18, 24, 36].map((one) => (
            <option key={one} value={one}>
              {one} months
            </option>
          ))}
        </select>
      </label>
      {isEmpty ? (
        <Note title="Nothing to protect in this layer">
          <p>No loan of the file loses between these falls. Choose a deeper one.</p>
        </Note>
      ) : (
        <Shown reading={reading} room="tall">
          {(found) => (
            <>
              <Legs basket={found} />
              <LeftOut left={found.left} />
              {found.legs.length > 0 && <Buy basket={found} />}
            </>
          )}
        </Shown>
      )}
    </section>
  );
}

const WORST = 10;

function Legs({ basket: found }: { readonly basket: Basket }) {
  const { legs, expiry, layer, attribution } = found;
  const [isWhole, setWhole] = useState(false);
  const total = legs.reduce((sum, { coverage }) => sum + coverage, 0);
  return (
    <>
      <p>
        {legs.length} {legs.length === 1 ? "leg" : "legs"}, {dollars(total)} of protection for{" "}
        {cents(premiumOf(found))} at the model’s prices ({percent((100 * premiumOf(found)) / total)}
        ): each pays for a fall of home values from {layer.attach}% to {layer.exhaust}% by{" "}
        {monthWords(expiry)}.
      </p>
      <section class="sheet" aria-label="Legs">
        <table class="stacked">
          <caption>Where you lose most, first</caption>
          <thead>
            <tr>
              <th scope="col">Zip code</th>
              <th scope="col" class="number">
                Loans
              </th>
              <th scope="col" class="number">
                Owed
              </th>
              <th scope="col" class="number">
                Protection
              </th>
              <th scope="col">Chance that it pays</th>
              <th scope="col" class="number">
                Model’s price
              </th>
            </tr>
          </thead>
          <tbody>
            {legs.slice(0, isWhole ? legs.length : WORST).map((leg) => (
              <tr key={leg.zip}>
                <th scope="row">
                  <a href={`/place/${leg.place}`}>{leg.zip}</a>
                </th>
                <td class="number" data-name="Loans">
                  {amount(leg.loans)}
                </td>
                <td class="number" data-name="Owed">
                  {dollars(leg.balance)}
                </td>
                <td class="number" data-name="Protection">
                  {dollars(leg.coverage)}
                </td>
                <td data-name="Chance that it pays">{chanceWords(leg.quote.anyClaimProb)}</td>
                <td class="number" data-name="Model’s price">
                  {cents(leg.quote.premiumUsd)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {legs.length > WORST && !isWhole && (
        <button type="button" class="button slim whole-basket" onClick={() => setWhole(true)}>
          Show all {legs.length}
        </button>
      )}
      <p class="source">Reference prices of the model, which nobody has to take. {attribution}.</p>
    </>
  );
}

const LeftOut = ({ left }: { readonly left: readonly Left[] }) =>
  left.length === 0 ? null : (
    <div class="note">
      <strong>
        {left.length === 1 ? "1 zip code is" : `${left.length} zip codes are`} not in the basket
      </strong>
      <ul class="small">
        {left.map(({ zip, coverage, why }) => (
          <li key={zip}>
            {zip}, {dollars(coverage)}: {why}
          </li>
        ))}
      </ul>
    </div>
  );

const waits = [
  [600, "10 minutes"],
  [3_600, "an hour"],
  [86_400, "a day"],
] as const;

function Buy({ basket: found }: { readonly basket: Basket }) {
  const [seconds, setSeconds] = useState(3_600);
  const [said, setSaid] = useState<{ readonly words: string; readonly isBad?: boolean }>();
  const [isBusy, setBusy] = useState(false);
  const act = async (does: () => Promise<string>): Promise<void> => {
    setBusy(true);
    setSaid(
      await does().then(
        (words) => ({ words }),
        (fault: unknown) => ({ words: faultWords(fault), isBad: true }),
      ),
    );
    for (const question of [rfqs, holdings]) question.askAnew();
    setBusy(false);
  };
  const ask = (): Promise<void> =>
    act(async () => {
      const id = await askForQuotes(found, (await readTime()) + seconds);
      return `Request ${id} is open: makers see its legs, not your name.`;
    });
  const order = (): Promise<void> =>
    act(async () => {
      const orders = await orderAll(found);
      const filled = orders.filter(({ status }) => status === "FILLED").length;
      return `${orders.length} orders are placed; ${filled} are filled, the others rest.`;
    });
  return (
    <div class="buy">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <label class="field">
          <span>Makers may answer for</span>
          <select
            value={seconds}
            onChange={({ currentTarget: { value } }) => setSeconds(Number(value))}
          >
            {waits.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="button first" disabled={isBusy}>
          Ask for one price
        </button>
        {found.noBatch === undefined && (
          <button type="button" class="button" disabled={isBusy} onClick={() => void order()}>
            Or place {found.legs.length} orders at the model’s prices
          </button>
        )}
      </form>
      {found.noBatch !== undefined && (
        <p class="small soft">
          {found.noBatch} So no orders are offered; makers who are asked for one price answer for
          every leg.
        </p>
      )}
      <p class={said?.isBad === true ? "bad-words" : "good-words"} role="status">
        {said?.words ?? ""}
      </p>
    </div>
  );
}
