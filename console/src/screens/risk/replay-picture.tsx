// The picture of a replay: an area of what fell due, under a line of what sellers had put up.
// Invariant: both share one scale, from nothing to all of the coverage.
import { useRef, useState } from "preact/hooks";
import type { Risk } from "../../parts/risk.ts";
import { useWidth } from "../../parts/width.ts";
import { monthWords, percent } from "../../words.ts";

type Horizon = Risk["replay"]["horizons"][number];

const HEIGHT = 280;
const margin = { top: 14, right: 12, bottom: 26, left: 46 };
const BOTTOM = HEIGHT - margin.bottom;
const lines = [0, 0.25, 0.5, 0.75, 1];
const y = (value: number): number => BOTTOM - value * (BOTTOM - margin.top);

export function ReplayPicture({ horizon }: { readonly horizon: Horizon }) {
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure, 720);
  const [at, setAt] = useState<number>();
  const { cohorts } = horizon;
  const last = cohorts.length - 1;
  const room = width - margin.left - margin.right;
  const x = (index: number): number => margin.left + (index / Math.max(1, last)) * room;
  const worst = cohorts.reduce((most, { due }, index) => {
    return due > (cohorts[most]?.due ?? 0) ? index : most;
  }, 0);
  const shown = cohorts[at ?? worst];
  const point = (event: PointerEvent): void => {
    const left = figure.current?.getBoundingClientRect().left ?? 0;
    const index = Math.round(((event.clientX - left - margin.left) / room) * last);
    setAt(Math.max(0, Math.min(last, index)));
  };
  const path = (of: (cohort: Horizon["cohorts"][number]) => number): string =>
    cohorts
      .map((one, i) => `${i === 0 ? "M" : "L"}${x(i).toFixed(1)} ${y(of(one)).toFixed(1)}`)
      .join("");
  if (shown === undefined) return null;
  return (
    <figure ref={figure} class="chart replay">
      <p class="readout figures">
        Sold in <strong>{monthWords(shown.month)}</strong>:{" "}
        <strong>{percent(100 * shown.due)}</strong> of coverage fell due, sellers had put up{" "}
        <strong>{percent(100 * shown.sellerCash)}</strong>
      </p>
      <svg
        role="img"
        aria-label="Due to buyers and put up by sellers, by month of sale"
        width={width}
        height={HEIGHT}
        onPointerMove={point}
        onPointerLeave={() => setAt(undefined)}
      >
        <Grid width={width} />
        {cohorts.map(({ month }, index) =>
          month.endsWith("-01") ? (
            <text key={month} class="axis" x={x(index)} y={HEIGHT - 6} text-anchor="middle">
              {month.slice(0, 4)}
            </text>
          ) : null,
        )}
        <path
          class="due-area"
          d={`${path(({ due }) => due)}L${x(last)} ${BOTTOM}L${x(0)} ${BOTTOM}Z`}
        />
        <path class="due-line" d={path(({ due }) => due)} />
        <path class="line" d={path(({ sellerCash }) => sellerCash)} />
        <line class="cross" x1={x(at ?? worst)} x2={x(at ?? worst)} y1={margin.top} y2={BOTTOM} />
      </svg>
      <figcaption class="legend small">
        <span>
          <span class="swatch of-cash" aria-hidden="true" /> sellers’ cash, their deposit and the
          premium
        </span>
        <span>
          <span class="swatch of-due" aria-hidden="true" /> fell due to buyers
        </span>
        <span class="soft">by the month of sale, of coverage</span>
      </figcaption>
    </figure>
  );
}

const Grid = ({ width }: { readonly width: number }) => (
  <>
    {lines.map((value) => (
      <g key={value}>
        <line class="grid" x1={margin.left} x2={width - margin.right} y1={y(value)} y2={y(value)} />
        <text class="axis" x={margin.left - 8} y={y(value) + 4} text-anchor="end">
          {100 * value}%
        </text>
      </g>
    ))}
  </>
);
