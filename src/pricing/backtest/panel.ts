// A provider's file as log levels on a monthly grid, ready to be priced as of any month.
// Invariant: what is told of a node at a month holds no print later than it, and no gap.
import { addMonths, type Month } from "#base/month.ts";
import type { PricedIndex, PricingLevel } from "../constants.ts";
import type { MonthlySeries } from "../series.ts";

export interface PanelNode {
  readonly name: string;
  readonly state: string | undefined;
  readonly isNation: boolean;
  /** Natural logs by grid position; NaN where there is no print. */
  readonly logs: Float64Array;
  /** By grid position: where the unbroken run of prints that ends there begins. */
  readonly runStarts: Int32Array;
}

export interface Panel {
  readonly file: string;
  readonly index: PricedIndex;
  readonly level: PricingLevel;
  /** 3 for a quarterly file, whose logs are laid on the months between by a straight line. */
  readonly stepMonths: 1 | 3;
  readonly firstMonth: Month;
  readonly lastMonth: Month;
  readonly nodes: readonly PanelNode[];
}

export interface RawNode {
  readonly name: string;
  readonly state: string | undefined;
  readonly isNation: boolean;
  readonly logs: Float64Array;
}

/** `raw`: one and the same length for all. @throws Error without a node or a month */
export function panelOf(
  file: string,
  index: PricedIndex,
  level: PricingLevel,
  stepMonths: 1 | 3,
  firstMonth: Month,
  raw: readonly RawNode[],
): Panel {
  const count = raw[0]?.logs.length ?? 0;
  if (count === 0) throw new Error(`${file}: no rows`);
  const nodes = raw.map((node) => ({ ...node, runStarts: runStartsOf(node.logs) }));
  const lastMonth = addMonths(firstMonth, count - 1);
  return { file, index, level, stepMonths, firstMonth, lastMonth, nodes };
}

function runStartsOf(logs: Float64Array): Int32Array {
  const starts = new Int32Array(logs.length);
  let start = 0;
  for (let at = 0; at < logs.length; at += 1) {
    if (Number.isNaN(logs[at])) start = at + 1;
    starts[at] = start;
  }
  return starts;
}

/** The series known for a node at a grid position; undefined without a print there. */
export function seriesAt(panel: Panel, node: PanelNode, at: number): MonthlySeries | undefined {
  const start = node.runStarts[at] ?? at + 1;
  if (start > at) return undefined;
  return {
    asOfMonth: addMonths(panel.firstMonth, at),
    logLevels: node.logs.subarray(start, at + 1),
    stepMonths: panel.stepMonths,
  };
}
