// Statements of a month, with their digest computed here, in the browser.
// Invariant: "the digest is right" is said only where it was recomputed from the very rows.
import { answered } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { exchange } from "../session.ts";
import { faultWords } from "./note.tsx";
import { save } from "./save.ts";

type Checked =
  | { readonly state: "none" | "waiting" }
  | { readonly state: "failed"; readonly words: string }
  | { readonly state: "read"; readonly isRight: boolean; readonly digest: string; text: string };

/** The rows that the digest covers, each with its newline. */
const covered = (text: string): string =>
  text
    .split("\n")
    .filter((row) => /^(?:statement|opening|posting|closing),/.test(row))
    .map((row) => `${row}\n`)
    .join("");

async function read(month: string): Promise<Checked> {
  const query = { month, format: "csv" } as const;
  const asked = exchange.value.GET("/api/trading/statement", {
    params: { query },
    headers: { accept: "text/csv" },
    parseAs: "text",
  });
  const text = String(await answered(asked));
  const told = /^sha256,([0-9a-f]{64})$/m.exec(text)?.[1] ?? "";
  const bytes = new TextEncoder().encode(covered(text));
  const digest = Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  return { state: "read", isRight: digest === told, digest, text };
}

const thisMonth = (): string => new Date().toISOString().slice(0, 7);

export function Statements() {
  const [month, setMonth] = useState(thisMonth);
  const [checked, setChecked] = useState<Checked>({ state: "none" });
  const ask = async (event: Event): Promise<void> => {
    event.preventDefault();
    setChecked({ state: "waiting" });
    setChecked(
      await read(month).catch((fault: unknown) => ({
        state: "failed" as const,
        words: faultWords(fault),
      })),
    );
  };
  return (
    <section class="card" aria-labelledby="statements">
      <h2 id="statements">Statements</h2>
      <form class="row" onSubmit={ask}>
        <label class="field">
          <span>Month</span>
          <input
            type="month"
            value={month}
            required
            onInput={(event) => setMonth(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button" disabled={checked.state === "waiting"}>
          Read and check
        </button>
        {checked.state === "read" && (
          <button
            type="button"
            class="button"
            onClick={() =>
              save(`statement-${month}.csv`, new Blob([checked.text], { type: "text/csv" }))
            }
          >
            Save as CSV
          </button>
        )}
      </form>
      <p role="status" class={isBad(checked) ? "bad-words small" : "small"}>
        {wordsOf(checked)}
      </p>
    </section>
  );
}

const isBad = (checked: Checked): boolean =>
  checked.state === "failed" || (checked.state === "read" && !checked.isRight);

function wordsOf(checked: Checked): string {
  switch (checked.state) {
    case "none":
    case "waiting":
      return "";
    case "failed":
      return checked.words;
    case "read":
      return checked.isRight
        ? `The digest is right: ${checked.digest}, computed here from the rows.`
        : `The digest is wrong: the rows give ${checked.digest}. Do not rely on this statement.`;
  }
}
