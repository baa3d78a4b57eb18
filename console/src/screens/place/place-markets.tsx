// Markets of the place that exist already, whatever their state.
// Invariant: an empty list says how a market comes to be.
import { answered, type Schemas } from "@firstprint/sdk";
import { indexWords, paysFor, stateWords } from "../../parts/market-words.ts";
import { Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { monthWords, percent } from "../../words.ts";

type Market = Schemas["Market"];

const MOST_READ = 100;

/** The exchange lists by zip and by level; the place is looked for in that. */
const marketsOf = new Question(async (nodeId: string): Promise<readonly Market[]> => {
  const [level = "", name = ""] = nodeId.split(":");
  const where = level === "zip" ? { zip: name } : isLevel(level) ? { level } : ({} as const);
  const query = { ...where, limit: MOST_READ };
  const { data } = await answered(exchange.value.GET("/api/markets", { params: { query } }));
  return data.filter(({ geoNodeId }) => geoNodeId === nodeId).toReversed();
});

const levels = ["state", "county", "city", "neighborhood", "zip"] as const;
const isLevel = (text: string): text is (typeof levels)[number] =>
  levels.some((level) => level === text);

export function PlaceMarkets({ nodeId }: { readonly nodeId: string }) {
  const reading = useReading(marketsOf, [nodeId]);
  return (
    <section class="card" aria-labelledby="markets-here">
      <h2 id="markets-here">Markets here</h2>
      <Shown reading={reading} room="short">
        {(markets) =>
          markets.length === 0 ? (
            <p class="soft">None yet. The first protection that somebody accepts opens one.</p>
          ) : (
            <MarketTable markets={markets} />
          )
        }
      </Shown>
    </section>
  );
}

const MarketTable = ({ markets }: { readonly markets: readonly Market[] }) => (
  <div class="sheet">
    <table>
      <thead>
        <tr>
          <th scope="col">Pays for</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Price, of coverage
          </th>
        </tr>
      </thead>
      <tbody>
        {markets.map((market) => (
          <tr key={market.id}>
            <th scope="row">
              <a href={`/market/${market.frontendId}`}>{paysFor(market)}</a>
              <span class="what">
                of {indexWords(market.metricType)} by {monthWords(market.measurementMonth)}
              </span>
            </th>
            <td>
              <span class="tag">{stateWords(market)}</span>
            </td>
            <td class="number">{percent(100 * (market.outcomes[0]?.price ?? 0))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
