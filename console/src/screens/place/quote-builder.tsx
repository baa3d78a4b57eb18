// The quote builder: a home's worth and a month give three layers, with what each costs and pays.
// Invariant: every figure shown belongs to the same worth, month and layer.
import type { Schemas } from "@firstprint/sdk";
import { useEffect, useState } from "preact/hooks";
import { Shown } from "../../parts/note.tsx";
import { coverageOf, deductibleOf, type Layer, layers } from "../../parts/protection.ts";
import { useReading } from "../../query.ts";
import { chanceWords, dollars, monthAfter, monthWords } from "../../words.ts";
import { AcceptPanel } from "./accept-panel.tsx";
import { ModelRecord } from "./model-record.tsx";
import { PastPayouts } from "./past-payouts.tsx";
import { PayoffDiagram, PayoffTable } from "./payoff-diagram.tsx";
import { type LayerQuote, layerQuotes } from "./quote.ts";

const terms = [6, 12, 18, 24, 36];
const PAUSE_MILLIS = 300;
const LEAST_WORTH = 1_000;
const MOST_WORTH = 100_000_000;

interface BuilderProps {
  readonly nodeId: string;
  readonly value: Schemas["IndexValue"];
}

/** The typed text as a number of dollars; undefined where it is none that can be asked about. */
function worthOf(text: string): number | undefined {
  const worth = Number(text.replaceAll(/[$,\s]/g, ""));
  return worth >= LEAST_WORTH && worth <= MOST_WORTH ? Math.round(worth) : undefined;
}

function useWorth(first: number) {
  const [text, setText] = useState(first.toLocaleString("en-US"));
  const [worth, setWorth] = useState(first);
  const typed = worthOf(text);
  useEffect(() => {
    if (typed === undefined) return undefined;
    const timer = setTimeout(() => setWorth(typed), PAUSE_MILLIS);
    return () => clearTimeout(timer);
  }, [typed]);
  return { text, setText, worth, isWrong: typed === undefined };
}

export function QuoteBuilder({ nodeId, value }: BuilderProps) {
  const home = useWorth(Math.round(value.value / 10_000) * 10_000 || LEAST_WORTH);
  const [months, setMonths] = useState(12);
  const [chosen, setChosen] = useState(0);
  const expiry = monthAfter(value.asOfMonth, months);
  const asked = { nodeId, expiry, worth: home.worth };
  const reading = useReading(layerQuotes, [asked, layers], { keepsLast: true });
  const layer = layers[chosen] ?? layers[0];
  if (layer === undefined) return null;
  const coverage = coverageOf(home.worth, layer);
  return (
    <section class="builder card" aria-labelledby="builder">
      <div class="builder-head">
        <h2 id="builder">Protect a home here</h2>
        <div class="row builder-fields">
          <label class="field">
            <span>Your home is worth</span>
            <input
              inputMode="numeric"
              value={home.text}
              aria-invalid={home.isWrong}
              onInput={(event) => home.setText(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>Protected until</span>
            <select
              value={months}
              onChange={(event) => setMonths(Number(event.currentTarget.value))}
            >
              {terms.map((one) => (
                <option key={one} value={one}>
                  {monthWords(monthAfter(value.asOfMonth, one))} ({one} months)
                </option>
              ))}
            </select>
          </label>
        </div>
        {home.isWrong && <WrongWorth />}
      </div>
      <Shown reading={reading} room="short">
        {(quotes) => (
          <LayerCards quotes={quotes} worth={home.worth} chosen={chosen} onChoose={setChosen} />
        )}
      </Shown>
      <div class="builder-body">
        <div class="stack">
          <h3>What it pays</h3>
          <PayoffDiagram
            layer={layer}
            worth={home.worth}
            coverage={coverage}
            lastYear={value.yoy ?? undefined}
          />
          <PayoffTable layer={layer} worth={home.worth} coverage={coverage} />
        </div>
        <div class="stack">
          <h3>What it costs</h3>
          <Shown reading={reading} room="short">
            {(quotes) => <AcceptPanel quote={quotes[chosen]} expiry={expiry} />}
          </Shown>
          <PastPayouts nodeId={nodeId} months={months} layer={layer} coverage={coverage} />
          <ModelRecord months={months} layer={chosen} />
          <NotCovered layer={layer} worth={home.worth} />
        </div>
      </div>
    </section>
  );
}

const WrongWorth = () => (
  <p class="bad-words" role="alert">
    Write an amount between {dollars(LEAST_WORTH)} and {dollars(MOST_WORTH)}.
  </p>
);

interface CardsProps {
  readonly quotes: readonly LayerQuote[];
  readonly worth: number;
  readonly chosen: number;
  onChoose(index: number): void;
}

const names = ["The first fall", "A deeper fall", "A deep fall"];

const LayerCards = ({ quotes, worth, chosen, onChoose }: CardsProps) => (
  <fieldset class="layers">
    <legend class="unseen">How far a fall is covered</legend>
    {quotes.map((one, index) => (
      <label key={one.layer.attach} class="layer">
        <input
          type="radio"
          name="layer"
          checked={index === chosen}
          onChange={() => onChoose(index)}
        />
        <span class="layer-name">{names[index]}</span>
        <span class="soft small">
          from {one.layer.attach}% to {one.layer.exhaust}%
        </span>
        {"quote" in one ? (
          <>
            <span class="layer-price figures">{dollars(one.quote.premiumUsd)}</span>
            <span class="small">
              pays up to <strong class="figures">{dollars(one.quote.maxPayoutUsd)}</strong>
            </span>
            <span class="soft small">pays anything: {chanceWords(one.quote.anyClaimProb)}</span>
            <span class="soft small">
              you bear the first {dollars(deductibleOf(worth, one.layer))}
            </span>
          </>
        ) : (
          <span class="soft small">{one.why}</span>
        )}
      </label>
    ))}
  </fieldset>
);

const NotCovered = ({ layer, worth }: { readonly layer: Layer; readonly worth: number }) => (
  <details>
    <summary>What is not covered</summary>
    <ul class="plain-list">
      <li>
        Falls of up to {layer.attach}%: the first {dollars(deductibleOf(worth, layer))} are yours.
      </li>
      <li>Your own house: only the published index of the place counts.</li>
      <li>Damage, repairs, and the costs of selling.</li>
      <li>Later corrections: the first number published is final.</li>
      <li>A fall that recovers before the month that is measured.</li>
    </ul>
  </details>
);
