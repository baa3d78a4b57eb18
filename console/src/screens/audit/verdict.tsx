// The verdict of a check, in words and as data.
// Invariant: the words are the offline program's own; what is not proven stands beside what is.
import type { Told } from "../../verifier/told.ts";
import { amount } from "../../words.ts";

type Judged = Extract<Told, { state: "judged" }>;

interface VerdictProps {
  readonly judged: Judged;
  readonly name: string;
}

export function Verdict({ judged, name }: VerdictProps) {
  const { verdict, words, hashes, tookMillis } = judged;
  const [first = "", ...more] = words
    .replace(/^The export (?:holds: |does not hold\. )/, "")
    .split("\n");
  const seconds = Math.max(tookMillis, 1) / 1000;
  const made = `${amount(hashes)} hashes of ${amount(verdict.entries)} entries`;
  const rate = amount(Math.round(hashes / seconds));
  const speed = `${made} in ${seconds.toFixed(2)} s: ${rate} a second`;
  return (
    <div class={verdict.holds ? "verdict" : "verdict broken"} role="status">
      <h3>{verdict.holds ? "The export holds" : "The export does not hold"}</h3>
      {verdict.brokenAt !== undefined && (
        <p>
          The first entry that is not as it was sealed: <strong>{verdict.brokenAt}</strong>.
        </p>
      )}
      <p class="small">{first}</p>
      {more.map((line) => (
        <p key={line} class="small soft">
          {line}
        </p>
      ))}
      <p class="source">
        {name}: {speed}
      </p>
      <details>
        <summary>As data</summary>
        <pre class="code">{JSON.stringify(verdict, null, 2)}</pre>
      </details>
    </div>
  );
}
