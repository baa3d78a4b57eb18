// A maker's mandates: standing instructions at the mark and a spread, set, changed and cancelled.
// Invariant: a change sends what the form shows; a scope that is narrowed keeps its place.
import type { Schemas } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { indexWords } from "../../parts/market-words.ts";
import { Note } from "../../parts/note.tsx";
import { dollars } from "../../words.ts";
import { cancelMandate, type Draft, draftOf, newDraft, saveMandate } from "./mandate-draft.ts";

type Mandate = Schemas["Mandate"];

interface MandatesProps {
  readonly mandates: readonly Mandate[];
  act(what: string, does: () => Promise<{ readonly words: string }>): Promise<void>;
}

export function Mandates({ mandates, act }: MandatesProps) {
  const [draft, setDraft] = useState<Draft>(newDraft);
  const save = (): void => {
    void act(draft.id === null ? "Setting a mandate" : `Changing ${draft.id}`, async () => {
      const told = await saveMandate(draft);
      setDraft(newDraft);
      return told;
    });
  };
  return (
    <section class="card" aria-labelledby="mandates">
      <h2 id="mandates">Mandates</h2>
      {mandates.length === 0 ? (
        <Note title="No mandate stands">
          <p>A mandate sells or buys every contract of a scope at the mark and a spread.</p>
        </Note>
      ) : (
        <Standing
          mandates={mandates}
          onChange={(one) => setDraft(draftOf(one))}
          onCancel={({ id }) => void act(`Cancelling ${id}`, () => cancelMandate(id))}
        />
      )}
      <Terms draft={draft} setDraft={setDraft} onSave={save} />
    </section>
  );
}

interface StandingProps {
  readonly mandates: readonly Mandate[];
  onChange(mandate: Mandate): void;
  onCancel(mandate: Mandate): void;
}

const Standing = ({ mandates, onChange, onCancel }: StandingProps) => (
  <div class="sheet">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Places</th>
          <th scope="col" class="number">
            Beyond the mark
          </th>
          <th scope="col" class="number">
            At most in all
          </th>
          <th scope="col">
            <span class="unseen">Change or cancel it</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {mandates.map((one) => (
          <tr key={one.id}>
            <th scope="row">
              {one.id} {one.side === "SELL" ? "sells" : "buys"} {indexWords(one.index)}
            </th>
            <td data-name="Places">{one.places.join(", ")}</td>
            <td class="number" data-name="Beyond the mark">
              {(one.spreadBps / 10_000).toFixed(4)}
            </td>
            <td class="number" data-name="At most in all">
              {dollars(Number(one.maxTotalUsd))}
            </td>
            <td>
              <button type="button" class="button slim" onClick={() => onChange(one)}>
                Change {one.id}
              </button>{" "}
              <button type="button" class="button slim" onClick={() => onCancel(one)}>
                Cancel {one.id}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

interface TermsProps {
  readonly draft: Draft;
  setDraft(draft: Draft): void;
  onSave(): void;
}

function Terms({ draft, setDraft, onSave }: TermsProps) {
  const change = (changed: Partial<Draft>): void => setDraft({ ...draft, ...changed });
  const text = (label: string, name: TextName, inputMode: "text" | "decimal" | "numeric") => (
    <label class="field">
      <span>{label}</span>
      <input
        value={draft[name]}
        inputMode={inputMode}
        pattern={patterns[inputMode]}
        required
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => change({ [name]: value })}
      />
    </label>
  );
  return (
    <form
      class="fields"
      aria-label={draft.id === null ? "Set a mandate" : `Change ${draft.id}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <Choice
        label="It"
        value={draft.side}
        of={{ SELL: "sells protection", BUY: "buys protection" }}
        onValue={(value) => change({ side: value === "BUY" ? "BUY" : "SELL" })}
      />
      <Choice
        label="On"
        value={draft.index}
        of={{ zhvi: "home values", zori: "rents" }}
        onValue={(value) => change({ index: value === "zori" ? "zori" : "zhvi" })}
      />
      {text("Places, such as state:tx, zip:78701", "places", "text")}
      {text("Beyond the mark, in .0001", "spread", "numeric")}
      {text("And for each year, in .0001", "spreadPerYear", "numeric")}
      {text("At most in one market, USD", "perMarket", "decimal")}
      {text("At most in one state, USD", "perState", "decimal")}
      {text("At most in all, USD", "total", "decimal")}
      <div class="row">
        <button type="submit" class="button first">
          {draft.id === null ? "Set it" : `Save ${draft.id}`}
        </button>
        {draft.id !== null && (
          <button type="button" class="button" onClick={() => setDraft(newDraft)}>
            Leave it as it is
          </button>
        )}
      </div>
    </form>
  );
}

/** Digits as the exchange takes them; anything else is told before it is sent. */
const patterns = { text: ".+", numeric: "[0-9]{1,4}", decimal: "[0-9]+(\\.[0-9]{1,2})?" } as const;

type TextName = "places" | "spread" | "spreadPerYear" | "perMarket" | "perState" | "total";

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly of: Readonly<Record<string, string>>;
  onValue(value: string): void;
}

const Choice = ({ label, value, of, onValue }: ChoiceProps) => (
  <label class="field">
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
      {Object.entries(of).map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  </label>
);
