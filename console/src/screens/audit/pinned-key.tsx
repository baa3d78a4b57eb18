// The key that this browser judges signatures by, once somebody has vouched for it.
// Invariant: it changes by a person's word alone; another key that the exchange shows is said so.
import { answered } from "@firstprint/sdk";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";

const NAME = "firstprint.verifier-key";

/** Public, so it may stay in the browser; undefined where none was pinned. */
export const pinned = signal(localStorage.getItem(NAME) ?? undefined);

function pin(key: string | undefined): void {
  if (key === undefined) localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, key);
  pinned.value = key;
}

const checkpoint = new Question(
  async () => (await answered(exchange.value.GET("/api/checkpoint"))).data,
);

export function PinnedKey() {
  const reading = useReading(checkpoint, []);
  const shown = reading.state === "ready" ? reading.data.verifierKey : undefined;
  const key = pinned.value;
  return (
    <section class="card" aria-labelledby="pinned">
      <h2 id="pinned">The exchange’s key</h2>
      {key === undefined ? <NoKey shown={shown} /> : <Key pinnedKey={key} shown={shown} />}
    </section>
  );
}

function Key({
  pinnedKey,
  shown,
}: {
  readonly pinnedKey: string;
  readonly shown: string | undefined;
}) {
  return (
    <>
      <p class="code">{pinnedKey}</p>
      {shown !== undefined && shown !== pinnedKey ? (
        <p class="bad-words" role="alert">
          The exchange now shows another key: {shown}. Ask its operator before you trust either.
        </p>
      ) : (
        <p class="soft small">
          Pinned in this browser. Checkpoints count only where this key has signed them.
        </p>
      )}
      <button type="button" class="button slim" onClick={() => pin(undefined)}>
        Forget it
      </button>
    </>
  );
}

function NoKey({ shown }: { readonly shown: string | undefined }) {
  const [typed, setTyped] = useState<string>();
  const key = typed ?? shown ?? "";
  const onSubmit = (event: Event) => {
    event.preventDefault();
    pin(key.trim());
  };
  return (
    <form class="stack" onSubmit={onSubmit}>
      <p class="small">
        No key is pinned yet. Compare this one with what the operator has told you by another way,
        then pin it: a person who can rewrite the trail can also show another key.
      </p>
      <label class="field">
        <span>Verifier key</span>
        <input
          class="code"
          value={key}
          spellcheck={false}
          autoComplete="off"
          required
          pattern="\S+\+[0-9a-f]{8}\+[A-Za-z0-9+\/]+=*"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <div class="row">
        <button type="submit" class="button slim">
          Pin this key
        </button>
      </div>
    </form>
  );
}
