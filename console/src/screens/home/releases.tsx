// The newest release, and when the next one is expected.
// Invariant: a date is a provider's or a market's own, never a guess of the page.
import { answered, type Schemas } from "@firstprint/sdk";
import { indexWords } from "../../parts/market-words.ts";
import { Note, Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, day, monthWords } from "../../words.ts";

interface Calendar {
  readonly newest: Schemas["Release"] | undefined;
  /** When the next print that settles a market is expected. */
  readonly next: Schemas["Market"] | undefined;
}

async function readCalendar(): Promise<Calendar> {
  const ask = exchange.value;
  const [releases, markets, time] = await Promise.all([
    answered(ask.GET("/api/releases", { params: { query: { limit: 1 } } })),
    answered(ask.GET("/api/markets", { params: { query: { status: "ACTIVE", limit: 100 } } })),
    answered(ask.GET("/api/time")),
  ]);
  const [next] = markets.data
    .filter(({ resolutionTimestamp }) => resolutionTimestamp > time.data.iso)
    .toSorted((a, b) => (a.resolutionTimestamp < b.resolutionTimestamp ? -1 : 1));
  return { newest: releases.data[0], next };
}

const calendar = new Question(readCalendar, { everySeconds: 60 });

export function Releases() {
  const reading = useReading(calendar, []);
  return (
    <section class="releases" aria-labelledby="releases">
      <h2 id="releases" class="unseen">
        Releases
      </h2>
      <Shown reading={reading} room="short">
        {({ newest, next }) => (
          <dl class="facts">
            {newest === undefined ? (
              <Note title="No release yet">
                <p>The first file of a provider brings values, quotes and the map.</p>
              </Note>
            ) : (
              <Newest release={newest} />
            )}
            {next !== undefined && (
              <div>
                <dt>Next print that settles a market</dt>
                <dd class="fact">{day(next.resolutionTimestamp)}</dd>
                <dd class="soft small">
                  expected, for {monthWords(next.measurementMonth)}, {indexWords(next.metricType)}
                </dd>
              </div>
            )}
          </dl>
        )}
      </Shown>
    </section>
  );
}

const Newest = ({ release }: { readonly release: Schemas["Release"] }) => (
  <div>
    <dt>Newest release</dt>
    <dd class="fact">{day(release.publishedAt)}</dd>
    <dd class="soft small">
      {indexWords(release.index)} by {release.level}, {amount(release.rows)} places, to{" "}
      {monthWords(release.lastMonth ?? "")}
    </dd>
  </div>
);
