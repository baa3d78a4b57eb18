// The search of the trail: filters in the address, a page of entries, newest first.
// Invariant: a found page can be passed on by its address, and what its reader sees is the key's.
import { answered, type Schemas } from "@firstprint/sdk";
import { useLocation } from "preact-iso";
import { actionWords, secondsOf, timeAndSeconds } from "../../parts/entry-words.ts";
import { Note, Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount } from "../../words.ts";

type Entry = Schemas["AuditEntry"];
type Filters = Readonly<Record<string, string>>;

const PAGE = 50;
const names = ["action", "severity", "account", "resource", "from", "to"] as const;

const severities = ["info", "warning", "critical"] as const;

const entries = new Question(
  async (filters: Filters): Promise<readonly Entry[]> => {
    const { action, account, resource, from, to, offset } = filters;
    const severity = severities.find((one) => one === filters.severity);
    const query = {
      limit: PAGE,
      ...(action ? { action } : {}),
      ...(severity === undefined ? {} : { severity }),
      ...(account ? { account } : {}),
      ...(resource ? { resource } : {}),
      ...(from ? { startTime: secondsOf(from) } : {}),
      ...(to ? { endTime: secondsOf(to) } : {}),
      ...(offset ? { offset: Number(offset) } : {}),
    };
    return (await answered(exchange.value.GET("/api/audit/logs", { params: { query } }))).data;
  },
  { isPrivate: true },
);

const counts = new Question(
  async () => (await answered(exchange.value.GET("/api/audit/stats"))).data,
  { isPrivate: true, freshSeconds: 60 },
);

const address = (filters: Filters, offset: number): string => {
  const given = Object.entries(filters).filter(([name, value]) => name !== "offset" && value);
  const query = new URLSearchParams(given);
  if (offset > 0) query.set("offset", `${offset}`);
  return query.size === 0 ? "/audit" : `/audit?${query}`;
};

export function Search() {
  const { query, route } = useLocation();
  const reading = useReading(entries, [query], { keepsLast: true });
  const offset = Number(query.offset ?? 0) || 0;
  return (
    <section class="card" aria-labelledby="search">
      <h2 id="search">Search</h2>
      <FilterForm key={address(query, 0)} filters={query} route={route} />
      <Shown reading={reading} room="tall">
        {(found) =>
          found.length === 0 ? (
            <Note title="No entry is like that">
              <p>Leave out a filter, or look at another time.</p>
            </Note>
          ) : (
            <EntryTable entries={found} />
          )
        }
      </Shown>
      <nav class="row pages" aria-label="Pages of the trail">
        {offset > 0 && (
          <a class="button slim" href={address(query, Math.max(0, offset - PAGE))}>
            Newer
          </a>
        )}
        {reading.state === "ready" && reading.data.length === PAGE && (
          <a class="button slim" href={address(query, offset + PAGE)}>
            Older
          </a>
        )}
      </nav>
    </section>
  );
}

interface FilterFormProps {
  readonly filters: Filters;
  route(address: string): void;
}

function FilterForm({ filters, route }: FilterFormProps) {
  const reading = useReading(counts, []);
  const actions = reading.state === "ready" ? Object.entries(reading.data.byAction) : [];
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    route(address(Object.fromEntries(names.map((name) => [name, `${form.get(name) ?? ""}`])), 0));
  };
  const given = (name: (typeof names)[number]) => ({
    name,
    defaultValue: filters[name] ?? "",
    autoComplete: "off",
  });
  return (
    <form class="filters" onSubmit={onSubmit}>
      <label class="field">
        <span>Action</span>
        <select name="action">
          <option value="">Anything</option>
          {actions
            .toSorted(([a], [b]) => a.localeCompare(b))
            .map(([name, count]) => (
              <option key={name} value={name} selected={name === filters.action}>
                {actionWords(name)} ({amount(count)})
              </option>
            ))}
        </select>
      </label>
      <label class="field">
        <span>Severity</span>
        <select name="severity">
          <option value="">Any</option>
          {severities.map((name) => (
            <option key={name} value={name} selected={name === filters.severity}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Account or its address</span>
        <input type="text" {...given("account")} />
      </label>
      <label class="field">
        <span>Order, market, key…</span>
        <input type="text" {...given("resource")} />
      </label>
      <label class="field">
        <span>From, UTC</span>
        <input type="datetime-local" {...given("from")} />
      </label>
      <label class="field">
        <span>To, UTC</span>
        <input type="datetime-local" {...given("to")} />
      </label>
      <div class="row">
        <button type="submit" class="button">
          Search
        </button>
        <a class="button" href="/audit">
          Clear
        </a>
      </div>
    </form>
  );
}

const EntryTable = ({ entries: found }: { readonly entries: readonly Entry[] }) => (
  <table class="stacked">
    <thead>
      <tr>
        <th scope="col">Entry</th>
        <th scope="col">Time, UTC</th>
        <th scope="col">Action</th>
        <th scope="col">By</th>
        <th scope="col">To what</th>
      </tr>
    </thead>
    <tbody>
      {found.map((entry) => (
        <tr key={entry.id}>
          <th scope="row">
            <a href={`/audit/${entry.id.replace("aud-", "")}?at=${entry.timestamp}`}>
              {entry.id.replace("aud-", "")}
            </a>
          </th>
          <td data-name="Time, UTC">{timeAndSeconds(entry.timestamp)}</td>
          <td data-name="Action">
            <span>
              {actionWords(entry.action)} {!entry.success && <span class="tag bad">refused</span>}
              {entry.severity !== "info" && <span class="tag">{entry.severity}</span>}
            </span>
          </td>
          <td data-name="By">{entry.userName ?? entry.userId}</td>
          <td data-name="To what" class="long">
            {entry.resource}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
