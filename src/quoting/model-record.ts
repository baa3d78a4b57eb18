// The record of the models of declines: what came of old forecasts, panel by panel, and where the
// models are weak.
// Invariant: figures of `firstprint backtest`; the tables of docs/concepts/pricing.md are the same.
import type { PriceModel } from "#pricing/constants.ts";

/** Ratios are of the layers 2–10, 5–15 and 8–20 %. */
type ByLayer = readonly [number, number, number];

interface Scored {
  readonly panel: PanelName;
  readonly model: PriceModel;
  /** Null: the mean over 6, 12, 18, 24 and 36 months. */
  readonly horizonMonths: number | null;
  readonly brier: number;
  readonly log: number;
  readonly fairOverPayout: ByLayer;
  readonly priceOverPayout: ByLayer;
}

export const panels = {
  "ZHVI metro": { places: 895, pairs: 280_105, origins: "2004-01 to 2024-04" },
  "ZHVI county": { places: 2_822, pairs: 637_883, origins: "2004-01 to 2021-07" },
  "FHFA metro": { places: 404, pairs: 248_427, origins: "1990-03 to 2022-06" },
} as const;
type PanelName = keyof typeof panels;

export const recordedOn = "2026-11-24";

const row = (
  panel: PanelName,
  model: PriceModel,
  horizonMonths: number | null,
  [brier, log]: readonly [number, number],
  fairOverPayout: ByLayer,
  priceOverPayout: ByLayer,
): Scored => ({ panel, model, horizonMonths, brier, log, fairOverPayout, priceOverPayout });

/**
 * Constants by year, each fitted only on outcomes before that January; files as revised; a carry of
 * 4 % a year.
 */
export const record: readonly Scored[] = [
  row("ZHVI metro", "hmr-t4", null, [0.039, 0.1394], [0.84, 0.84, 0.86], [1.33, 1.53, 1.86]),
  row("ZHVI metro", "hmr-t4r", null, [0.0381, 0.1372], [0.86, 0.88, 0.93], [1.5, 1.68, 1.94]),
  row("ZHVI metro", "hmr-t4r", 6, [0.016, 0.0612], [1.31, 1.77, 2.26], [1.86, 2.84, 4.43]),
  row("ZHVI metro", "hmr-t4r", 12, [0.0284, 0.1019], [1.04, 1.22, 1.47], [1.6, 2.02, 2.72]),
  row("ZHVI metro", "hmr-t4r", 18, [0.0381, 0.1351], [0.91, 1, 1.14], [1.5, 1.76, 2.18]),
  row("ZHVI metro", "hmr-t4r", 24, [0.0456, 0.1619], [0.78, 0.8, 0.87], [1.41, 1.55, 1.8]),
  row("ZHVI metro", "hmr-t4r", 36, [0.0624, 0.2259], [0.7, 0.69, 0.7], [1.45, 1.52, 1.65]),
  row("ZHVI county", "hmr-t4r", null, [0.0386, 0.1371], [0.83, 0.83, 0.88], [1.42, 1.56, 1.81]),
  row("ZHVI county", "hmr-t4r", 6, [0.0143, 0.0547], [1.28, 1.68, 2.22], [1.8, 2.72, 4.53]),
  row("ZHVI county", "hmr-t4r", 12, [0.0261, 0.0933], [1.01, 1.17, 1.43], [1.53, 1.92, 2.63]),
  row("ZHVI county", "hmr-t4r", 18, [0.0361, 0.1268], [0.89, 0.96, 1.1], [1.45, 1.68, 2.09]),
  row("ZHVI county", "hmr-t4r", 24, [0.0465, 0.162], [0.78, 0.8, 0.87], [1.38, 1.5, 1.77]),
  row("ZHVI county", "hmr-t4r", 36, [0.0699, 0.2485], [0.65, 0.64, 0.66], [1.32, 1.36, 1.49]),
  row("FHFA metro", "hmr-t4", null, [0.0279, 0.101], [0.97, 0.94, 0.93], [1.59, 1.82, 2.17]),
  row("FHFA metro", "hmr-t4r", null, [0.0268, 0.0974], [0.92, 0.93, 0.96], [1.62, 1.82, 2.08]),
  row("FHFA metro", "hmr-t4r", 6, [0.0137, 0.052], [1.36, 1.72, 2.08], [1.93, 2.82, 4.25]),
  row("FHFA metro", "hmr-t4r", 12, [0.0184, 0.067], [1.11, 1.23, 1.38], [1.71, 2.12, 2.73]),
  row("FHFA metro", "hmr-t4r", 18, [0.0254, 0.0902], [0.96, 1.03, 1.11], [1.6, 1.86, 2.24]),
  row("FHFA metro", "hmr-t4r", 24, [0.0318, 0.1138], [0.87, 0.89, 0.93], [1.56, 1.73, 1.98]),
  row("FHFA metro", "hmr-t4r", 36, [0.0449, 0.164], [0.75, 0.75, 0.76], [1.55, 1.66, 1.82]),
];

/** Said wherever the record is shown. */
export const weakSpots: readonly string[] = [
  "One crash decides: the bust's weight and depth were found on 2006–2011 and little else.",
  "About fifty forms were compared on these records: the form is in-sample, constants are not.",
  "Before 2024 the panels are later restatements of history: their scores are an upper bound.",
  "Fair values over 36 months lie a quarter to a third below what was paid; the loads make up.",
  "The bust load knows 2006–2011, the years it is scored on; so does the boom it begins at.",
  "One of 895 metros, with 38 of 280,105 pairs, is .0003 of the log score.",
  "On three state files as they stood, 2021 to 2024, a node's own autoregression scored better.",
  "Rents have no bust on record; scales of nation, city and neighborhood are assumed.",
];
