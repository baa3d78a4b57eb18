// The lender's screen: a file of loans, where it stands to lose, a basket that protects it, and
// one price for all of it.
// Invariant: the file never leaves the browser; the exchange learns zip codes and sums alone.
import "./lender.css";
import { useState } from "preact/hooks";
import { AskKey } from "../../parts/ask-key.tsx";
import { Statements } from "../../parts/statements.tsx";
import { useTitle } from "../../parts/title.ts";
import { isSignedIn } from "../../session.ts";
import { BasketPanel } from "./basket-panel.tsx";
import { exposuresOf } from "./exposure.ts";
import { ExposureMap } from "./exposure-map.tsx";
import { LoanFileForm } from "./loan-file-form.tsx";
import type { LoanFile } from "./loans.ts";
import { OwnRequests } from "./own-requests.tsx";
import { Totals } from "./totals.tsx";

/** In whole percent of the fall; a lender's own loss begins where the borrower's share ends. */
const FIRST_LAYER = { attach: 8, exhaust: 20 } as const;

export default function Lender() {
  useTitle("Protect a loan book");
  const [file, setFile] = useState<LoanFile>();
  const [layer, setLayer] = useState<{ attach: number; exhaust: number }>(FIRST_LAYER);
  const exposures = file === undefined ? [] : exposuresOf(file.loans, layer);
  const layerWords = `from ${layer.attach}% to ${layer.exhaust}%`;
  return (
    <div class="lender">
      <header>
        <h1>Protect a loan book</h1>
        <p class="lead">
          Give a list of loans. See where falling home values would cost you, and ask for one price
          for all of it.
        </p>
      </header>
      <LoanFileForm file={file} onFile={setFile} />
      {file !== undefined && file.loans.length > 0 && (
        <>
          <Totals file={file} exposures={exposures} layer={layer} onLayer={setLayer} />
          {isSignedIn.value ? (
            <>
              <ExposureMap exposures={exposures} layerWords={layerWords} />
              <BasketPanel exposures={exposures} layer={layer} />
            </>
          ) : (
            <AskKey title="Sign in to price it">
              A key that may place orders prices the basket and asks for quotes.
            </AskKey>
          )}
        </>
      )}
      {isSignedIn.value && (
        <>
          <OwnRequests />
          <Statements />
        </>
      )}
    </div>
  );
}
