// Markets that can be traded now, the newest first.
// Invariant: each says in words what it pays for, until when, and what it costs now.
import { answered, type Schemas } from "@firstprint/sdk";
import { indexWords, paysFor } from "../../parts/market-words.ts";
import { Note, Shown } from "../../parts/note.tsx";
import { PlaceName } from "../../parts/place-name.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { monthWords, percent } from "../../words.ts";

type Market = Schemas["Market"];

const MOST_READ = 100;
const MOST_SHOWN = 10;

async function readOpen(): Promise<readonly Market[]> {
  const query = { status: "ACTIVE", limit: MOST_READ } as const;
  const { data } = await answered(exchange.value.GET("/api/markets", { params: { query } }));
  return data.filter(({ tradingClosed }) => !tradingClosed).toReversed();
}

const openMarkets = new Question(readOpen, { everySeconds: 30 });

export function OpenMarkets() {
  const reading = useReading(openMarkets, []);
  return (
    <section class="card open-markets" aria-labelledby="open-markets">
      <h2 id="open-markets">Open markets</h2>
      <Shown reading={reading} room="tall">
        {(markets) =>
          markets.length === 0 ? (
            <Note title="No market is open">
              <p>A market opens with the first order for a quote. Look for a place above.</p>
            </Note>
          ) : (
            <MarketTable
              markets={markets.slice(0, MOST_SHOWN)}
              more={markets.length - MOST_SHOWN}
            />
          )
        }
      </Shown>
    </section>
  );
}

const MarketTable = ({ markets, more }: { readonly markets: readonly Market[]; more: number }) => (
  <div class="sheet">
    <table>
      <thead>
        <tr>
          <th scope="col">Pays for</th>
          <th scope="col">Measured</th>
          <th scope="col" class="number">
            Price, of coverage
          </th>
        </tr>
      </thead>
      <tbody>
        {markets.map((market) => (
          <tr key={market.id}>
            <th scope="row">
              <a href={`/market/${market.frontendId}`}>
                <PlaceName id={market.geoNodeId} />
              </a>
              <span class="what">
                {paysFor(market)} of {indexWords(market.metricType)}
              </span>
            </th>
            <td>{monthWords(market.measurementMonth)}</td>
            <td class="number">{percent(100 * (market.outcomes[0]?.price ?? 0))}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {more > 0 && (
      <p class="source">
        The newest {markets.length}; {more} more are open.
      </p>
    )}
  </div>
);
