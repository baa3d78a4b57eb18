// The check of an export in this browser: of this exchange's own, or of a file.
// Invariant: the notes are read before the export, so that an honest one is never too short.
import { answered } from "@firstprint/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { isAsked } from "../../parts/key-asked.ts";
import { useMe } from "../../parts/me.ts";
import { faultWords } from "../../parts/note.tsx";
import { save } from "../../parts/save.ts";
import { exchange } from "../../session.ts";
import type { Asked, Told } from "../../verifier/told.ts";
import { judge } from "../../verifier/verifier.ts";
import { amount } from "../../words.ts";
import { pinned } from "./pinned-key.tsx";
import { Verdict } from "./verdict.tsx";

type Work =
  | { readonly state: "none" }
  | { readonly state: "fetching" }
  | { readonly state: "failed"; readonly words: string }
  | Told;

/** Everybody is given them: the newest head of the chain and that of the log, signed. */
async function readNotes(): Promise<string> {
  const ask = exchange.value;
  const [{ data }, log] = await Promise.all([
    answered(ask.GET("/api/checkpoint")),
    fetch("/api/log/checkpoint"),
  ]);
  // A log that has signed nothing yet says so with 404.
  return log.ok ? `${data.note}${await log.text()}` : data.note;
}

async function readExport(): Promise<Blob> {
  const asked = exchange.value.GET("/api/audit/export", { parseAs: "blob" });
  const file: unknown = await answered(asked);
  if (!(file instanceof Blob)) throw new Error("The export did not come as a file.");
  return file;
}

export function Check() {
  const me = useMe();
  const [work, setWork] = useState<Work>({ state: "none" });
  const [own, setOwn] = useState<Blob>();
  const [name, setName] = useState("");
  const end = useRef<() => void>(undefined);
  useEffect(() => () => end.current?.(), []);
  const start = (called: string, asked: Asked): void => {
    end.current?.();
    setName(called);
    setWork({ state: "judging", share: 0 });
    end.current = judge(asked, setWork);
  };
  const fail = (fault: unknown): void => setWork({ state: "failed", words: faultWords(fault) });
  const checkOwn = async (): Promise<void> => {
    setWork({ state: "fetching" });
    const key = pinned.value;
    const notes = key === undefined ? undefined : await readNotes();
    const file = await readExport();
    setOwn(file);
    start("This exchange’s own", { file, notes, key, isPartial: me?.role === "trader" });
  };
  const isBusy = work.state === "fetching" || work.state === "judging";
  return (
    <section class="card" aria-labelledby="check">
      <h2 id="check">Check it in this browser</h2>
      <p class="small">
        All hashes are computed again here, in a worker, by the same rules as{" "}
        <code>firstprint audit check</code>. Nothing is sent anywhere.
      </p>
      <div class="row">
        {me === undefined ? (
          <button
            type="button"
            class="button first"
            onClick={() => {
              isAsked.value = true;
            }}
          >
            Sign in to check the trail
          </button>
        ) : (
          <button
            type="button"
            class="button first"
            disabled={isBusy}
            onClick={() => void checkOwn().catch(fail)}
          >
            {me.role === "trader" ? "Check what your key may see" : "Check the whole trail"}
          </button>
        )}
        {own !== undefined && (
          <button type="button" class="button" onClick={() => save("audit.json", own)}>
            Save this export
          </button>
        )}
      </div>
      <FileForm isBusy={isBusy} start={start} />
      <Progress work={work} name={name} />
    </section>
  );
}

interface FileFormProps {
  readonly isBusy: boolean;
  start(called: string, asked: Asked): void;
}

function FileForm({ isBusy, start }: FileFormProps) {
  const [file, setFile] = useState<File>();
  const [notes, setNotes] = useState<File>();
  const [isPartial, setIsPartial] = useState(false);
  const key = pinned.value;
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (file === undefined) return;
    const signed = key === undefined ? undefined : await notes?.text();
    start(file.name, {
      file,
      notes: signed,
      key: signed === undefined ? undefined : key,
      isPartial,
    });
  };
  return (
    <details>
      <summary>Check an export kept in a file</summary>
      <form class="stack" onSubmit={onSubmit}>
        <label class="field">
          <span>Export</span>
          <input
            type="file"
            required
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </label>
        <label class="field">
          <span>Signed checkpoints kept with it{key === undefined && " (pin a key first)"}</span>
          <input
            type="file"
            disabled={key === undefined}
            onChange={(event) => setNotes(event.currentTarget.files?.[0])}
          />
        </label>
        <label class="tick">
          <input
            type="checkbox"
            checked={isPartial}
            onChange={(event) => setIsPartial(event.currentTarget.checked)}
          />
          It is one account’s export, with gaps
        </label>
        <div class="row">
          <button type="submit" class="button" disabled={isBusy || file === undefined}>
            Check this file
          </button>
        </div>
      </form>
    </details>
  );
}

function Progress({ work, name }: { readonly work: Work; readonly name: string }) {
  switch (work.state) {
    case "none":
      return <p role="status" />;
    case "fetching":
      return <p role="status">Fetching the export…</p>;
    case "judging":
      return (
        <p role="status">
          <progress value={work.share} aria-label="How much has been checked" />{" "}
          {amount(Math.round(100 * work.share))}% checked
        </p>
      );
    case "failed":
      return (
        <p role="alert" class="bad-words">
          The export could not be fetched: {work.words}
        </p>
      );
    case "unusable":
      return (
        <p role="alert" class="bad-words">
          Nothing could be judged: {work.reason}
        </p>
      );
    case "judged":
      return <Verdict judged={work} name={name} />;
  }
}
