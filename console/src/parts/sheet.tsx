// Parts of a page that is printed: a named fact, and the button that prints.
// Invariant: the button itself is never on the paper.
interface FactProps {
  readonly name: string;
  readonly words: string;
  /** A hash or an id: every letter counts. */
  readonly isCode?: boolean;
}

export const Fact = ({ name, words, isCode = false }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd class={isCode ? "code" : undefined}>{words}</dd>
  </div>
);

export const PrintButton = () => (
  <button type="button" class="button slim unprinted" onClick={() => window.print()}>
    Print
  </button>
);
