// A request that can be changed and sent, with the key that the tab holds.
// Invariant: what needs a key is not sent without one; the key is shown nowhere.
import { useState } from "preact/hooks";
import { isAsked } from "../../parts/key-asked.ts";
import { faultWords } from "../../parts/note.tsx";
import { authorization, isSignedIn } from "../../session.ts";
import { Listing } from "./code.tsx";
import { type Asked, addressOf, isStream, isUpload } from "./examples.ts";

interface TryProps {
  readonly asked: Asked;
  onAsked(asked: Asked): void;
}

interface Answered {
  readonly words: string;
  readonly text: string;
  readonly isBad: boolean;
}

/** Longer answers are cut where they are shown. */
const MOST_SHOWN = 20_000;

async function send(asked: Asked): Promise<Answered> {
  const { method, body: taken } = asked.operation;
  const started = performance.now();
  const response = await fetch(addressOf(asked), {
    method,
    headers: {
      ...authorization(),
      ...(taken === undefined ? {} : { "content-type": taken.type }),
    },
    ...(asked.body === undefined ? {} : { body: asked.body }),
  });
  const text = await response.text();
  const millis = Math.round(performance.now() - started);
  const shown = indented(text);
  const cut = shown.length > MOST_SHOWN;
  return {
    words: `Status ${response.status} after ${millis} ms, ${text.length} characters`,
    text: cut ? `${shown.slice(0, MOST_SHOWN)}\n… cut here` : shown,
    isBad: !response.ok,
  };
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function Try({ asked, onAsked }: TryProps) {
  const [answer, setAnswer] = useState<Answered>();
  const [isSending, setSending] = useState(false);
  const { operation, values, body } = asked;
  if (isUpload(operation) || isStream(operation)) return null;
  const named = operation.parameters.filter(({ place }) => place !== "header");
  const isLocked = operation.needsKey && !isSignedIn.value;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isLocked) {
      isAsked.value = true;
      return;
    }
    setSending(true);
    setAnswer(
      await send(asked).catch((fault: unknown) => ({
        ...{ words: `No answer: ${faultWords(fault)}`, text: "", isBad: true },
      })),
    );
    setSending(false);
  };
  return (
    <form class="try" onSubmit={submit}>
      {named.map(({ name, isRequired, words, place }) => (
        <label class="field" key={name} title={words}>
          <span>
            {name}
            {isRequired ? "" : " (optional)"}
          </span>
          <input
            value={values[name] ?? ""}
            required={place === "path"}
            onInput={({ currentTarget: { value } }) =>
              onAsked({ ...asked, values: { ...values, [name]: value } })
            }
          />
        </label>
      ))}
      {body !== undefined && (
        <label class="field whole">
          <span>Body</span>
          <textarea
            rows={Math.min(16, body.split("\n").length)}
            spellcheck={false}
            value={body}
            onInput={({ currentTarget: { value } }) => onAsked({ ...asked, body: value })}
          />
        </label>
      )}
      <div class="row whole">
        <button type="submit" class="button first" disabled={isSending}>
          {isLocked ? "Sign in to try it" : "Try it"}
        </button>
        <span class="small soft">
          {operation.method === "GET"
            ? "Asks this exchange now."
            : "Does it on this exchange now, for the account of your key."}
        </span>
      </div>
      <p class={answer?.isBad === true ? "small whole bad-words" : "small whole"} role="status">
        {answer?.words ?? ""}
      </p>
      {answer !== undefined && answer.text !== "" && (
        <div class="whole">
          <Listing text={answer.text} title="The exchange’s answer" />
        </div>
      )}
    </form>
  );
}
