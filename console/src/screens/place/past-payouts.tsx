// What such a protection would have paid in the past, begun in every month there is.
// Invariant: it counts all months alike, those that paid nothing too.
import { Shown } from "../../parts/note.tsx";
import { type Layer, pastOf } from "../../parts/protection.ts";
import { useReading } from "../../query.ts";
import { amount, dollars, monthWords, percent } from "../../words.ts";
import { placeHistory } from "./history.ts";

interface PastProps {
  readonly nodeId: string;
  readonly months: number;
  readonly layer: Layer;
  readonly coverage: number;
}

export function PastPayouts({ nodeId, months, layer, coverage }: PastProps) {
  const reading = useReading(placeHistory, [nodeId]);
  return (
    <div class="past">
      <h3>What it would have paid</h3>
      <Shown reading={reading} room="line">
        {(points) => {
          const past = pastOf(points, months, layer);
          if (past === undefined)
            return (
              <p class="soft">The history is too short to say: it has under {months} months.</p>
            );
          return (
            <>
              <p>
                Begun in each of the {amount(past.count)} months from {monthWords(past.from)} to{" "}
                {monthWords(past.to)}, it would have paid{" "}
                <strong class="figures">
                  {past.paid === 0 ? "never" : `${amount(past.paid)} times`}
                </strong>
                {past.paid > 0 && (
                  <>
                    , {past.full === 0 ? "none" : amount(past.full)} of them in full:{" "}
                    {dollars(coverage * past.meanShare)} on average
                  </>
                )}
                .
              </p>
              <p class="soft small">
                {past.worst.fall > 0
                  ? `The worst ${months} months began in ${monthWords(past.worst.month)}: a fall of ${percent(past.worst.fall)}.`
                  : `The index has not fallen over any ${months} months since then.`}{" "}
                The past says little about what comes.
              </p>
            </>
          );
        }}
      </Shown>
    </div>
  );
}
