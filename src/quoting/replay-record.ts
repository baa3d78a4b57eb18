// The record of the replay: what contracts sold in each month from 2005-01 to 2010-07 came to, run
// through this exchange's own margin, default and payment.
// Invariant: figures of `firstprint replay`; the table of docs/concepts/clearing.md is of the same.

interface ReplayedHorizon {
  readonly months: number;
  /** Of coverage, in all: due to buyers; the seller's deposit and the premium. */
  readonly due: number;
  readonly sellerCash: number;
  /** Of what was due to buyers, in all, and in the month of sale where it was least. */
  readonly paid: number;
  readonly worstPaid: number;
  /** Of what was due: given by each contract's own seller; the rest came from the fund. */
  readonly paidFromOwnMargin: number;
  /** Of sellers: margin health fell below 1 at least once. */
  readonly called: number;
  /** The same by the month of sale, from the first. */
  readonly dueBps: readonly number[];
  readonly sellerCashBps: readonly number[];
}

/** One contract a place and month of sale; constants of the model as known in each year. */
export const replayRecord = {
  recordedOn: "2026-11-23",
  provider: "zillow",
  file: "Zillow ZHVI of states, to 2021-09",
  places: 51,
  layer: "500-1500",
  tier: "institutional",
  fundBps: 300,
  firstMonth: "2005-01",
} as const;

export const replayHorizons: readonly ReplayedHorizon[] = [
  {
    months: 12,
    due: 0.0905,
    sellerCash: 0.9291,
    paid: 1,
    worstPaid: 1,
    paidFromOwnMargin: 1,
    called: 0.0588,
    dueBps: [
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 44, 124, 196, 269, 354, 445, 551, 664,
      791, 955, 1064, 1154, 1261, 1424, 1599, 1776, 1923, 2107, 2277, 2412, 2557, 2656, 2751, 2752,
      2716, 2580, 2457, 2276, 2076, 1786, 1429, 1176, 970, 730, 540, 410, 342, 292, 283, 289, 364,
      470, 573, 700, 828, 1045, 1287, 1470, 1474,
    ],
    sellerCashBps: [
      8115, 8061, 8081, 8068, 8065, 8126, 8190, 8207, 8240, 8266, 8224, 8231, 8172, 8116, 8172,
      8171, 8209, 8282, 8350, 8527, 8609, 8696, 8778, 8960, 9049, 9202, 9362, 9494, 9561, 9606,
      9690, 9765, 9826, 9846, 9932, 9998, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 9992, 9960, 9854, 9673, 9435, 9407, 9653,
    ],
  },
  {
    months: 24,
    due: 0.2536,
    sellerCash: 1,
    paid: 1,
    worstPaid: 1,
    paidFromOwnMargin: 1,
    called: 0,
    dueBps: [
      0, 0, 0, 0, 0, 0, 5, 22, 56, 123, 207, 326, 510, 756, 1009, 1219, 1380, 1541, 1698, 1856,
      1993, 2157, 2355, 2578, 2805, 3028, 3283, 3538, 3840, 4084, 4288, 4445, 4611, 4739, 4780,
      4743, 4633, 4507, 4371, 4199, 4014, 3846, 3733, 3640, 3555, 3497, 3454, 3397, 3237, 3151,
      3055, 2997, 2929, 2885, 2842, 2806, 2780, 2813, 2863, 2951, 3018, 3054, 3024, 2954, 2808,
      2561, 2202,
    ],
    sellerCashBps: [
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000,
    ],
  },
  {
    months: 36,
    due: 0.3498,
    sellerCash: 1,
    paid: 1,
    worstPaid: 1,
    paidFromOwnMargin: 1,
    called: 0,
    dueBps: [
      55, 118, 263, 395, 521, 676, 844, 1150, 1421, 1587, 1812, 2045, 2273, 2484, 2707, 2961, 3283,
      3581, 3844, 4069, 4279, 4426, 4513, 4539, 4571, 4605, 4647, 4684, 4725, 4795, 4899, 5023,
      5159, 5323, 5468, 5609, 5696, 5758, 5786, 5822, 5850, 5862, 5804, 5699, 5580, 5485, 5402,
      5296, 5033, 4877, 4695, 4497, 4207, 3932, 3582, 3268, 2935, 2628, 2340, 2088, 1835, 1631,
      1459, 1306, 1138, 960, 738,
    ],
    sellerCashBps: [
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000,
      10000, 10000,
    ],
  },
];
