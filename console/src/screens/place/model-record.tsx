// How the model's prices would have done: what buyers would have paid for each dollar paid out.
// Invariant: the row is of the model that quotes, and of the months and the layer that are chosen.
import { answered } from "@firstprint/sdk";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, cents, percent } from "../../words.ts";

const record = new Question(async () => (await answered(exchange.value.GET("/api/model"))).data, {
  freshSeconds: 3600,
});

/** The finest panel of the record: an index of home values at a level. */
const PANEL = "ZHVI county";

interface RecordProps {
  readonly months: number;
  /** Which of the standard layers. */
  readonly layer: number;
}

export function ModelRecord({ months, layer }: RecordProps) {
  const reading = useReading(record, []);
  if (reading.state !== "ready") return <div class="waiting room-line" />;
  const { model, record: past } = reading.data;
  const row = past.rows.find(
    (one) => one.model === model && one.horizonMonths === months && one.panel === PANEL,
  );
  const cost = row?.priceOverPayout[layer];
  if (row === undefined || cost == null) return null;
  const [from = "", to = ""] = row.origins.split(" to ").map((month) => month.slice(0, 4));
  return (
    <div class="past">
      <h3>How good the price is</h3>
      <p>
        Priced every month from {from} to {to} in {amount(row.places)} counties, such protection
        would have cost buyers <strong class="figures">{cents(cost)}</strong> for each $1 it paid
        back, so {percent(100 * (1 - 1 / cost))} of the price was for bearing the risk.
      </p>
      <p class="source">
        On histories as they were restated later, by constants known at the time. Data from Zillow.{" "}
        <a href="/docs/guides/concepts/pricing">The whole record.</a>
      </p>
    </div>
  );
}
