// The chart of first prints: the line, where this exchange's own releases begin, and each of them.
// Invariant: the table under it has every month that it draws.
import { useRef, useState } from "preact/hooks";
import { ticksOf } from "../../parts/ticks.ts";
import { useWidth } from "../../parts/width.ts";
import { dollars, monthWords } from "../../words.ts";
import type { Point } from "./history.ts";

const HEIGHT = 260;
const margin = { top: 12, right: 12, bottom: 26, left: 78 };

interface ChartProps {
  readonly points: readonly Point[];
  readonly attribution: string;
}

export function HistoryChart({ points, attribution }: ChartProps) {
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure, 720);
  const [at, setAt] = useState<number>();
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const shown = (at === undefined ? undefined : points[at]) ?? last;
  const { x, y, lines, years } = scalesOf(points, width);
  const point = (event: PointerEvent): void => {
    const left = figure.current?.getBoundingClientRect().left ?? 0;
    const share = (event.clientX - left - margin.left) / (width - margin.left - margin.right);
    const index = Math.round(share * (points.length - 1));
    setAt(Math.max(0, Math.min(points.length - 1, index)));
  };
  const own = points.findIndex(({ isBackfill }) => !isBackfill);
  return (
    <figure ref={figure} class="chart">
      <p class="readout figures">
        <strong>{dollars(shown.value)}</strong> <span class="soft">{monthWords(shown.month)}</span>
      </p>
      <svg
        role="img"
        aria-label={`Home values from ${monthWords(first.month)} to ${monthWords(last.month)}`}
        width={width}
        height={HEIGHT}
        onPointerMove={point}
        onPointerLeave={() => setAt(undefined)}
      >
        {lines.map((value) => (
          <g key={value}>
            <line
              class="grid"
              x1={margin.left}
              x2={width - margin.right}
              y1={y(value)}
              y2={y(value)}
            />
            <text class="axis" x={margin.left - 8} y={y(value) + 4} text-anchor="end">
              {dollars(value)}
            </text>
          </g>
        ))}
        {years.map(({ index, words }) => (
          <text key={words} class="axis" x={x(index)} y={HEIGHT - 6} text-anchor="middle">
            {words}
          </text>
        ))}
        <path
          class="line before"
          d={lineOf(points.slice(0, own < 0 ? undefined : own + 1), x, y, 0)}
        />
        {own >= 0 && <path class="line" d={lineOf(points.slice(own), x, y, own)} />}
        {points.map(({ month, isBackfill, value }, index) =>
          isBackfill ? null : (
            <circle key={month} class="print" cx={x(index)} cy={y(value)} r={3} />
          ),
        )}
        <line
          class="cross"
          x1={x(at ?? points.length - 1)}
          x2={x(at ?? points.length - 1)}
          y1={margin.top}
          y2={HEIGHT - margin.bottom}
        />
      </svg>
      <Caption attribution={attribution} />
      <PrintTable points={points} attribution={attribution} />
    </figure>
  );
}

const Caption = ({ attribution }: { readonly attribution: string }) => (
  <figcaption class="source">
    Dots are first prints released since this exchange began; the line before them is the history as
    the first release told it. {attribution}.
  </figcaption>
);

const lineOf = (
  points: readonly Point[],
  x: (index: number) => number,
  y: (value: number) => number,
  from: number,
): string =>
  points
    .map(
      ({ value }, index) =>
        `${index === 0 ? "M" : "L"}${x(from + index).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join("");

function scalesOf(points: readonly Point[], width: number) {
  const values = points.map(({ value }) => value);
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const room = (highest - lowest || highest) * 0.08;
  const [low, high] = [lowest - room, highest + room];
  const right = width - margin.right;
  const bottom = HEIGHT - margin.bottom;
  const x = (index: number): number =>
    margin.left + (index / Math.max(1, points.length - 1)) * (right - margin.left);
  const y = (value: number): number =>
    bottom - ((value - low) / (high - low)) * (bottom - margin.top);
  const every = Math.ceil(points.length / 12 / Math.max(2, Math.floor(width / 90)));
  const years = points
    .map(({ month }, index) => ({ index, words: month.slice(0, 4), month: month.slice(5) }))
    .filter(({ month, words }) => month === "01" && Number(words) % every === 0);
  return { x, y, years, lines: ticksOf(low, high, 4) };
}

const PrintTable = ({ points, attribution }: ChartProps) => (
  <details>
    <summary>Show as a table</summary>
    <div class="sheet">
      <table>
        <caption>Home values by month, newest first. {attribution}.</caption>
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col" class="number">
              Value
            </th>
            <th scope="col">Told by</th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map(({ month, value, isBackfill }) => (
            <tr key={month}>
              <th scope="row">{monthWords(month)}</th>
              <td class="number">{dollars(value)}</td>
              <td>{isBackfill ? "the first release" : "its own release"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);
