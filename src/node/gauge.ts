// A number that is drawn when it is asked for.
// Invariant: its name carries no account, and no label has more values than there are parts.

export interface GaugeOf {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  read(): Iterable<readonly [value: number, labels?: Readonly<Record<string, string>>]>;
}

export const one = (name: string, help: string, read: () => number): GaugeOf => ({
  ...{ name, help },
  read: () => [[read()]],
});
