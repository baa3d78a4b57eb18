// The guarantee fund and its layers as a bar, against what the weakest owners lack.
// Invariant: bar, sentence and table are of the same figures, the exchange's own.
import { useRef } from "preact/hooks";
import { cents, dollars } from "../words.ts";
import type { Risk } from "./risk.ts";
import { useWidth } from "./width.ts";

type Layer = Risk["layers"][number]["layer"];

const names: Readonly<Record<Layer, string>> = {
  exchange: "The exchange’s own layer",
  fund: "The guarantee fund",
  contributions: "Sellers’ contributions",
};

export function Fund({ risk }: { readonly risk: Risk }) {
  const { layers, fund, cover2, isCovered } = risk;
  const has = layers.reduce((sum, { balance }) => sum + Number(balance), 0);
  const filled = layers.filter(({ balance }) => Number(balance) > 0).length;
  return (
    <section class="card fund" aria-labelledby="fund">
      <h2 id="fund">The fund against the two weakest owners</h2>
      <p>
        <strong class={isCovered ? "good-words" : "bad-words"}>
          {isCovered ? "Covered." : "Not covered."}
        </strong>{" "}
        {Number(cover2) === 0 ? (
          <>Nobody lacks margin now, and the layers have {cents(has)} to bear a loss.</>
        ) : (
          <>
            The layers have {cents(has)}; if the two owners that lack most gave up now, they would
            leave a loss of {cents(Number(cover2))}.
          </>
        )}
      </p>
      {(Number(cover2) > 0 || filled > 1) && <FundBar risk={risk} has={has} />}
      <LayerTable risk={risk} has={has} />
      <p class="source">
        Set aside for positions that the fund took over, and not counted above:{" "}
        {cents(Number(fund.setAside))}.
      </p>
    </section>
  );
}

interface HasProps {
  readonly risk: Risk;
  /** All layers together. */
  readonly has: number;
}

const LayerTable = ({ risk: { layers, target, cover1, cover2 }, has }: HasProps) => (
  <div class="sheet">
    <table>
      <caption>In the order in which a loss is borne, after the defaulter’s own margin.</caption>
      <thead>
        <tr>
          <th scope="col">Layer</th>
          <th scope="col" class="number">
            Has
          </th>
          <th scope="col" class="number">
            Is to have
          </th>
        </tr>
      </thead>
      <tbody>
        {layers.map((one) => (
          <tr key={one.layer}>
            <th scope="row">
              <span class={`swatch layer-${one.layer}`} aria-hidden="true" /> {names[one.layer]}
            </th>
            <td class="number">{cents(Number(one.balance))}</td>
            <td class="number">{one.target === null ? "–" : cents(Number(one.target))}</td>
          </tr>
        ))}
        <tr class="sum">
          <th scope="row">All layers</th>
          <td class="number">{cents(has)}</td>
          <td class="number">{cents(Number(target))}</td>
        </tr>
        <tr>
          <th scope="row">The weakest owner lacks (cover‑1)</th>
          <td class="number">{cents(Number(cover1))}</td>
          <td />
        </tr>
        <tr>
          <th scope="row">The two weakest lack (cover‑2)</th>
          <td class="number">{cents(Number(cover2))}</td>
          <td />
        </tr>
      </tbody>
    </table>
  </div>
);

const HEIGHT = 58;
const BAR = { top: 20, height: 26 };

function FundBar({ risk, has }: HasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame, 640);
  const [one, two] = [Number(risk.cover1), Number(risk.cover2)];
  const most = Math.max(has, two) * 1.04;
  const x = (amount: number): number => (most === 0 ? 0 : (Math.max(0, amount) / most) * width);
  let from = 0;
  return (
    <div ref={frame} class="fund-bar">
      <svg
        role="img"
        aria-label={`The layers have ${dollars(has)} against ${dollars(two)}`}
        width={width}
        height={HEIGHT}
      >
        <rect class="trough" y={BAR.top} width={width} height={BAR.height} rx={4} />
        {risk.layers.map(({ layer, balance }) => {
          const start = from;
          from += Math.max(0, Number(balance));
          return (
            <rect
              key={layer}
              class={`layer-${layer}`}
              x={x(start)}
              y={BAR.top}
              width={x(from) - x(start)}
              height={BAR.height}
            />
          );
        })}
        {two > 0 && (
          <>
            <Cover at={x(one)} name="cover-1" width={width} />
            {two > one && <Cover at={x(two)} name="cover-2" width={width} />}
          </>
        )}
      </svg>
    </div>
  );
}

interface CoverProps {
  readonly at: number;
  readonly name: string;
  readonly width: number;
}

const Cover = ({ at, name, width }: CoverProps) => (
  <>
    <line class="cover" x1={at} x2={at} y1={BAR.top - 6} y2={BAR.top + BAR.height + 6} />
    <text
      class="axis"
      x={at}
      y={BAR.top - 9}
      text-anchor={at < 30 ? "start" : at > width - 30 ? "end" : "middle"}
    >
      {name}
    </text>
  </>
);
