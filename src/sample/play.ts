// The sample's history, played in the order of time before the exchange serves: places, accounts,
// fourteen releases, and trades between them.
// Invariant: the same seed, day and exchange give the same commands, keys apart.
import { marketId, type NodeId } from "#base/ids.ts";
import { addMonths, type Month } from "#base/month.ts";
import { type DeclinePayoff, formatSeriesId } from "#contract/series.ts";
import type { Role } from "#core/records.ts";
import { RELEASES, type SampleRelease, sampleReleases } from "./calendar.ts";
import { assemble, type Cast, renewApprovals } from "./cast.ts";
import { hierarchyFile } from "./hierarchy.ts";
import { disputedPlot, plots, type SeriesPlot, showcase } from "./plot.ts";
import { type SampleFile, SampleProvider } from "./provider-files.ts";
import { type Random, randomOf, wholeBetween } from "./random.ts";
import { METHOD_CHANGE } from "./restatement.ts";
import { actorOf, type Player, root, type SamplePorts, Stage } from "./stage.ts";
import { type SurveyFile, surveyFiles } from "./survey-files.ts";
import { centerOf, leaveBid, list, requote, stand, take } from "./trading.ts";

interface SampleOptions extends SamplePorts {
  readonly seed: number;
  /** The moment the exchange starts, milliseconds since 1970. */
  readonly todayMillis: number;
}

interface SampleAccount {
  readonly name: string;
  readonly address: string;
  readonly role: Role;
}

export interface PlayedSample {
  /** The trader's secret, with every permission: to be printed once. */
  readonly demoKey: string;
  /** Of the two operators: the same. */
  readonly operatorKeys: readonly string[];
  readonly accounts: readonly SampleAccount[];
  /** A listed series with a two-sided book, and what to ask a quote for. */
  readonly interesting: {
    readonly nodeId: NodeId;
    readonly seriesId: string;
    readonly expiry: Month;
    readonly payoff: DeclinePayoff;
  };
}

const MINUTE_MILLIS = 60_000;
/** Operators open the exchange a day before the first release. */
const OPENING_MINUTES = -1_440;
const INGEST_MINUTES = 60;
const TRADING_MINUTES = 120;
const TURNS_MINUTES = 240;

/** Approvals are renewed after this release, well inside their year. */
const RENEWAL_AFTER = 9;
/** Makers renew their quotes after every fourth release, and after the newest. */
const REQUOTE_EVERY = 4;

/** When the play begins: nothing may be entered after this moment before it is played. */
export function sampleOpeningMillis(seed: number, todayMillis: number): number {
  const [first] = sampleReleases(seed, todayMillis);
  if (first === undefined) throw new Error("The sample has no release.");
  return first.publishedAtMillis + OPENING_MINUTES * MINUTE_MILLIS;
}

/** @throws where a step is refused: the sample is whole, or the start fails with the reason */
export async function playSample(options: SampleOptions): Promise<PlayedSample> {
  const { seed, todayMillis, ...ports } = options;
  const stage = new Stage(ports);
  const provider = new SampleProvider(seed);
  const releases = sampleReleases(seed, todayMillis);
  await stage.setTime(sampleOpeningMillis(seed, todayMillis));
  const cast = await assemble(stage, seed);
  await stage.loadPlaces(cast.operations, hierarchyFile());
  for (const release of releases) {
    await publish(
      stage,
      cast,
      [...provider.files(release), ...surveyFiles(seed, release)],
      release,
    );
    await stage.setTime(release.publishedAtMillis + TRADING_MINUTES * MINUTE_MILLIS);
    if (release.number === RENEWAL_AFTER) await renewApprovals(stage, cast);
    await trade(stage, cast, releases, release.number, randomOf(seed, `trading ${release.number}`));
    await turn(stage, cast, releases, release);
  }
  await stand(stage, cast);
  await leaveOpen(stage, cast, releases);
  await publishMisprint(stage, cast, provider, releases);
  return playedSample(cast, releases);
}

async function publish(
  stage: Stage,
  { operations }: Cast,
  files: readonly (SampleFile | SurveyFile)[],
  { publishedAtMillis, number }: SampleRelease,
): Promise<void> {
  await stage.setTime(publishedAtMillis + INGEST_MINUTES * MINUTE_MILLIS);
  for (const { index, level, text } of files) {
    const isChanged = index === "zhvi" && number === METHOD_CHANGE;
    const methodology = isChanged ? "zhvi/2" : undefined;
    const meta = { provider: "sample", index, level, publishedAtMillis, methodology } as const;
    if (number < RELEASES - 1 || !isMisprinted({ index, level })) {
      await stage.publish(operations, text, meta, false);
    }
  }
  await stage.publishMarks();
}

const isMisprinted = ({ index, level }: Pick<SampleFile | SurveyFile, "index" | "level">) =>
  index === "zori" && level === "county";

