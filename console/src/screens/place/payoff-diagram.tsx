// The payoff: along the fall of the index, what is paid, and what a home of that worth loses.
// Invariant: the table beside it says the same amounts, at falls that people think in.
import { useRef } from "preact/hooks";
import { deductibleOf, type Layer, paidShare } from "../../parts/protection.ts";
import { ticksOf } from "../../parts/ticks.ts";
import { useWidth } from "../../parts/width.ts";
import { dollars, percent } from "../../words.ts";

const HEIGHT = 240;
const FURTHEST = 25;
const margin = { top: 26, right: 22, bottom: 40, left: 70 };

interface PayoffProps {
  readonly layer: Layer;
  readonly worth: number;
  readonly coverage: number;
  /** What the index has done over the last twelve months, in percent: below zero it fell. */
  readonly lastYear: number | undefined;
}

export function PayoffDiagram({ layer, worth, coverage, lastYear }: PayoffProps) {
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure, 520);
  const highest = coverage * 1.12;
  const right = width - margin.right;
  const bottom = HEIGHT - margin.bottom;
  const x = (fall: number): number => margin.left + (fall / FURTHEST) * (right - margin.left);
  const y = (amount: number): number => bottom - (amount / highest) * (bottom - margin.top);
  const { attach, exhaust } = layer;
  const paid = `M${x(0)} ${y(0)}L${x(attach)} ${y(0)}L${x(exhaust)} ${y(coverage)}L${x(FURTHEST)} ${y(coverage)}`;
  const fall = Math.min(FURTHEST, Math.max(0, -(lastYear ?? 0)));
  return (
    <figure ref={figure} class="chart">
      <svg
        role="img"
        aria-label={`Pays nothing up to a fall of ${attach}%, ${dollars(coverage)} from ${exhaust}% on, and in proportion between`}
        width={width}
        height={HEIGHT}
      >
        <rect
          class="own-risk"
          x={x(0)}
          width={x(attach) - x(0)}
          y={margin.top}
          height={bottom - margin.top}
        />
        <text class="axis" x={(x(0) + x(attach)) / 2} y={margin.top - 8} text-anchor="middle">
          yours
        </text>
        {ticksOf(0, highest, 4).map((amount) => (
          <g key={amount}>
            <line class="grid" x1={margin.left} x2={right} y1={y(amount)} y2={y(amount)} />
            <text class="axis" x={margin.left - 8} y={y(amount) + 4} text-anchor="end">
              {dollars(amount)}
            </text>
          </g>
        ))}
        {[0, 5, 10, 15, 20, 25].map((one) => (
          <text key={one} class="axis" x={x(one)} y={bottom + 18} text-anchor="middle">
            {one === 0 ? "0" : `−${one}%`}
          </text>
        ))}
        <path class="paid-area" d={`${paid}L${x(FURTHEST)} ${y(0)}Z`} />
        <path class="line" d={paid} />
        <line class="cross" x1={x(fall)} x2={x(fall)} y1={margin.top} y2={bottom} />
        <circle class="print" cx={x(fall)} cy={y(coverage * paidShare(fall, layer))} r={4.5} />
        <text class="axis" x={(margin.left + right) / 2} y={HEIGHT - 4} text-anchor="middle">
          fall of the index by the end
        </text>
      </svg>
      <figcaption class="source">
        The first {percent(attach)}, {dollars(deductibleOf(worth, layer))} for your home, stay with
        you. The dot is{" "}
        {fall > 0
          ? `a fall like that of the last 12 months, ${percent(fall)}`
          : "today: nothing has fallen yet"}
        .
      </figcaption>
    </figure>
  );
}

const usual = [0, 2, 5, 8, 10, 12, 15, 20, 25];

/** What each fall pays, beside what the home loses by it. */
export const PayoffTable = ({ layer, worth, coverage }: Omit<PayoffProps, "lastYear">) => (
  <table>
    <caption class="unseen">What each fall pays</caption>
    <thead>
      <tr>
        <th scope="col">The index falls</th>
        <th scope="col" class="number">
          Your home loses
        </th>
        <th scope="col" class="number">
          You are paid
        </th>
      </tr>
    </thead>
    <tbody>
      {usual.map((fall) => (
        <tr key={fall}>
          <th scope="row" class="figures">
            {fall === 0 ? "not at all" : percent(fall)}
          </th>
          <td class="number">{dollars((worth * fall) / 100)}</td>
          <td class="number strong">{dollars(coverage * paidShare(fall, layer))}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
