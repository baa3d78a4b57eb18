// The trail of everything that the exchange has decided: checked in this browser, and searched.
// Invariant: the check believes no word of the exchange that it can compute by itself.
import "./audit.css";
import { AskKey } from "../../parts/ask-key.tsx";
import { useTitle } from "../../parts/title.ts";
import { isSignedIn } from "../../session.ts";
import { Check } from "./check.tsx";
import { PinnedKey } from "./pinned-key.tsx";
import { Search } from "./search.tsx";

export default function Audit() {
  useTitle("Audit");
  return (
    <div class="audit">
      <header>
        <h1>Audit trail</h1>
        <p class="lead">
          Every decision of the exchange is an entry, and each entry’s hash covers the one before.
          Change a byte of the past, and every hash after it is another.
        </p>
      </header>
      <div class="audit-check">
        <Check />
        <PinnedKey />
      </div>
      {isSignedIn.value ? (
        <Search />
      ) : (
        <AskKey title="Sign in to search the trail">
          A trader’s key shows what concerns its account, an auditor’s or an operator’s everything.
        </AskKey>
      )}
    </div>
  );
}
