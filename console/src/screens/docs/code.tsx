// A program in one of several languages, to be copied; the language that was chosen last stays.
// Invariant: what is copied is exactly what is shown.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Language } from "./contents.ts";

const language = signal<Language>("curl");

interface CodeProps {
  readonly programs: Readonly<Partial<Record<Language, string>>>;
  /** Of the group of languages, for those who do not see it. */
  readonly title: string;
}

export function Code({ programs, title }: CodeProps) {
  const [copied, setCopied] = useState("");
  const names = (["curl", "TypeScript", "Python"] as const).filter((one) => one in programs);
  const chosen = names.includes(language.value) ? language.value : (names[0] ?? "curl");
  const text = programs[chosen] ?? "";
  useEffect(() => setCopied(""), [text]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied("Copied"),
      () => setCopied("The browser does not let this page copy: select the text instead"),
    );
  };
  return (
    <div class="program">
      <div class="row apart">
        <fieldset class="switch">
          <legend class="unseen">{title}</legend>
          {names.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name={title}
                checked={one === chosen}
                onChange={() => {
                  language.value = one;
                }}
              />
              {one}
            </label>
          ))}
        </fieldset>
        <span class="row">
          <span class="small" role="status">
            {copied}
          </span>
          <button type="button" class="button slim" onClick={copy}>
            Copy
          </button>
        </span>
      </div>
      <Listing text={text} title={`${title}, ${chosen}`} />
    </div>
  );
}

interface ListingProps {
  readonly text: string;
  readonly title: string;
}

export const Listing = ({ text, title }: ListingProps) => (
  <Scrolled kind="listing" title={title}>
    <pre>{text}</pre>
  </Scrolled>
);

interface ScrolledProps {
  readonly kind: "listing" | "sheet";
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A part that may be wider than its room; the keyboard scrolls it too. */
export const Scrolled = ({ kind, title, children }: ScrolledProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to take the focus
  <section class={kind} aria-label={title} tabIndex={0}>
    {children}
  </section>
);
