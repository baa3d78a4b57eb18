// Every number of HMR-t4r, the model with a second regime, and the record it was estimated on.
// Invariant: knots rise with the horizon, and each has a regime.
import type { Knot, RegimeConstants, Weights } from "./constants.ts";

/** A knot whose regime is there: the first model's knots have none. */
interface RegimeKnot extends Knot {
  readonly regime: RegimeConstants;
}

const knot = (
  months: number,
  b: Weights,
  scale: readonly [gamma: number, delta: number, eta: number, etaNation: number, etaState: number],
  tau: number,
  regime: RegimeConstants,
): RegimeKnot => ({
  months,
  b,
  gamma: scale[0],
  delta: scale[1],
  eta: scale[2],
  etaNation: scale[3],
  etaState: scale[4],
  tau,
  regime,
});

/**
 * Home values, fitted on FHFA metro 1975–2025Q4 stacked with ZHVI metro 2000–2025, with momentum
 * of nation and state as the median place's. One crash decides the regime: its weight and depth
 * are 2006–2011 and little else.
 */
export const regimeKnots: readonly RegimeKnot[] = [
  knot(
    3,
    [0.00252, 0.08703, -0.03246, 0.06105, 0.11261, -0.02447, -0.02083],
    [0.3557, 4.2891, 1.937, 5.0129, 0],
    0.009373,
    { a: -3.1237, c: 0.3775, d: -0.0621, k: 0.6402, r: -0.0964 },
  ),
  knot(
    6,
    [0.00596, 0.21179, -0.07949, 0.04664, 0.20913, 0.02774, -0.0634],
    [0.3024, 5.3367, 3.0611, 5.171, 0],
    0.013494,
    { a: -3.115, c: 0, d: -0.0406, k: -0.0514, r: -0.0438 },
  ),
  knot(
    12,
    [0.01438, 0.38867, -0.18194, 0.2, 0.37992, 0.0285, -0.16077],
    [0.2396, 7.18, 3.5005, 2.0793, 0.7655],
    0.022631,
    { a: -2.7391, c: 0, d: -0.1108, k: -0.6826, r: -0.0175 },
  ),
  knot(
    18,
    [0.02693, 0.51914, -0.31661, 0.24288, 0.57485, 0.13447, -0.29883],
    [0.1939, 7.6579, 3.3521, 1.067, 1.233],
    0.033896,
    { a: -2.7584, c: 0.5531, d: 0.0231, k: -0.6434, r: -0.0164 },
  ),
  knot(
    24,
    [0.0426, 0.62069, -0.48027, 0.22823, 0.74435, 0.28262, -0.44763],
    [0.1503, 7.9246, 3.133, 0, 0.8985],
    0.046799,
    // biome-ignore lint/suspicious/noApproximativeNumericConstant: an estimate, no logarithm of 2.
    { a: -2.8693, c: 0.7923, d: 0.1224, k: -0.6931, r: -0.014 },
  ),
  knot(
    36,
    [0.07523, 0.71518, -0.80893, 0.36079, 0.98432, 0.67636, -0.81819],
    [0.0781, 8.4309, 2.5909, 0, 0.2846],
    0.070612,
    { a: -2.971, c: 0.8982, d: 0.1442, k: -0.4394, r: -0.0102 },
  ),
  knot(
    48,
    [0.11275, 0.72482, -1.10737, 0.63915, 1.01893, 1.00775, -1.16454],
    [0.0286, 7.4303, 2.2515, 0, 0.3585],
    0.094377,
    { a: -3.4678, c: 1.0278, d: 0.5116, k: -0.4929, r: -0.0289 },
  ),
  knot(
    60,
    [0.15292, 0.65196, -1.37295, 0.79269, 0.92156, 1.30992, -1.35476],
    [0, 7.1662, 1.796, 0, 0.5086],
    0.114892,
    { a: -3.3807, c: 1.0311, d: 0.5504, k: -0.5793, r: -0.0358 },
  ),
];

/** The boom beyond which the bust's weight grows no more, a year above the long-run rate. */
export const BOOM_LIMIT = 0.1;
/** The boom that adds `c` to the logit of the bust's weight. */
export const BOOM_UNIT = 0.04;
