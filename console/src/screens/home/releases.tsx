// The newest release of home values, and when the next one is expected.
// Invariant: a date is a provider's own or the exchange's, never a guess of the page.
import { Shown } from "../../parts/note.tsx";
import { useReading } from "../../query.ts";
import { day, monthWords } from "../../words.ts";
import { overview } from "./overview.ts";

export function Releases() {
  const reading = useReading(overview, ["state"]);
  return (
    <section class="releases" aria-labelledby="releases">
      <h2 id="releases" class="unseen">
        Releases
      </h2>
      <Shown reading={reading} room="short">
        {({ places, publishedAt, nextExpectedAt }) => {
          const [first] = places.values();
          return (
            <dl class="release-days">
              <div>
                <dt>Newest release of home values</dt>
                <dd class="fact">{publishedAt === undefined ? "None yet" : day(publishedAt)}</dd>
                {first !== undefined && (
                  <dd class="soft small">with prints to {monthWords(first.month)}</dd>
                )}
              </div>
              {nextExpectedAt !== undefined && (
                <div>
                  <dt>Next release</dt>
                  <dd class="fact">{day(nextExpectedAt)}</dd>
                  <dd class="soft small">expected; its first prints settle what is due</dd>
                </div>
              )}
            </dl>
          );
        }}
      </Shown>
    </section>
  );
}
