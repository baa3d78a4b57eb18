// The words, arguments and options a command takes, and its line of usage.
// Invariant: parsing and help are drawn from this one description, so neither can lie.

export interface Option {
  /** The name of its value in the usage; absent = it takes no value. */
  readonly value?: string;
  readonly about: string;
  readonly required?: true;
}

export interface Form {
  /** `account open` */
  readonly words: string;
  /** `market`, `reason?` for one that may be absent, `node…` for one or more. */
  readonly takes?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
}

export const globalOptions: Readonly<Record<string, Option>> = {
  url: {
    value: "address",
    about:
      "the exchange's address, or unix:/a/path; else FIRSTPRINT_URL, else http://127.0.0.1:4600",
  },
  key: { value: "secret", about: "the API key to use; else FIRSTPRINT_KEY" },
  json: { about: "print the answer as it came" },
  "idempotency-key": {
    value: "key",
    about: "repeat an earlier request: under its key it is done once only",
  },
  "expires-after": {
    value: "millis",
    about: "Unix milliseconds: a trading request that is decided later is refused",
  },
  "no-wait": { about: "fail at once where the exchange asks to wait for the rate" },
  help: { about: "show this" },
};

/** `firstprint order place <market> <buy|sell> … [--no]` */
export function usageOf({ words, takes = [], options = {} }: Form): string {
  const taken = takes.map((name) =>
    name.endsWith("?") ? `[<${name.slice(0, -1)}>]` : `<${name.replace("…", "")}>${dots(name)}`,
  );
  const given = Object.entries(options).map(([name, { value, required }]) => {
    const text = value === undefined ? `--${name}` : `--${name} <${value}>`;
    return required === true ? text : `[${text}]`;
  });
  return ["firstprint", words, ...taken, ...given].join(" ");
}

const dots = (name: string): string => (name.endsWith("…") ? "…" : "");

export function optionLines(options: Readonly<Record<string, Option>>): readonly string[] {
  const names = Object.entries(options).map(([name, { value }]) =>
    value === undefined ? `--${name}` : `--${name} <${value}>`,
  );
  const width = Math.max(...names.map(({ length }) => length));
  return Object.values(options).map(
    ({ about }, index) => `  ${(names[index] ?? "").padEnd(width)}  ${about}`,
  );
}
