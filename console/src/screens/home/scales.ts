// What a colour of the map stands for: the change of twelve months, or the price of protection.
// Invariant: the same bounds colour the map and label its legend; no value falls between two.

export interface Step {
  /** Of the style: `change-1` to `change-7`, `price-1` to `price-5`. */
  readonly name: string;
  readonly words: string;
}

interface Scale {
  readonly title: string;
  /** Upper bounds, in percent, of all steps but the last. */
  readonly bounds: readonly number[];
  readonly steps: readonly Step[];
}

const steps = (kind: string, words: readonly string[]): readonly Step[] =>
  words.map((one, index) => ({ name: `${kind}-${index + 1}`, words: one }));

const fallWords = ["−5% or less", "−5 to −2", "−2 to −0.5"];
const riseWords = ["0.5 to 2", "2 to 5", "5% or more"];

export const scales = {
  change: {
    title: "12-month change",
    bounds: [-5, -2, -0.5, 0.5, 2, 5],
    steps: steps("change", [...fallWords, "flat", ...riseWords]),
  },
  price: {
    title: "Price of protection",
    bounds: [2, 4, 7, 11],
    steps: steps("price", ["under 2%", "2 to 4", "4 to 7", "7 to 11", "11% or more"]),
  },
} as const satisfies Readonly<Record<string, Scale>>;

export type ScaleName = keyof typeof scales;

/** Undefined where there is no value. */
export function stepOf(scale: ScaleName, percent: number | undefined): Step | undefined {
  if (percent === undefined) return undefined;
  const { bounds, steps: all } = scales[scale];
  const at = bounds.findIndex((bound) => percent < bound);
  return all[at < 0 ? all.length - 1 : at];
}
