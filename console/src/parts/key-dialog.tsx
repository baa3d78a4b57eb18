// The dialog that takes a key; it is loaded when it is asked for.
// Invariant: the key is in no attribute, address or storage; the field is emptied when it is used.
import { answered, connect, Refused } from "@firstprint/sdk";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { take, url } from "../session.ts";
import { isAsked } from "./key-asked.ts";
import { faultWords } from "./note.tsx";

const trouble = signal<string | undefined>(undefined);
const isTrying = signal(false);

/** Takes a key once the exchange has answered it. @throws ExchangeError */
async function signIn(secret: string): Promise<void> {
  const trying = connect({ url, key: secret, mostWaitSeconds: 5 });
  try {
    await answered(trying.GET("/api/trading/account"));
  } catch (fault) {
    // An operator's key may hold the operator's permissions alone.
    if (!(fault instanceof Refused) || fault.status !== 403) throw fault;
    const queue = trying.GET("/api/admin/queue", { params: { query: { limit: 1 } } });
    await answered(queue).catch(() => {
      throw fault;
    });
  }
  take(secret);
}

export function KeyDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const wanted = isAsked.value;
  useEffect(() => {
    if (wanted) dialog.current?.showModal();
    else dialog.current?.close();
  }, [wanted]);
  const close = () => {
    isAsked.value = false;
    trouble.value = undefined;
    if (field.current !== null) field.current.value = "";
  };
  const send = async (event: Event) => {
    event.preventDefault();
    const secret = field.current?.value.trim() ?? "";
    if (secret === "") return;
    isTrying.value = true;
    trouble.value = undefined;
    try {
      await signIn(secret);
      close();
    } catch (fault) {
      trouble.value = faultWords(fault);
    } finally {
      isTrying.value = false;
    }
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="key-title">
      <form onSubmit={send} method="dialog">
        <h2 id="key-title">Sign in with a key</h2>
        <p class="soft">
          The key stays in this tab’s memory, and is gone when you close or reload it. A first start
          prints a demo key.
        </p>
        <label class="field">
          <span>Trading key</span>
          <input ref={field} type="password" autoComplete="off" spellcheck={false} required />
        </label>
        {trouble.value !== undefined && (
          <p class="bad-words" role="alert">
            {trouble.value}
          </p>
        )}
        <div class="row">
          <button type="submit" class="button first" disabled={isTrying.value}>
            Sign in
          </button>
          <button type="button" class="button" onClick={close}>
            Not now
          </button>
        </div>
      </form>
    </dialog>
  );
}
