// One month of the place as it was first published, and as the newest release has it.
// Invariant: both numbers are files' own; the first alone is called the one that settles.
import { answered } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, change, day, dollars, monthWords } from "../../words.ts";
import type { Point } from "./history.ts";

const vintageAt = async (nodeId: string, month: string, page: number) => {
  const params = { path: { nodeId }, query: { month, index: "zhvi", page, limit: 1 } } as const;
  const { data, pagination } = await answered(
    exchange.value.GET("/api/index/{nodeId}/vintages", { params }),
  );
  return { vintage: data[0], total: pagination.total };
};

/** The first release that carried the month, the newest that did, and how many there are. */
const revisions = new Question(
  async (nodeId: string, month: string) => {
    const first = await vintageAt(nodeId, month, 1);
    const newest = first.total < 2 ? undefined : await vintageAt(nodeId, month, first.total);
    return { first: first.vintage, newest: newest?.vintage, total: first.total };
  },
  { freshSeconds: 600 },
);

interface RevisionsProps {
  readonly nodeId: string;
  readonly points: readonly Point[];
}

export function Revisions({ nodeId, points }: RevisionsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As first published, and as revised since</summary>
      {isOpen && <OneMonth nodeId={nodeId} points={points} />}
    </details>
  );
}

/** Months that a release of this exchange's own has carried first, the newest first. */
const ownMonths = (points: readonly Point[]): readonly string[] =>
  points.flatMap(({ month, isBackfill }) => (isBackfill ? [] : [month])).toReversed();

function OneMonth({ nodeId, points }: RevisionsProps) {
  const months = ownMonths(points);
  const [month, setMonth] = useState(months.at(-1) ?? points.at(-1)?.month ?? "");
  const reading = useReading(revisions, [nodeId, month]);
  return (
    <div class="revisions">
      <label class="field">
        <span>Month</span>
        <select value={month} onChange={(event) => setMonth(event.currentTarget.value)}>
          {(months.length === 0 ? [month] : months).map((one) => (
            <option key={one} value={one}>
              {monthWords(one)}
            </option>
          ))}
        </select>
      </label>
      <Shown reading={reading} room="short">
        {({ first, newest, total }) => {
          if (first?.value == null) return <p class="soft">No release carries it.</p>;
          const told = Number(first.value);
          return (
            <>
              <div class="sheet">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">{monthWords(month)}</th>
                      <th scope="col">Published</th>
                      <th scope="col" class="number">
                        Value
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    <tr>
                      <th scope="row">as first published</th>
                      <td>{day(first.publishedAt)}</td>
                      <td class="number">{dollars(told)}</td>
                    </tr>
                    {newest?.value != null && (
                      <tr>
                        <th scope="row">as revised since</th>
                        <td>{day(newest.publishedAt)}</td>
                        <td class="number">
                          {dollars(Number(newest.value))}, {change(revised(newest.value, told))}
                        </td>
                      </tr>
                    )}
                  </tbody>
                </table>
              </div>
              <p class="source">
                {total < 2
                  ? "No later release has carried it yet. "
                  : `${amount(total)} releases have carried it. `}
                Protection settles on what was first published: a provider that rescales its whole
                history moves no payout. {first.attribution}.
              </p>
            </>
          );
        }}
      </Shown>
    </div>
  );
}

const revised = (newest: string, first: number): number => 100 * (Number(newest) / first - 1);
