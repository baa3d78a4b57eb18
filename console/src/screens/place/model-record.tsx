// How the model's prices would have done: what buyers would have paid for each dollar paid out.
// Invariant: the row is of the model that quotes, and of the months and the layer that are chosen.
import { answered } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, cents } from "../../words.ts";

const record = new Question(async () => (await answered(exchange.value.GET("/api/model"))).data, {
  freshSeconds: 3600,
});

/** The finest panel of the record: an index of home values at a level. */
const PANEL = "ZHVI county";

interface RecordProps {
  readonly months: number;
  /** The place among the standard layers. */
  readonly layer: number;
}

/** It is asked for when it is opened: after a release the exchange works seconds on the answer. */
export function ModelRecord(props: RecordProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>How good the price has been</summary>
      {isOpen && <Past {...props} />}
    </details>
  );
}

function Past({ months, layer }: RecordProps) {
  const reading = useReading(record, []);
  return (
    <Shown reading={reading} room="short">
      {({ model, record: { rows } }) => {
        const row = rows.find(
          (one) => one.model === model && one.horizonMonths === months && one.panel === PANEL,
        );
        const cost = row?.priceOverPayout[layer];
        if (row === undefined || cost == null) return <p class="soft">There is no record of it.</p>;
        const [from = "", to = ""] = row.origins.split(" to ").map((month) => month.slice(0, 4));
        return (
          <>
            <p class="small">
              Priced every month from {from} to {to} in {amount(row.places)} counties, such
              protection would have cost buyers <strong class="figures">{cents(cost)}</strong> for
              each $1 it paid back.
            </p>
            <p class="source">
              On histories as they were restated later, by constants known at the time. Data from
              Zillow. <a href="/docs/guides/concepts/pricing">The whole record.</a>
            </p>
          </>
        );
      }}
    </Shown>
  );
}
