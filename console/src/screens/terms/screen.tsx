// The terms of a series on one sheet: what pays, from which number, and what if none comes.
// Invariant: amounts and sentences are those of the listed market; nothing here is an offer.
import { useRoute } from "preact-iso";
import { type Market, market } from "../../parts/market.ts";
import { indexWords, paysFor, stateWords } from "../../parts/market-words.ts";
import { Note, Shown } from "../../parts/note.tsx";
import { placeWords, usePlace } from "../../parts/place-name.tsx";
import { paidShare } from "../../parts/protection.ts";
import { Fact, PrintButton } from "../../parts/sheet.tsx";
import { termsWords } from "../../parts/terms-words.ts";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import { day, dollars, layerOf, monthWords, percent } from "../../words.ts";

export default function Terms() {
  const id = decodeURIComponent(useRoute().params.id ?? "");
  useTitle(`Terms of ${id}`);
  const reading = useReading(market, [id]);
  if (reading.state === "failed")
    return (
      <Note title="These terms are not listed" isScreen>
        <p>
          The exchange lists no series “{id}” yet: its first order does.{" "}
          <a href="/">Look for its place</a> and see what it would cost.
        </p>
      </Note>
    );
  return (
    <Shown reading={reading} room="tall">
      {(terms) => <Sheet terms={terms} />}
    </Shown>
  );
}

/** The text of the terms, without the names of the outcomes. */
const plainTerms = (description: string): string =>
  termsWords(description)
    .replaceAll("A YES contract pays", "Each dollar of protection pays")
    .replaceAll("NO pays the rest of 1 USD", "the seller keeps the rest")
    .replaceAll("otherwise NO does", "otherwise the seller keeps it");

const COVERAGE = 10_000;

function Sheet({ terms }: { readonly terms: Market }) {
  const place = usePlace(terms.geoNodeId);
  const where = place.state === "ready" ? placeWords(place.data) : terms.geoNodeId;
  const { baseline } = terms;
  // A name that came later would move the whole sheet.
  if (place.state !== "ready" && place.state !== "failed") {
    return (
      <Shown reading={place} room="tall">
        {() => null}
      </Shown>
    );
  }
  return (
    <article class="paper">
      <header class="row apart">
        <h1>Terms of protection</h1>
        <PrintButton />
      </header>
      <p>
        Pays for {paysFor(terms)} of {indexWords(terms.metricType)} in{" "}
        <a href={`/place/${terms.geoNodeId}`}>{where}</a> by {monthWords(terms.measurementMonth)}.
      </p>
      <dl class="facts">
        <Fact name="Place" words={where} />
        {baseline !== null && (
          <Fact
            name="Counted from"
            words={`${baseline.value} for ${monthWords(baseline.month)}, by ${baseline.releaseId}`}
          />
        )}
        <Fact name="Measured for" words={monthWords(terms.measurementMonth)} />
        <Fact name="Trading ends" words={day(terms.tradingClosesAt)} />
        <Fact name="Print expected" words={day(terms.resolutionTimestamp)} />
        <Fact name="Paid" words="72 hours after the print, unless it is disputed" />
        <Fact name="Stands now" words={stateWords(terms)} />
      </dl>
      <Payoff id={terms.id} />
      <section aria-labelledby="in-full">
        <h2 id="in-full">In full</h2>
        <p>{plainTerms(terms.description)}</p>
        <p class="source">{terms.attribution}.</p>
      </section>
      <section aria-labelledby="offline">
        <h2 id="offline">To check it without us</h2>
        <dl class="facts">
          <Fact name="Series" words={terms.id} isCode />
          <Fact name="Market" words={terms.frontendId} />
          <Fact name="Hash of the terms" words={terms.termsHash} isCode />
        </dl>
        <p class="small soft">
          Protection here is risk transfer between participants and not insurance. Money is
          simulated. Later revisions of a number never count.
        </p>
      </section>
    </article>
  );
}

/** Falls and what they pay; of a series without a layer its sentence has said it. */
function Payoff({ id }: { readonly id: string }) {
  const layer = layerOf(id);
  if (layer === undefined) return null;
  const [attach, exhaust] = layer;
  const step = (exhaust - attach) / 4;
  const falls = [0, 1, 2, 3, 4].map((count) => attach + count * step);
  return (
    <table>
      <caption>Paid on {dollars(COVERAGE)} of coverage.</caption>
      <thead>
        <tr>
          <th scope="col">If the index has fallen by</th>
          <th scope="col" class="number">
            It pays
          </th>
        </tr>
      </thead>
      <tbody>
        {falls.map((fall, count) => (
          <tr key={fall}>
            <th scope="row">
              {percent(fall)}
              {count === 0 ? " or less" : count === 4 ? " or more" : ""}
            </th>
            <td class="number">{dollars(COVERAGE * paidShare(fall, { attach, exhaust }))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
