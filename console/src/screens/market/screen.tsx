// A market as a trader sees it: terms, book, trades, the way to its payout, and the ticket.
// Invariant: prices are of the protection; the other side is called the seller's.
import "./market.css";
import { useRoute } from "preact-iso";
import { market, resolution, type Market as Terms } from "../../parts/market.ts";
import { auctionWords, indexWords, paysFor, stateWords } from "../../parts/market-words.ts";
import { Note, Shown } from "../../parts/note.tsx";
import { PlaceName, usePlace } from "../../parts/place-name.tsx";
import { termsWords } from "../../parts/terms-words.ts";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import { amount, monthWords, percent, price } from "../../words.ts";
import { Book } from "./book.tsx";
import { Ticket } from "./ticket.tsx";
import { Timeline } from "./timeline.tsx";
import { Trades } from "./trades.tsx";

export default function MarketScreen() {
  const id = decodeURIComponent(useRoute().params.id ?? "");
  useTitle(`Market ${id}`);
  const reading = useReading(market, [id]);
  if (reading.state === "failed")
    return (
      <Note title="There is no such market" isScreen>
        <p>
          The exchange lists no market “{id}”. <a href="/">Open markets stand on the first page.</a>
        </p>
      </Note>
    );
  return (
    <Shown reading={reading} room="tall">
      {(terms) => (
        <div class="market">
          <Head terms={terms} />
          <div class="market-left">
            <Book terms={terms} />
            <Trades terms={terms} />
            <TermsCard terms={terms} />
          </div>
          <div class="market-right">
            <Ticket terms={terms} />
            <Resolution terms={terms} />
          </div>
        </div>
      )}
    </Shown>
  );
}

const bases: Readonly<Record<Terms["outcomes"][number]["priceBasis"], string>> = {
  book: "between the best orders",
  trade: "of the last trade",
  mark: "of the model",
  payout: "the payout",
};

function Head({ terms }: { readonly terms: Terms }) {
  const protection = terms.outcomes[0];
  return (
    <header class="market-head">
      <div>
        <p class="small">
          <a href={`/place/${terms.geoNodeId}`}>
            <PlaceName id={terms.geoNodeId} />
          </a>{" "}
          <span class="soft">{terms.frontendId}</span> <span class="tag">{stateWords(terms)}</span>
        </p>
        <h1>
          Pays for {paysFor(terms)} of {indexWords(terms.metricType)} by{" "}
          {monthWords(terms.measurementMonth)}
        </h1>
        {terms.reason !== null && <p class="soft">{terms.reason}</p>}
        {auctionWords(terms) !== undefined && <p class="soft">{auctionWords(terms)}</p>}
      </div>
      {protection !== undefined && (
        <p class="market-price">
          <span class="big figures">{percent(100 * protection.price)}</span>
          <span class="soft small">of coverage, {bases[protection.priceBasis]}</span>
        </p>
      )}
    </header>
  );
}

const Resolution = ({ terms }: { readonly terms: Terms }) => {
  const reading = useReading(resolution, [terms.id]);
  return (
    <section class="card" aria-labelledby="resolution">
      <h2 id="resolution">The way to its payout</h2>
      <Shown reading={reading} room="short">
        {(status) => <Timeline terms={terms} status={status} />}
      </Shown>
    </section>
  );
};

function TermsCard({ terms }: { readonly terms: Terms }) {
  const place = usePlace(terms.geoNodeId);
  const { resting, providers, spread } = terms.liquidity;
  return (
    <section class="card" aria-labelledby="terms">
      <h2 id="terms">Terms</h2>
      <p class="small">
        {termsWords(terms.description)
          .replaceAll(/\bYES\b/g, "protection (YES)")
          .replaceAll(/\bNO\b/g, "the seller’s side (NO)")}
      </p>
      <p class="source">{terms.attribution}.</p>
      <p class="small print-links">
        <a href={`/terms/${terms.id}`}>To print: the terms</a>
        {terms.resolution !== null && (
          <>
            , <a href={`/certificate/${terms.frontendId}`}>the certificate</a>
          </>
        )}
      </p>
      <details>
        <summary>As data</summary>
        <dl class="pairs small">
          <Pair name="Series" words={terms.id} />
          <Pair name="Place" words={place.state === "ready" ? place.data.id : terms.geoNodeId} />
          <Pair name="Metric" words={terms.metricType} />
          <Pair name="Resting near the mark" words={amount(resting)} />
          <Pair name="Providers" words={String(providers)} />
          <Pair name="Spread" words={spread === null ? "–" : price(spread)} />
          <Pair name="Hash of the terms" words={terms.termsHash} />
        </dl>
      </details>
    </section>
  );
}

const Pair = ({ name, words }: { readonly name: string; readonly words: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="figures">{words}</dd>
  </div>
);
