// The screen of risk: 2005–2011 again, the fund, scenarios and open protection.
// Invariant: each figure is the exchange's own, and has its table.
import "./risk.css";
import { Fund } from "../../parts/fund.tsx";
import { Shown } from "../../parts/note.tsx";
import { risk } from "../../parts/risk.ts";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import { Replay } from "./replay.tsx";
import { Scenarios } from "./scenarios.tsx";
import { States } from "./states.tsx";

export default function Risk() {
  useTitle("Risk");
  const reading = useReading(risk, []);
  return (
    <div class="risk">
      <header>
        <h1>Behind every payout</h1>
        <p class="lead">
          A seller of protection keeps enough cash here for the worst of a published list of
          scenarios. If that is not enough after all, a fund in layers pays.
        </p>
      </header>
      <Shown reading={reading} room="tall">
        {(data) => (
          <>
            <Replay replay={data.replay} />
            <div class="risk-pair">
              <Fund risk={data} />
              <States open={data.open} />
            </div>
            <Scenarios open={data.open} />
          </>
        )}
      </Shown>
    </div>
  );
}