/** Comes when all have traded: while a file is held, nothing of its index matches. */
async function publishMisprint(
  stage: Stage,
  { operations }: Cast,
  provider: SampleProvider,
  releases: readonly SampleRelease[],
): Promise<void> {
  const release = releases.at(-1);
  const file = release && [...provider.files(release)].find(isMisprinted);
  if (release === undefined || file === undefined) throw new Error("The sample has no release.");
  const { publishedAtMillis } = release;
  const { index, level, text } = file;
  const meta = { provider: "sample", index, level, publishedAtMillis } as const;
  await stage.publish(operations, misprinted(text), meta, true);
}

const MISPRINTED_SHARE = 0.6;

/** Every second place has lost much of its newest value: nobody lets that settle unseen. */
const misprinted = (text: string): string =>
  text
    .split("\n")
    .map((line, at) =>
      at % 2 === 0 && at > 0
        ? line.replace(/[\d.]+$/, (value) => String(MISPRINTED_SHARE * Number(value)))
        : line,
    )
    .join("\n");

/** Leaves something waiting for somebody when the exchange opens. */
async function leaveOpen(
  stage: Stage,
  { newcomer, hedger, second }: Cast,
  releases: readonly SampleRelease[],
): Promise<void> {
  await stage.give(actorOf(newcomer), { type: "RequestKyc", tier: "basic" });
  const disputed = seriesIdOf(disputedPlot, releases);
  await stage.give(actorOf(hedger), {
    type: "OpenDispute",
    marketId: marketId(disputed),
    reason: "The county's own assessments fell by more than the first print says",
    evidence: null,
  });
  await stage.give(actorOf(second), {
    type: "DecideDispute",
    marketId: marketId(disputed),
    decision: "uphold",
    valueE15: null,
    evidence: "The file carries the value that settled; assessments are no print",
  });
}

/** Every series that is open after this release: listed, quoted anew, or left alone. */
async function trade(
  stage: Stage,
  cast: Cast,
  releases: readonly SampleRelease[],
  after: number,
  random: Random,
): Promise<void> {
  for (const plot of plots.filter((one) => isOpenAfter(one, after))) {
    const age = after - plot.listedAfter;
    const isRenewed = age % REQUOTE_EVERY === 0 || after === RELEASES - 1;
    if (!isRenewed) continue;
    const id = seriesIdOf(plot, releases);
    if (age === 0) await list(stage, cast, id, random);
    const center = centerOf(stage, id);
    if (center === undefined) continue;
    if (age > 0) await requote(stage, cast, center, random);
    await take(stage, cast.hedger, center, "BUY", 100 * wholeBetween(random, 8, 20));
    const side = wholeBetween(random, 0, 2) === 0 ? "SELL" : "BUY";
    await take(stage, cast.trader, center, side, 100 * wholeBetween(random, 3, 9));
    if (plot === showcase) await leaveBid(stage, cast.trader, center, 500);
  }
}

/** Listed by then, its measurement month still to come, and not ended by hand. */
const isOpenAfter = ({ listedAfter, months, turn: end }: SeriesPlot, after: number): boolean =>
  listedAfter <= after && after < listedAfter + months && (end === undefined || after <= end.after);

async function turn(
  stage: Stage,
  { operations }: Cast,
  releases: readonly SampleRelease[],
  release: SampleRelease,
): Promise<void> {
  await stage.setTime(release.publishedAtMillis + TURNS_MINUTES * MINUTE_MILLIS);
  for (const plot of plots) {
    if (plot.turn?.after !== release.number) continue;
    const { type, reason } = plot.turn;
    const command = { type, marketId: seriesIdOf(plot, releases), reason };
    await stage.give(actorOf(operations), command);
    // A void is proposed, and carried out by a second person.
    if (type === "CancelMarket") await stage.give(root, command);
  }
}

function monthAfter(releases: readonly SampleRelease[], number: number): Month {
  const release = releases[number];
  if (release === undefined) throw new Error(`The sample has no release ${number}.`);
  return release.lastMonth;
}

function seriesIdOf(plot: SeriesPlot, releases: readonly SampleRelease[]) {
  const { index, nodeId, payoff } = plot;
  const baselineMonth = monthAfter(releases, plot.listedAfter);
  const measurementMonth = addMonths(baselineMonth, plot.months);
  return formatSeriesId({ index, nodeId, baselineMonth, measurementMonth, payoff });
}

function playedSample(cast: Cast, releases: readonly SampleRelease[]): PlayedSample {
  const { operations, second, newcomer, hedger, makers, trader } = cast;
  const shown = ({ name, address }: Player, role: Role): SampleAccount => ({ name, address, role });
  const { nodeId, payoff, listedAfter, months } = showcase;
  return {
    demoKey: cast.demoKey.secret,
    operatorKeys: cast.operatorKeys.map(({ secret }) => secret),
    accounts: [
      ...[operations, second].map((player) => shown(player, "operator")),
      ...[hedger, ...makers, trader, newcomer].map((player) => shown(player, "trader")),
    ],
    interesting: {
      nodeId,
      seriesId: seriesIdOf(showcase, releases),
      expiry: addMonths(monthAfter(releases, listedAfter), months),
      payoff,
    },
  };
}
