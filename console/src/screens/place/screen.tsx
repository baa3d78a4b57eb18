// A place as its owner sees it: its value, its history, and what protection costs and pays.
// Invariant: every value stands beside its attribution; no word of a trader's is needed.
import "./place.css";
import { answered, Refused } from "@firstprint/sdk";
import { useRoute } from "preact-iso";
import { NearestData } from "../../parts/nearest-data.tsx";
import { Note, Shown } from "../../parts/note.tsx";
import { placeWords, usePlace } from "../../parts/place-name.tsx";
import { PlaceSearch } from "../../parts/place-search.tsx";
import { useTitle } from "../../parts/title.ts";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { change, day, dollars, monthWords } from "../../words.ts";
import { placeHistory } from "./history.ts";
import { HistoryChart } from "./history-chart.tsx";
import { PlaceMarkets } from "./place-markets.tsx";
import { QuoteBuilder } from "./quote-builder.tsx";
import { Revisions } from "./revisions.tsx";

/** Undefined where the place has no home values. */
const newestValue = new Question(async (nodeId: string) => {
  const params = { path: { nodeId } };
  try {
    return (await answered(exchange.value.GET("/api/index/{nodeId}", { params }))).data;
  } catch (fault) {
    if (fault instanceof Refused && fault.status === 404) return undefined;
    throw fault;
  }
});

const release = new Question(
  async (id: string) => {
    const params = { path: { id } };
    return (await answered(exchange.value.GET("/api/releases/{id}", { params }))).data;
  },
  { freshSeconds: 3600 },
);

export default function Place() {
  const id = decodeURIComponent(useRoute().params.id ?? "");
  const place = usePlace(id);
  const words = place.state === "ready" ? placeWords(place.data) : id;
  useTitle(words);
  if (place.state === "failed") return <NoSuchPlace id={id} />;
  return (
    <div class="place">
      <PlaceHead words={words} id={id} />
      <Value id={id} />
    </div>
  );
}

function PlaceHead({ words, id }: { readonly words: string; readonly id: string }) {
  const [name = "", ...within] = words.split(", ");
  return (
    <header class="place-head">
      <div>
        <h1>{name}</h1>
        <p class="soft lead">{within.join(", ")}</p>
      </div>
      <PlaceSearch key={id} />
    </header>
  );
}

function Value({ id }: { readonly id: string }) {
  const reading = useReading(newestValue, [id]);
  const history = useReading(placeHistory, [id]);
  return (
    <Shown reading={reading} room="tall">
      {(value) =>
        value === undefined ? (
          <Note title="No home values here">
            <p>No release has carried home values of this place yet.</p>
            <NearestData id={id} />
          </Note>
        ) : (
          <>
            <section class="place-value" aria-label="Home values">
              <div class="value-now">
                <p class="soft small">Typical home value, {monthWords(value.asOfMonth)}</p>
                <p class="big figures">{dollars(value.value)}</p>
                {value.yoy !== null && (
                  <p class={value.yoy < 0 ? "fall" : "rise"}>
                    <strong class="figures">{change(value.yoy)}</strong> in 12 months
                  </p>
                )}
                <p class="source">
                  As first published
                  <PublishedOn releaseId={value.releaseId} />. {value.attribution}.
                </p>
              </div>
              <div class="card">
                <Shown reading={history} room="tall">
                  {(points) =>
                    points.length < 2 ? (
                      <p class="soft">The history begins with the second print.</p>
                    ) : (
                      <>
                        <HistoryChart points={points} attribution={value.attribution} />
                        <Revisions nodeId={id} points={points} />
                      </>
                    )
                  }
                </Shown>
              </div>
            </section>
            <QuoteBuilder key={id} nodeId={id} value={value} />
            <PlaceMarkets nodeId={id} />
          </>
        )
      }
    </Shown>
  );
}

/** " on November 24, 2026", once the exchange has said it. */
function PublishedOn({ releaseId }: { readonly releaseId: string }) {
  const reading = useReading(release, [releaseId]);
  return reading.state === "ready" ? <> on {day(reading.data.publishedAt)}</> : null;
}

const NoSuchPlace = ({ id }: { readonly id: string }) => (
  <Note title="There is no such place" isScreen>
    <p>
      The exchange knows no place called “{id}”. <a href="/">Look for it on the map.</a>
    </p>
    <NearestData id={id} />
  </Note>
);
