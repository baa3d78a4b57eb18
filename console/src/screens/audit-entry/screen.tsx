// An entry of the trail: what it says, what its hash covers, and that hash computed here.
// Invariant: the bytes themselves are shown as hashed, not the exchange's reading of them.
import "../audit/audit.css";
import { answered, type Schemas } from "@firstprint/sdk";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { bytesOf, fromBase64, textOf } from "../../../../tools/octets.ts";
import { AskKey } from "../../parts/ask-key.tsx";
import { actionWords, timeAndSeconds } from "../../parts/entry-words.ts";
import { Note, Shown } from "../../parts/note.tsx";
import { useTitle } from "../../parts/title.ts";
import { Question, useReading } from "../../query.ts";
import { exchange, isSignedIn } from "../../session.ts";
import type { Told } from "../../verifier/told.ts";
import { judge } from "../../verifier/verifier.ts";

type Entry = Schemas["ExportedAuditEntry"];

/** The trail is read by time: an entry is looked for among those of its second. */
const entryOf = new Question(
  async (sequence: number, at: number): Promise<Entry | undefined> => {
    const query = { startTime: at, endTime: at };
    const asked = exchange.value.GET("/api/audit/export", { params: { query } });
    return (await answered(asked)).data.find((entry) => entry.sequence === sequence);
  },
  { isPrivate: true, freshSeconds: 3600 },
);

export default function AuditEntry() {
  const sequence = Number(useRoute().params.sequence);
  const at = Number(useLocation().query.at);
  useTitle(`Entry ${sequence}`);
  return (
    <div class="audit">
      <header>
        <p class="small">
          <a href="/audit">Audit trail</a>
        </p>
        <h1>Entry {sequence}</h1>
      </header>
      {isSignedIn.value ? (
        <Found sequence={sequence} at={at} />
      ) : (
        <AskKey title="Sign in to see this entry">
          A trader’s key shows what concerns its account, an auditor’s or an operator’s everything.
        </AskKey>
      )}
    </div>
  );
}

function Found({ sequence, at }: { readonly sequence: number; readonly at: number }) {
  const isAddress = Number.isSafeInteger(sequence) && Number.isSafeInteger(at);
  const reading = useReading(entryOf, isAddress ? [sequence, at] : undefined);
  const none = (
    <Note title="There is no such entry for this key">
      <p>
        <a href="/audit">Search the trail</a> and open the entry from there.
      </p>
    </Note>
  );
  if (!isAddress) return none;
  return (
    <Shown reading={reading} room="tall">
      {(entry) => (entry === undefined ? none : <Whole entry={entry} />)}
    </Shown>
  );
}

const Whole = ({ entry }: { readonly entry: Entry }) => (
  <>
    <section class="card" aria-labelledby="what">
      <h2 id="what">What was done</h2>
      <dl class="facts">
        <Fact name="Done" words={actionWords(entry.action)} />
        <Fact name="When" words={`${timeAndSeconds(entry.timestamp)} UTC`} />
        <Fact name="By" words={[entry.userName, entry.userId].filter(Boolean).join(", ")} />
        <Fact name="To what" words={entry.resource} />
        <Fact name="Outcome" words={entry.success ? "done" : "refused"} />
        <Fact name="Severity" words={entry.severity} />
      </dl>
      <Data name="Details" value={entry.details} />
    </section>
    <section class="card" aria-labelledby="covered">
      <h2 id="covered">What its hash covers</h2>
      <Hash entry={entry} />
      <dl class="facts">
        <Fact name="Hash" words={entry.hash} />
        <Fact name="Hash before" words={entry.previousHash} />
      </dl>
      {entry.bytes === undefined ? (
        <p class="soft">Its bytes tell of others too, and are not shown to this key.</p>
      ) : (
        <Data name="Its bytes" value={valueIn(entry.bytes)} />
      )}
      {entry.parts.map(({ salt, bytes }) => (
        <Data key={salt} name="A closed part" value={{ salt, says: valueIn(bytes) }} />
      ))}
    </section>
  </>
);

const Fact = ({ name, words }: { readonly name: string; readonly words: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="figures">{words}</dd>
  </div>
);

const Data = ({ name, value }: { readonly name: string; readonly value: unknown }) => (
  <details>
    <summary>{name}</summary>
    <pre class="code">{JSON.stringify(value, null, 2)}</pre>
  </details>
);

function valueIn(bytes: string): unknown {
  const text = textOf(fromBase64(bytes) ?? new Uint8Array());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The entry alone, judged as an export of one. */
function Hash({ entry }: { readonly entry: Entry }) {
  const [told, setTold] = useState<Told>();
  useEffect(() => {
    const file = new Blob([bytesOf(JSON.stringify([entry]))]);
    return judge({ file, isPartial: true }, setTold);
  }, [entry]);
  if (told?.state !== "judged") return <p role="status">Computing its hash…</p>;
  const { holds, reason } = told.verdict;
  return holds ? (
    <p role="status">
      <strong class="good-words">Right:</strong> this browser computed the hash from the bytes
      below, and each part is one that they name.
    </p>
  ) : (
    <p role="alert" class="bad-words">
      Wrong: {reason}.
    </p>
  );
}
