// One operation: its parameters, a request to try, and the same request as a program.
// Invariant: the programs say exactly what the form would send.
import { useMemo, useState } from "preact/hooks";
import { Shown } from "../../parts/note.tsx";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import { url } from "../../session.ts";
import { Code, Listing } from "./code.tsx";
import type { Contents, Field, Now, Operation, Task } from "./contents.ts";
import { type Asked, isStream, isUpload, movedText, programs } from "./examples.ts";
import { now, operations } from "./reading.ts";
import { OperationName } from "./start.tsx";
import { Try } from "./try.tsx";

interface OperationProps {
  readonly id: string;
  readonly task: Task;
  readonly all: Contents;
}

export function OperationPage({ id, task, all }: OperationProps) {
  const reading = useReading(operations, [task.url]);
  const time = useReading(now, []);
  useTitle(task.operations.find((one) => one.id === id)?.summary ?? id);
  return (
    <div class="docs-page">
      <Shown reading={reading} room="tall">
        {(found) => (
          <Shown reading={time} room="tall">
            {(moment) => {
              const operation = found.find((one) => one.id === id);
              return operation && <Told operation={operation} taken={all.taken} now={moment} />;
            }}
          </Shown>
        )}
      </Shown>
      <nav class="beside" aria-label={task.title}>
        <a href="/docs">All guides and the reference</a>
        <h2>{task.title}</h2>
        <ul>
          {task.operations.map((one) => (
            <li key={one.id}>
              <OperationName operation={one} />
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

interface ToldProps {
  readonly operation: Operation;
  readonly taken: Contents["taken"];
  readonly now: Now;
}

function Told({ operation, taken, now: moment }: ToldProps) {
  const first = useMemo(() => firstAsked(operation, taken, moment), []);
  const [asked, setAsked] = useState<Asked>(first);
  const shown = isUpload(operation) || isStream(operation) ? (["curl"] as const) : allLanguages;
  const texts = Object.fromEntries(shown.map((one) => [one, programs[one](asked, url)]));
  return (
    <article class="operation">
      <header>
        <h1>{operation.summary}</h1>
        <p class="address">
          {operation.method} {operation.path}
        </p>
        <p>{coded(operation.words)}</p>
      </header>
      <section class="card" aria-labelledby="example">
        <h2 id="example">Example</h2>
        <Try asked={asked} onAsked={setAsked} />
        <Code title="Program" programs={texts} />
      </section>
      <Fields title="Parameters" fields={operation.parameters} />
      <Fields title="Body" fields={operation.body?.fields ?? []} />
      <Answer operation={operation} />
      <Refusals operation={operation} />
    </article>
  );
}

const allLanguages = ["curl", "TypeScript", "Python"] as const;

const jsonOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2);

function firstAsked(operation: Operation, taken: Contents["taken"], moment: Now): Asked {
  const moved = (text: string): string => movedText(text, taken, moment);
  const { body, parameters } = operation;
  const named = parameters.filter(({ place }) => place !== "header");
  return {
    operation,
    values: Object.fromEntries(named.map(({ name, example }) => [name, moved(example)])),
    body: body === undefined || isUpload(operation) ? undefined : moved(jsonOf(body.example ?? {})),
  };
}

interface FieldsProps {
  readonly title: string;
  readonly fields: readonly Field[];
}

const Fields = ({ title, fields }: FieldsProps) =>
  fields.length === 0 ? null : (
    <section class="card" aria-labelledby={`fields-${title}`}>
      <h2 id={`fields-${title}`}>{title}</h2>
      <FieldTable fields={fields} />
    </section>
  );

const FieldTable = ({ fields }: { readonly fields: readonly Field[] }) => (
  <div class="sheet">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, type, isRequired, words }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td data-name="Type">
              {type}
              {!isRequired && ", optional"}
            </td>
            <td data-name="Meaning">
              <span>{coded(words)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** Text between backticks is code. */
const coded = (text: string) =>
  text.split("`").map((piece, at) => (at % 2 === 1 ? <code key={piece}>{piece}</code> : piece));

const Answer = ({ operation: { answer } }: { readonly operation: Operation }) => (
  <section class="card" aria-labelledby="answered">
    <h2 id="answered">Answer</h2>
    {answer.example !== null && <Listing text={jsonOf(answer.example)} title="An answer" />}
    {answer.fields.length > 0 && (
      <details>
        <summary>Its {answer.fields.length} fields</summary>
        <FieldTable fields={answer.fields} />
      </details>
    )}
  </section>
);

const Refusals = ({ operation: { refusals } }: { readonly operation: Operation }) => (
  <section class="card" aria-labelledby="refusals">
    <h2 id="refusals">Refusals</h2>
    <dl class="facts">
      {refusals.map(({ status, codes }) => (
        <div key={status}>
          <dt>{status}</dt>
          <dd class="code">{codes.join(" ")}</dd>
        </div>
      ))}
    </dl>
    <p class="source">
      <a href="/docs/guides/reference/errors">Every code, and what to do.</a>
    </p>
  </section>
);
