// The days to come: publications, closings, prints and payouts, and those that are late.
// Invariant: what is overdue stands first, and is called so.
import { answered, type Schemas } from "@firstprint/sdk";
import { indexWords } from "../../parts/market-words.ts";
import { Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, day, monthWords } from "../../words.ts";

type Item = Schemas["CalendarItem"];

const MOST_READ = 100;
const MOST_SHOWN = 8;

/** Levels of an index that are published on one day are one line. */
interface Line extends Omit<Item, "level"> {
  readonly levels: readonly string[];
}

function linesOf(items: readonly Item[]): readonly Line[] {
  const lines = new Map<string, Line>();
  for (const { level, ...item } of items) {
    const name = [item.kind, item.index, item.month, item.at].join(" ");
    const line = lines.get(name);
    lines.set(name, {
      ...item,
      levels: [...(line?.levels ?? []), ...(level === null ? [] : [level])],
      markets: (line?.markets ?? 0) + item.markets,
    });
  }
  return [...lines.values()];
}

const calendar = new Question(
  async () => {
    const params = { query: { limit: MOST_READ } };
    return linesOf((await answered(exchange.value.GET("/api/calendar", { params }))).data);
  },
  { everySeconds: 60 },
);

export function Calendar() {
  const reading = useReading(calendar, []);
  return (
    <section class="card" aria-labelledby="calendar">
      <h2 id="calendar">Calendar</h2>
      <Shown reading={reading} room="short">
        {(lines) => (
          <>
            <div class="sheet">
              <table>
                <thead>
                  <tr>
                    <th scope="col">What</th>
                    <th scope="col" class="number">
                      Day
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {lines.slice(0, MOST_SHOWN).map((item) => (
                    <tr key={`${item.kind} ${item.index} ${item.month} ${item.at}`}>
                      <th scope="row">
                        {kinds[item.kind]}
                        <span class="what">{aboutWords(item)}</span>
                      </th>
                      <td class="number">
                        {day(item.at)}
                        {item.overdue && <span class="what bad-words">overdue</span>}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {lines.length > MOST_SHOWN && (
              <p class="source">
                The first {MOST_SHOWN} of {amount(lines.length)}.
              </p>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

const kinds: Readonly<Record<Item["kind"], string>> = {
  publication: "Publication expected",
  trading_closes: "Trading closes",
  print: "First print awaited",
  fallback: "Print is given up",
  payout: "Payouts become final",
  release_window: "Orders match again",
};

const levelWords: Readonly<Record<string, string>> = {
  state: "states",
  county: "counties",
  city: "cities",
  neighborhood: "neighborhoods",
  zip: "zip codes",
};

function aboutWords({ index, levels, month, markets }: Line): string {
  const places = levels.map((level) => levelWords[level] ?? level);
  const where = places.length === 0 ? "" : ` of ${listed.format(places)}`;
  const when = month === null ? "" : `, ${monthWords(month)}`;
  const waiting =
    markets === 0 ? "" : `; ${amount(markets)} ${markets === 1 ? "market" : "markets"}`;
  return `${indexWords(index)}${where}${when}${waiting}`;
}

const listed = new Intl.ListFormat("en-US");
