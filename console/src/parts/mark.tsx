// The mark: a printer's registration mark, by which a first print is aligned.
// Invariant: it says nothing to a screen reader; the word beside it does.
export const Mark = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <circle cx="16" cy="16" r="9" />
    <circle cx="16" cy="16" r="3.6" />
    <path d="M16 1v30M1 16h30" />
  </svg>
);
