// The search for a place: a combobox over the exchange's own search.
// Invariant: arrows, Enter and Escape do all that a pointer does; the list says how many it has.
import { answered, type Schemas } from "@firstprint/sdk";
import { useEffect, useId, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Question, useReading } from "../query.ts";
import { exchange } from "../session.ts";

type Place = Pick<Schemas["GeoPlace"], "id" | "level" | "name" | "stateCode">;

const MOST_SHOWN = 8;
const PAUSE_MILLIS = 120;

const levels: Readonly<Record<Place["level"], string>> = {
  state: "state",
  county: "county",
  city: "city",
  neighborhood: "neighborhood",
  zip: "zip code",
};

interface FoundPlaces {
  readonly isFound: boolean;
  /** The places found, or, where there are none, the nearest that have data. */
  readonly places: readonly Place[];
}

const search = new Question(async (text: string): Promise<FoundPlaces> => {
  const query = { q: text, limit: MOST_SHOWN };
  const asked = exchange.value.GET("/api/geo/search", { params: { query } });
  const { data, nearest } = await answered(asked);
  const isFound = data.length > 0;
  return { isFound, places: isFound ? data : nearest };
});

/** The text once nobody has typed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MILLIS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

export function PlaceSearch() {
  const id = useId();
  const { route } = useLocation();
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const asked = usePaused(text.trim());
  const reading = useReading(search, asked === "" ? undefined : [asked], { keepsLast: true });
  const answer = asked !== "" && reading.state === "ready" ? reading.data : undefined;
  const found = answer?.places ?? [];
  const isShown = isOpen && text.trim() !== "";

  const go = (place: Place | undefined): void => {
    if (place === undefined) return;
    setOpen(false);
    route(`/place/${place.id}`);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Escape") setOpen(false);
    else if (event.key === "Enter") go(found[chosen]);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : found.length - 1;
      setOpen(true);
      if (found.length > 0) setChosen((chosen + step) % found.length);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="search">
      <SearchLabel field={`${id}-field`} />
      <Glass />
      <input
        id={`${id}-field`}
        type="text"
        role="combobox"
        autoComplete="off"
        spellcheck={false}
        placeholder="Zip code, city, county or state"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(isShown && found.length > 0 ? { "aria-activedescendant": `${id}-${chosen}` } : {})}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
          setOpen(true);
        }}
        onKeyDown={press}
        onBlur={() => setOpen(false)}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Places found" hidden={!isShown}>
        {isShown && answer?.isFound !== true && (
          <div role="option" aria-selected={false} aria-disabled class="soft" tabIndex={-1}>
            {wordsOf(answer, asked)}
          </div>
        )}
        {found.map((place, index) => (
          <Option
            key={place.id}
            id={`${id}-${index}`}
            place={place}
            isChosen={index === chosen}
            onChoose={() => go(place)}
          />
        ))}
      </div>
      <FoundStatus count={isShown && reading.state === "ready" ? found.length : undefined} />
    </div>
  );
}

function wordsOf(answer: FoundPlaces | undefined, asked: string): string {
  if (answer === undefined) return "Looking…";
  const none = `No place is called “${asked}”`;
  return answer.places.length === 0 ? none : `${none}. The nearest with data:`;
}

interface OptionProps {
  readonly id: string;
  readonly place: Place;
  readonly isChosen: boolean;
  onChoose(): void;
}

const Option = ({ id, place, isChosen, onChoose }: OptionProps) => (
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={isChosen}
    // The field keeps the focus, so that its list stays open until the choice is made.
    onPointerDown={(event) => event.preventDefault()}
    onClick={onChoose}
    onKeyDown={(event) => event.key === "Enter" && onChoose()}
  >
    <span>
      {place.name}
      {place.level === "state" ? "" : `, ${place.stateCode}`}
    </span>
    <span class="soft small">{levels[place.level]}</span>
  </div>
);

const SearchLabel = ({ field }: { readonly field: string }) => (
  <label class="unseen" for={field}>
    Place: a zip code, city, county or state
  </label>
);

const FoundStatus = ({ count }: { readonly count: number | undefined }) => (
  <span class="unseen" role="status">
    {count === undefined ? "" : `${count} places found`}
  </span>
);

const Glass = () => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="10.5" cy="10.5" r="6.5" />
    <path d="m15.5 15.5 5 5" />
  </svg>
);
