// The form of a maker's rule, and which markets it is for.
// Invariant: the button says how many markets it quotes before it is pressed.
import { useState } from "preact/hooks";
import type { Filter } from "./desk.ts";
import type { Rule } from "./rule.ts";

interface FormProps {
  readonly rule: Rule;
  readonly filter: Filter;
  readonly markets: number;
  readonly isDisabled: boolean;
  setRule(rule: Rule): void;
  setFilter(filter: Filter): void;
  onQuote(): void;
}

export function RuleForm(props: FormProps) {
  const { rule, markets, isDisabled, setRule, onQuote } = props;
  const change = (changed: Partial<Rule>): void => setRule({ ...rule, ...changed });
  return (
    <section class="card" aria-labelledby="rule">
      <h2 id="rule">Quote by rule</h2>
      <Markets {...props} />
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          onQuote();
        }}
      >
        <Whole
          label="Bid below the mark, in .0001"
          value={rule.below}
          most={9_999}
          onValue={(below) => change({ below })}
        />
        <Whole
          label="Ask above the mark, in .0001"
          value={rule.above}
          most={9_999}
          onValue={(above) => change({ above })}
        />
        <Whole
          label="Contracts a side"
          value={rule.contracts}
          most={10_000_000}
          onValue={(contracts) => change({ contracts })}
        />
        <label class="field">
          <span>Sides</span>
          <select
            value={rule.sides}
            onChange={({ currentTarget: { value } }) =>
              change({ sides: value === "bid" || value === "ask" ? value : "both" })
            }
          >
            <option value="both">bid and ask</option>
            <option value="bid">bid only</option>
            <option value="ask">ask only</option>
          </select>
        </label>
        <div class="row">
          <button type="submit" class="button first" disabled={isDisabled}>
            Quote {markets} {markets === 1 ? "market" : "markets"}
          </button>
        </div>
      </form>
      <p class="small soft">
        A quote takes the place of all you rest in its market, and never trades at once. Where the
        new one is refused, the old one is gone too.
      </p>
    </section>
  );
}

function Markets({ filter, setFilter }: Pick<FormProps, "filter" | "setFilter">) {
  const [text, setText] = useState(filter.text);
  return (
    <form
      class="fields"
      aria-label="Markets to quote"
      onSubmit={(event) => {
        event.preventDefault();
        setFilter({ ...filter, text: text.trim() });
      }}
    >
      <label class="field">
        <span>Index</span>
        <select
          value={filter.index}
          onChange={({ currentTarget: { value } }) =>
            setFilter({ text: text.trim(), index: indexOf(value) })
          }
        >
          <option value="">every index</option>
          <option value="zhvi">home values</option>
          <option value="zori">rents</option>
          <option value="vacancy">rental vacancy</option>
          <option value="weather">weather</option>
        </select>
      </label>
      <label class="field">
        <span>Place or market contains</span>
        <input
          value={text}
          maxLength={64}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="row">
        <button type="submit" class="button">
          Show
        </button>
      </div>
    </form>
  );
}

const indexOf = (value: string): Filter["index"] =>
  (["zhvi", "zori", "vacancy", "weather"] as const).find((one) => one === value) ?? "";

interface WholeProps {
  readonly label: string;
  readonly value: number;
  readonly most: number;
  onValue(value: number): void;
}

const Whole = ({ label, value, most, onValue }: WholeProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      type="number"
      inputMode="numeric"
      min={1}
      max={most}
      step={1}
      required
      value={value}
      onInput={(event) => {
        const whole = event.currentTarget.valueAsNumber;
        if (Number.isInteger(whole) && whole >= 1 && whole <= most) onValue(whole);
      }}
    />
  </label>
);
