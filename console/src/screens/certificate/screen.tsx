// The certificate of a market: what settled it, on one sheet, with all it takes to check it.
// Invariant: "the hash is right" is said only where it was computed here, from the terms shown.
import { answered, type Schemas } from "@firstprint/sdk";
import { useEffect, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { AskKey } from "../../parts/ask-key.tsx";
import { indexWords } from "../../parts/market-words.ts";
import { faultWords, Note, Shown } from "../../parts/note.tsx";
import { placeWords, usePlace } from "../../parts/place-name.tsx";
import { Fact, PrintButton } from "../../parts/sheet.tsx";
import { useTitle } from "../../parts/title.ts";
import { Question, useReading } from "../../query.ts";
import { exchange, isSignedIn } from "../../session.ts";
import { day, monthWords, percent } from "../../words.ts";
import { hashOf } from "./terms-hash.ts";

type Certified = Schemas["Certificate"];

const certificate = new Question(
  async (marketId: string): Promise<Certified> => {
    const params = { path: { marketId } };
    const asked = exchange.value.GET("/api/trading/certificates/{marketId}", { params });
    return (await answered(asked)).data;
  },
  { isPrivate: true, freshSeconds: 300 },
);

export default function Certificate() {
  const id = decodeURIComponent(useRoute().params.id ?? "");
  useTitle(`Certificate of ${id}`);
  const reading = useReading(certificate, isSignedIn.value ? [id] : undefined);
  if (!isSignedIn.value)
    return (
      <>
        <h1>Certificate of {id}</h1>
        <AskKey title="Sign in to see the certificate">
          Any key that may read the oracle shows what settled a market.
        </AskKey>
      </>
    );
  if (reading.state === "failed")
    return (
      <Note title="There is no certificate" isScreen>
        <p>{faultWords(reading.fault)}</p>
      </Note>
    );
  return (
    <Shown reading={reading} room="tall">
      {(certified) => <Sheet certified={certified} />}
    </Shown>
  );
}

const days = (at: number | null): string => (at === null ? "not yet" : day(at));

function Sheet({ certified }: { readonly certified: Certified }) {
  const { terms, settled, release, link, payoutFraction } = certified;
  const place = usePlace(terms.geoNodeId);
  const where = place.state === "ready" ? placeWords(place.data) : terms.geoNodeId;
  return (
    <article class="paper">
      <header class="row apart">
        <h1>Certificate of {certified.frontendId}</h1>
        <PrintButton />
      </header>
      <p>
        Protection against a {terms.baseline === null ? "level" : "fall"} of{" "}
        {indexWords(terms.index)} in {where} by {monthWords(terms.measurementMonth)} pays{" "}
        <strong>{percent(100 * payoutFraction)} of its coverage</strong>
        {certified.finalizedAt === null ? ", once it is final." : "."}
      </p>
      <section aria-labelledby="numbers">
        <h2 id="numbers">The numbers</h2>
        <dl class="facts">
          {terms.baseline !== null && (
            <Fact name="Counted from" words={printWords(terms.baseline)} />
          )}
          {link !== null && <Fact name="Linked to" words={printWords(link)} />}
          <Fact name="First print" words={`${settled.value} for ${monthWords(settled.month)}`} />
          {certified.fallback !== null && (
            <Fact name="By fallback" words={certified.fallback.step} />
          )}
          <Fact name="Exact payout" words={`${payoutFraction} of each dollar of coverage`} />
        </dl>
        <p class="source">{certified.attribution}.</p>
      </section>
      <section aria-labelledby="days">
        <h2 id="days">The days</h2>
        <dl class="facts">
          <Fact name="Published" words={`${day(release.publishedAt)}, by ${release.provider}`} />
          <Fact name="Resolved" words={day(certified.resolvedAt)} />
          <Fact name="Dispute window" words={`ends ${day(certified.disputeWindowEndsAt)}`} />
          <Fact name="Paid and final" words={days(certified.finalizedAt)} />
        </dl>
      </section>
      <Proof certified={certified} />
    </article>
  );
}

interface Print {
  readonly month: string;
  readonly value: string;
  readonly level: string | null;
}

const printWords = ({ month, value, level }: Print): string =>
  `${value} for ${monthWords(month)}${level === null ? "" : `, ${level} in the chain`}`;

/** The hashes that an export and a file are compared with. */
function Proof({ certified }: { readonly certified: Certified }) {
  const { terms, release, entry, checkpoint } = certified;
  const [hash, setHash] = useState<string>();
  useEffect(() => {
    void hashOf(terms).then(setHash);
  }, [terms]);
  return (
    <section aria-labelledby="proof">
      <h2 id="proof">To check it without us</h2>
      <dl class="facts">
        <Fact name="Series" words={certified.marketId} isCode />
        <Fact name="Hash of the terms" words={terms.hash} isCode />
        <Fact name="Release" words={`${release.id}, ${release.methodologyVersion}`} />
        <Fact name="Hash of its file" words={release.sha256} isCode />
        <Fact name="Journal entry" words={String(entry.sequence)} />
        <Fact name="Hash of the entry" words={entry.hash} isCode />
        {checkpoint !== null && <Fact name="Signed head" words={checkpoint.note} isCode />}
      </dl>
      {hash !== undefined && (
        <p class={hash === terms.hash ? "good-words small" : "bad-words small"} role="status">
          {hash === terms.hash
            ? "This browser has computed the hash of the terms: it is right."
            : `This browser computes another hash of the terms: ${hash}.`}
        </p>
      )}
      <p class="small soft">
        Hash the provider’s file, find the entry in an export of the trail, and judge the export
        against the signed head with a key that you have from elsewhere.
      </p>
    </section>
  );
}
