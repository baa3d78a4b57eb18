// The map: states, and the counties of the one that was chosen, coloured by change or by price.
// Invariant: it only shows what the table beside it says too; falls are hatched, not only coloured.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { countyShapes, HEIGHT, type Shape, stateShapes, WIDTH } from "../../parts/shapes.ts";
import { placeIdOf } from "../../parts/states.ts";
import { type Reading, useReading } from "../../query.ts";
import { change, dollars, monthWords, percent } from "../../words.ts";
import type { Overview, PlaceNow } from "./overview.ts";
import { type ScaleName, stepOf } from "./scales.ts";

interface MapProps {
  readonly scale: ScaleName;
  readonly states: Reading<Overview>;
  readonly counties: Reading<Overview>;
  /** The state whose counties are shown. */
  readonly chosen: string | undefined;
  onChoose(fips: string | undefined): void;
}

export function PlaceMap({ scale, states, counties, chosen, onChoose }: MapProps) {
  const shapes = useReading(stateShapes, []);
  const parts = useReading(countyShapes, chosen === undefined ? undefined : []);
  const [pointed, setPointed] = useState<Pointed>();
  const all = shapes.state === "ready" ? shapes.data : [];
  const within = useMemo(
    () =>
      chosen === undefined || parts.state !== "ready"
        ? []
        : parts.data.filter(({ fips }) => fips.startsWith(chosen)),
    [chosen, parts],
  );
  const places = new Map([
    ...(states.state === "ready" ? states.data.places : []),
    ...(counties.state === "ready" ? counties.data.places : []),
  ]);
  const zoom = zoomOn(all.find(({ fips }) => fips === chosen));
  const svg = useRef<SVGSVGElement>(null);
  useChoosing(svg, chosen, onChoose, setPointed);
  return (
    <div class="map" onPointerLeave={() => setPointed(undefined)}>
      <svg ref={svg} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <defs>
          <pattern id="falls" width="7" height="7" patternUnits="userSpaceOnUse">
            <path d="M-1 8 8 -1M-2 2 2 -2M5 9 9 5" class="hatch" />
          </pattern>
        </defs>
        <g class="zoom" style={{ transform: zoom }}>
          {all.map((shape) => (
            <Area
              key={shape.fips}
              shape={shape}
              scale={scale}
              place={places.get(placeIdOf(shape.fips) ?? "")}
              isFaded={chosen !== undefined && chosen !== shape.fips}
            />
          ))}
          {within.map((shape) => (
            <Area
              key={shape.fips}
              shape={shape}
              scale={scale}
              place={places.get(placeIdOf(shape.fips) ?? "")}
              isFaded={false}
            />
          ))}
        </g>
      </svg>
      {shapes.state === "waiting" && <div class="waiting map-room" />}
      {pointed !== undefined && (
        <Tip
          pointed={pointed}
          name={[...all, ...within].find(({ fips }) => fips === pointed.fips)?.name ?? ""}
          place={places.get(placeIdOf(pointed.fips) ?? "")}
        />
      )}
    </div>
  );
}

interface AreaProps {
  readonly shape: Shape;
  readonly scale: ScaleName;
  readonly place: PlaceNow | undefined;
  readonly isFaded: boolean;
}

function Area({ shape, scale, place, isFaded }: AreaProps) {
  const value = scale === "change" ? place?.change : place?.price;
  const step = stepOf(scale, value);
  const isFall = scale === "change" && value !== undefined && value < -0.5;
  return (
    <g class={isFaded ? "area faded" : "area"} data-fips={shape.fips}>
      <path d={shape.line} class={step?.name ?? "no-value"} />
      {isFall && <path d={shape.line} class="fall-lines" />}
    </g>
  );
}

/** A state fills three quarters of the map; none: the whole country. */
function zoomOn(shape: Shape | undefined): string {
  if (shape === undefined) return "none";
  const [[left, top], [right, bottom]] = shape.box;
  const share = Math.max((right - left) / WIDTH, (bottom - top) / HEIGHT);
  const times = Math.min(12, 0.8 / share);
  const x = WIDTH / 2 - (times * (left + right)) / 2;
  const y = HEIGHT / 2 - (times * (top + bottom)) / 2;
  return `translate(${x}px, ${y}px) scale(${times})`;
}

interface Pointed {
  readonly fips: string;
  readonly x: number;
  readonly y: number;
}

const fipsAt = (event: Event): string | undefined =>
  event.target instanceof Element
    ? (event.target.closest("[data-fips]")?.getAttribute("data-fips") ?? undefined)
    : undefined;

/** One listener for all shapes: a state zooms in, one of its counties is gone to. */
function useChoosing(
  svg: { readonly current: SVGSVGElement | null },
  chosen: string | undefined,
  onChoose: (fips: string | undefined) => void,
  onPoint: (pointed: Pointed | undefined) => void,
): void {
  const { route } = useLocation();
  useEffect(() => {
    const element = svg.current;
    if (element === null) return undefined;
    const click = (event: Event): void => {
      const fips = fipsAt(event);
      onPoint(undefined);
      if (fips === undefined) onChoose(undefined);
      else if (fips.length === 5) route(`/place/county:${fips}`);
      else onChoose(fips === chosen ? undefined : fips);
    };
    const move = (event: PointerEvent): void => {
      const fips = fipsAt(event);
      const { left, top } = element.getBoundingClientRect();
      const isTouch = event.pointerType === "touch";
      if (fips === undefined || isTouch) onPoint(undefined);
      else onPoint({ fips, x: event.clientX - left, y: event.clientY - top });
    };
    element.addEventListener("click", click);
    element.addEventListener("pointermove", move);
    return () => {
      element.removeEventListener("click", click);
      element.removeEventListener("pointermove", move);
    };
  }, [svg, chosen, onChoose, onPoint, route]);
}

interface TipProps {
  readonly pointed: Pointed;
  readonly name: string;
  readonly place: PlaceNow | undefined;
}

const Tip = ({ pointed, name, place }: TipProps) => (
  <div class="tip" style={{ left: `${pointed.x}px`, top: `${pointed.y}px` }}>
    <strong>{name}</strong>
    {place === undefined ? (
      <span>No prints here</span>
    ) : (
      <>
        <span>
          {dollars(place.value)}, {monthWords(place.month)}
        </span>
        {place.change !== undefined && <span>{change(place.change)} in 12 months</span>}
        {place.price !== undefined && <span>A year’s protection: {percent(place.price)}</span>}
      </>
    )}
  </div>
);
