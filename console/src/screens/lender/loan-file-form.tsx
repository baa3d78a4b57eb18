// Takes the file of loans and says which of its lines do not count, and why.
// Invariant: the file is read here, in the browser, and sent nowhere.
import { useState } from "preact/hooks";
import { save } from "../../parts/save.ts";
import { type BadLine, type LoanFile, readLoans } from "./loans.ts";

interface FormProps {
  readonly file: LoanFile | undefined;
  onFile(file: LoanFile): void;
}

const MOST_BYTES = 8_000_000;
const MOST_SHOWN = 50;

const example = `zip,balance,ltv
78704,412000,92
10001,655000,95
33131,388000,97
`;

export function LoanFileForm({ file, onFile }: FormProps) {
  const [trouble, setTrouble] = useState("");
  const take = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    const isLarge = chosen.size > MOST_BYTES;
    setTrouble(isLarge ? `The file is larger than ${MOST_BYTES / 1e6} MB: send it in parts.` : "");
    if (!isLarge) onFile(readLoans(await chosen.text()));
  };
  return (
    <section class="card" aria-labelledby="loans">
      <h2 id="loans">Your loans</h2>
      <div class="row">
        <label class="field">
          <span>File (CSV with zip, balance, ltv)</span>
          <input
            type="file"
            accept=".csv,text/csv"
            onChange={({ currentTarget: { files } }) => void take(files?.[0])}
          />
        </label>
        <button
          type="button"
          class="button slim"
          onClick={() => save("loans.csv", new Blob([example], { type: "text/csv" }))}
        >
          Save an example
        </button>
      </div>
      <p class="small soft">
        A loan a line: the zip code of its home, the balance in dollars, and the balance in percent
        of the home’s worth. The file stays in this browser; the exchange is told zip codes and
        sums.
      </p>
      <p class="bad-words small" role="alert">
        {trouble}
      </p>
      {file !== undefined && file.bad.length > 0 && <BadLines bad={file.bad} />}
    </section>
  );
}

const BadLines = ({ bad }: { readonly bad: readonly BadLine[] }) => (
  <div class="note bad" role="alert">
    <strong>{bad.length === 1 ? "1 line does" : `${bad.length} lines do`} not count</strong>
    <div class="sheet">
      <table>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Field</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {bad.slice(0, MOST_SHOWN).map(({ line, field, words }) => (
            <tr key={line}>
              <th scope="row">{line}</th>
              <td>{field}</td>
              <td>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {bad.length > MOST_SHOWN && <p>and {bad.length - MOST_SHOWN} more.</p>}
  </div>
);
