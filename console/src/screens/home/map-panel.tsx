// The map with what belongs to it: the choice of what it shows, its legend, its table.
// Invariant: the table has every value of the map; the map's room is there before the map is.
import { useEffect, useState } from "preact/hooks";
import { placeIdOf, stateCodeOf } from "../../parts/states.ts";
import { type Reading, useReading } from "../../query.ts";
import { change, dollars, monthWords, percent } from "../../words.ts";
import { type Overview, overview, type PlaceNow } from "./overview.ts";
import { type ScaleName, scales } from "./scales.ts";

type DrawnMap = typeof import("./map.tsx").PlaceMap;

/** The map's own script comes after the screen stands. */
function useMapScript(): DrawnMap | undefined {
  const [drawn, setDrawn] = useState<{ readonly map: DrawnMap }>();
  useEffect(() => {
    void import("./map.tsx").then(({ PlaceMap }) => setDrawn({ map: PlaceMap }));
  }, []);
  return drawn?.map;
}

export function MapPanel() {
  const [scale, setScale] = useState<ScaleName>("change");
  const [chosen, setChosen] = useState<string>();
  const states = useReading(overview, ["state"]);
  const counties = useReading(
    overview,
    chosen === undefined ? undefined : ["county", stateCodeOf(chosen)],
  );
  const Drawn = useMapScript();
  const id = chosen === undefined ? undefined : placeIdOf(chosen);
  return (
    <section class="map-panel card" aria-label="Map of home values">
      <div class="row apart">
        <ScaleSwitch scale={scale} onScale={setScale} />
        {id !== undefined && <ChosenState id={id} onBack={() => setChosen(undefined)} />}
      </div>
      {Drawn === undefined ? (
        <div class="map" />
      ) : (
        <Drawn
          scale={scale}
          states={states}
          counties={counties}
          chosen={chosen}
          onChoose={setChosen}
        />
      )}
      <Legend scale={scale} />
      <MapTable scale={scale} states={states} />
    </section>
  );
}

interface ScaleProps {
  readonly scale: ScaleName;
  onScale(scale: ScaleName): void;
}

const ScaleSwitch = ({ scale, onScale }: ScaleProps) => (
  <fieldset class="switch">
    <legend class="unseen">What the map shows</legend>
    {(["change", "price"] as const).map((one) => (
      <label key={one}>
        <input
          type="radio"
          name="scale"
          checked={scale === one}
          onChange={() => {
            onScale(one);
          }}
        />
        {scales[one].title}
      </label>
    ))}
  </fieldset>
);

const ChosenState = ({ id, onBack }: { readonly id: string; onBack(): void }) => (
  <span class="row">
    <a class="button slim" href={`/place/${id}`}>
      Open this state
    </a>
    <button type="button" class="button slim" onClick={onBack}>
      All states
    </button>
  </span>
);

const Legend = ({ scale }: { readonly scale: ScaleName }) => (
  <ul class="legend" aria-label={scales[scale].title}>
    {scales[scale].steps.map(({ name, words }) => (
      <li key={name}>
        <span class={`swatch ${name}`} />
        {words}
      </li>
    ))}
  </ul>
);

interface TableProps {
  readonly scale: ScaleName;
  readonly states: Reading<Overview>;
}

function MapTable({ scale, states }: TableProps) {
  if (states.state !== "ready") return <p class="source room-line" />;
  const { places, attribution } = states.data;
  const [first] = places.values();
  if (first === undefined) {
    return <p class="soft">No state has a print yet. The map fills with the first release.</p>;
  }
  const rows = [...places.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return (
    <div class="grid-tight">
      <p class="source">
        {scale === "price" &&
          "In percent of the coverage, for a year, paying for a fall from 2% to 10%. "}
        Typical home value, {monthWords(first.month)}, as first published. {attribution}.
      </p>
      <details>
        <summary>Show as a table</summary>
        <div class="sheet">
          <table>
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Home value
                </th>
                <th scope="col" class="number">
                  12 months
                </th>
                <th scope="col" class="number">
                  Price
                </th>
              </tr>
            </thead>
            <tbody>{rows.map(stateRow)}</tbody>
          </table>
        </div>
      </details>
    </div>
  );
}

const stateRow = (place: PlaceNow) => (
  <tr key={place.id}>
    <th scope="row">
      <a href={`/place/${place.id}`}>{place.name}</a>
    </th>
    <td class="number">{dollars(place.value)}</td>
    <td class="number">{place.change === undefined ? "–" : change(place.change)}</td>
    <td class="number">{place.price === undefined ? "–" : percent(place.price)}</td>
  </tr>
);
