// In place of what only a key shows.
// Invariant: it says whose key it takes before it asks for one.
import type { ComponentChildren } from "preact";
import { isAsked } from "./key-asked.ts";
import { Note } from "./note.tsx";

interface AskKeyProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export const AskKey = ({ title, children }: AskKeyProps) => (
  <Note title={title}>
    <p>{children}</p>
    <button
      type="button"
      class="button first"
      onClick={() => {
        isAsked.value = true;
      }}
    >
      Sign in with a key
    </button>
  </Note>
);
