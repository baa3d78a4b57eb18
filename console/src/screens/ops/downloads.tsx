// A source of downloads in the queue: it fails, its file was refused, or its print is late.
// Invariant: it leaves the queue when a file comes and is taken; nobody has to give a word.
import { day, time } from "../../words.ts";
import type { ItemOf } from "./queue.ts";

export function DownloadItem({ item: { download } }: { readonly item: ItemOf<"download"> }) {
  const { provider, index, level, file, fault, refusal, failures, nextPrint, dueAt } = download;
  const late = nextPrint?.overdueSince ?? null;
  return (
    <>
      <p>
        {provider}: {index} by {level}
      </p>
      <p class="small soft">{file}</p>
      {fault !== null && (
        <p>
          {failures} attempts failed. {fault.code}: {fault.message}
        </p>
      )}
      {refusal !== null && (
        <p>
          The last file was refused. {refusal.code}: {refusal.message}
        </p>
      )}
      {late !== null && nextPrint !== null && (
        <p>
          The print of {nextPrint.month} was expected {day(nextPrint.expectedAt)} and has not come.
        </p>
      )}
      <p class="small soft">
        Asked for again {day(dueAt)}, {time(dueAt)}
      </p>
    </>
  );
}
