// Everything between the database and the surfaces: engine, view, prints, intakes, identities.
// Invariant: nothing is shown before the state is recovered, and nothing that is not durable.
import { invariant } from "#base/invariant.ts";
import type { Command } from "#core/command.ts";
import type { Entry } from "#core/outcome.ts";
import { isAccepted, type NotLeaderReason, type Result, type Submit } from "#engine/engine.ts";
import { MarketHistory } from "#engine/market-history.ts";
import { type EngineOptions, type OpenEngine, openEngine, openFollower } from "#engine/open.ts";
import type { PageMakerOptions } from "#engine/page-maker.ts";
import { SnapshotThread } from "#engine/snapshot-thread.ts";
import type { OnAppended } from "#engine/term.ts";
import type { Upkeep } from "#http/ports.ts";
import type { Feed } from "#http/stream/feed.ts";
import { providerNamed } from "#identity/provider.ts";
import { IdentityRegister } from "#identity/register.ts";
import { Vault } from "#identity/vault.ts";
import { PlaceIntake } from "#ingest/places/intake.ts";
import { movePlaces } from "#ingest/raw-move.ts";
import { RawStore } from "#ingest/raw-store.ts";
import { ReleaseIntake } from "#ingest/releases/intake.ts";
import { Rereading } from "#ingest/releases/rereading.ts";
import { PrintStore, TermOver } from "#ingest/store.ts";
import { PostgresMarketDays } from "#journal/market-days-postgres.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { type WholeJournal, wholeJournal } from "#journal/whole-journal.ts";
import { Reference, type ReferenceData } from "#quoting/reference.ts";
import { objectStoreAt } from "#storage/object-place.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";
import { WitnessClient } from "#witness/client.ts";
import { lookAtArchive } from "./archiving.ts";
import type { NodeClock } from "./clock-keeping.ts";
import type { Database } from "./database.ts";
import { fail, log, waiting } from "./faults.ts";
import { changesMarks, MarkPublisher } from "./mark-publisher.ts";
import { rawOutside } from "./raw-outside.ts";
import { Receivers } from "./receivers.ts";
import type { Secrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";
import { ShownExchange, type ViewFault } from "./shown-exchange.ts";
import { TermBeginnings } from "./term-beginnings.ts";
import { untilReached } from "./until-reached.ts";
import { upkeepOf } from "./upkeep.ts";

/** Everything between the database and the surfaces. */
export interface Node {
  readonly engine: OpenEngine;
  readonly referenceData: ReferenceData;
  readonly releases: ReleaseIntake;
  readonly places: PlaceIntake;
  readonly identity: IdentityRegister;
  readonly rereading: Rereading;
  readonly witnesses: WitnessClient;
  readonly marketHistory: MarketHistory;
  /** While the sample is played, the time is its own; undefined gives it back. */
  setTime(millis: number | undefined): Promise<void>;
  upkeep(): Promise<Upkeep>;
  /** From here on each durable entry goes to it, too. */
  show(feeds: readonly Pick<Feed, "take">[]): void;
  /** Whether this node leads; only the one that does may play the sample. */
  leads(): boolean;
  /** Has this done, too, at the beginning of each later term. */
  atTerm(begin: () => Promise<void>): void;
  stop(): Promise<void>;
}

interface NodeInputs extends Pick<Secrets, "subjectsKey"> {
  /** Where the sample may be played, its opening; nothing is entered after it. */
  readonly playMillis: number | undefined;
  /** Of the real clock; undefined where an operator sets the time. */
  readonly clock: Pick<NodeClock, "now" | "notBefore"> | undefined;
  readonly onAppended: OnAppended;
  readonly onNotLeader: (reason: NotLeaderReason, requests: number) => void;
  /** The view failed to take an entry in. */
  readonly onRedrawn: () => void;
  /** Another part did. */
  readonly onFault: () => void;
}

export async function openNode(
  settings: Settings,
  { config, isEmbedded }: Database,
  { subjectsKey, playMillis, clock, onAppended, onNotLeader, onRedrawn, onFault }: NodeInputs,
): Promise<Node> {
  const journal = journalOf(settings, config);
  const [isFollower, receivers] = [settings.role === "follower", new Receivers(onFault)];
  let playedMillis = playMillis;
  let opened: OpenEngine | undefined;
  const beginnings = termBeginnings(() => engine.epoch());
  const witnesses = new WitnessClient(settings.witnesses, (how, what) => log[how](what));
  const { engine, exchange } = await openShown(settings, {
    ...{ journal, onAppended, onNotLeader, makePages: threadOn(config, settings) },
    standsBy: !isEmbedded,
    onLeading: () => beginnings.begin(),
    now: () => playedMillis ?? clock?.now() ?? Date.now(),
    reached: (timeMillis) => clock?.notBefore(timeMillis),
    tell: (entry) => {
      // An entry of our own leadership has the time of this clock.
      if (opened?.epoch() === undefined) clock?.notBefore(entry.envelope.timeMillis);
      return receivers.take(entry);
    },
    failed: (fault) => {
      logViewFault(fault);
      onRedrawn();
    },
    onLogSigned: (head) => witnesses.submit(head),
  });
  opened = engine;
  const stoodBy = !leads(engine);
  if (!isFollower) witnesses.start(engine);
  const series = new SeriesView();
  const { releases, ...intake } = await openIntake(settings, config, engine, { exchange, series });
  const referenceData = referenceDataOf(exchange, series, settings);
  const marks = new MarkPublisher(referenceData, (command) => submitOwn(engine, command, "marks"));
  const parts = { engine, exchange, subjectsKey };
  const { identity, vault } = await openIdentity(settings, config, parts);
  const rereading = new Rereading(engine, releases, (sentence) => log.info(sentence), fail);
  const marketHistory = marketHistoryOf(engine, new PostgresMarketDays(config));
  const publish = () => marks.after(() => releases.catchUp());
  const refresh = (entry: Entry): void => {
    marketHistory.take(entry);
    if (leads(engine)) identity.onDurable(entry);
    if (playedMillis === undefined && changesMarks(entry)) publishSoon(marks, publish);
  };
  // A follower only reads: the leader gives marks, and counts the days of markets.
  if (isFollower) marks.stop();
  else marketHistory.start();
  if (isFollower) receivers.releases = releases;
  else receivers.refresh = refresh;
  beginnings.add(
    () => intake.begin().then(intake.settle),
    () => identity.catchUp(),
    publish,
    async () => rereading.reread(),
  );
  beginnings.open(stoodBy && leads(engine));
  return {
    ...{ engine, referenceData, releases, identity },
    places: new PlaceIntake(exchange, rereading),
    rereading,
    witnesses,
    marketHistory,
    leads: () => leads(engine),
    atTerm: (begin) => beginnings.add(begin),
    setTime: async (toMillis) => {
      playedMillis = toMillis;
      if (toMillis !== undefined && settings.clock === "sandbox") await setClock(engine, toMillis);
    },
    upkeep: () => upkeepOf(settings.dataDir, config, journal),
    show: (shown) => {
      receivers.feeds = shown;
    },
    stop: async () => {
      for (const part of [marks, rereading, witnesses, marketHistory, engine]) await part.stop();
      for (const part of [vault, intake.store, intake.raw, journal]) await part.close();
    },
  };
}

/** The leader's loop is free while a thread makes its snapshots. */
const threadOn =
  (config: Database["config"], { databaseUrl }: Settings) =>
  ({ key, log: say }: PageMakerOptions): SnapshotThread =>
    new SnapshotThread({ place: { config, databaseUrl }, key, log: say });

const journalOf = (
  { replicas, storage, archive, partitionEntries }: Settings,
  config: Database["config"],
) =>
  wholeJournal(
    new PostgresJournal(config, replicas, storage, undefined, partitionEntries),
    archive === undefined ? undefined : objectStoreAt(archive),
  );

/** An engine, and the view that is shown each durable entry before anything else is. */
async function openShown(
  settings: Settings,
  {
    tell,
    failed,
    reached,
    ...options
  }: Omit<EngineOptions, "clock" | "journal" | "onDurable"> & {
    readonly journal: WholeJournal;
    tell(entry: Entry): Promise<void> | undefined;
    failed(fault: ViewFault): void;
    /** Called with the time of the newest entry that was recovered. */
    reached(timeMillis: number): void;
  },
): Promise<{ readonly engine: OpenEngine; readonly exchange: ExchangeView }> {
  const { dataDir, clock, role } = settings;
  const shown = new ShownExchange({ tell, failed });
  const open = role === "follower" ? openFollower : openEngine;
  const engine = await open({
    ...options,
    dataDir,
    clock,
    log: (message) => log.info(message),
    onRecovered: (state) => {
      reached(state.lastTimeMillis);
      shown.recover(state);
    },
    onDurable: (entry) => shown.take(entry),
    shown,
    onFatal: (error) => fail(error),
  });
  await lookAtArchive(settings, options.journal);
  return { engine, exchange: shown.view };
}

/** An operator is paged by the metric; the log has what to report. */
function logViewFault({ error, sequence, requestId, isLost }: ViewFault): void {
  const what = isLost
    ? "what this node shows could not be drawn again: it shows no accounts, and takes orders"
    : "what this node shows failed to take an entry in, and is drawn again";
  log.error({ alert: "view_redrawn", error, sequence, requestId }, what);
}

const referenceDataOf = (
  exchange: ExchangeView,
  series: SeriesView,
  { priceModel }: Settings,
): ReferenceData => {
  const reference = new Reference(series, () => exchange.geo, priceModel);
  return { exchange, series, reference };
};

const termBeginnings = (epoch: () => number | undefined): TermBeginnings => {
  const tell = waiting("the work of a new term waits for the database");
  return new TermBeginnings({ epoch, tell, fail });
};

/** A database that is out of reach for a moment ends no node. */
function publishSoon(marks: MarkPublisher, publish: () => Promise<void>): void {
  const tell = waiting("marks wait for the database");
  untilReached(publish, { isWanted: () => !marks.isStopped, tell }).catch(fail);
}

const leads = (engine: OpenEngine): boolean => engine.epoch() !== undefined;

interface OpenIntake {
  readonly store: PrintStore;
  readonly raw: RawStore;
  readonly releases: ReleaseIntake;
  /** At the beginning of each term, and once before: also without the lead releases are shown. */
  begin(): Promise<void>;
  /** Moves raw files to where new ones are kept; it may take long. */
  settle(): Promise<void>;
}

async function openIntake(
  { dataDir, raw: rawSettings }: Settings,
  config: Database["config"],
  engine: OpenEngine,
  { exchange, series }: Pick<ReferenceData, "exchange" | "series">,
): Promise<OpenIntake> {
  const store = PrintStore.connect(config, () => engine.epoch());
  const raw = RawStore.connect(config, await rawOutside(rawSettings, dataDir));
  const releases = new ReleaseIntake(raw, store, exchange, series, ownSubmit(engine));
  const begin = async (): Promise<void> => {
    const epoch = engine.epoch();
    if (epoch !== undefined) {
      const named = [...exchange.releases.values(), ...exchange.quarantine.values()];
      await raw.keepOnly([...new Set(named.map(({ sha256 }) => sha256))], epoch);
    }
    await releases.start();
  };
  const settle = async (): Promise<void> => {
    const epoch = engine.epoch();
    if (epoch === undefined) return;
    const moving = movePlaces(raw, epoch, (sentence) => log.info(sentence));
    await moving
      .then(() => raw.removeStrays(epoch))
      .catch((error) => {
        if (!(error instanceof TermOver)) throw error;
      });
  };
  await begin();
  settleSoon(engine, settle);
  return { store, raw, releases, begin, settle };
}

/** An object store that is out of reach, or a disk that is full, keeps nobody from trading. */
function settleSoon(engine: OpenEngine, settle: () => Promise<void>): void {
  const term = engine.epoch();
  const isWanted = (): boolean => term !== undefined && engine.epoch() === term;
  untilReached(settle, { isWanted, tell: waiting("raw files wait to be moved") }).catch(fail);
}

interface IdentityParts {
  readonly engine: OpenEngine;
  readonly exchange: ExchangeView;
  readonly subjectsKey: string;
}

/** Inquiries are decided in the exchange's own name; the decision says by which provider. */
async function openIdentity(
  { kyc }: Settings,
  config: Database["config"],
  { engine, exchange, subjectsKey }: IdentityParts,
): Promise<{ readonly vault: Vault; readonly identity: IdentityRegister }> {
  const vault = Vault.open(config, subjectsKey);
  const identity = new IdentityRegister(
    vault,
    () => engine.epoch(),
    exchange,
    providerNamed(kyc),
    (command) => submitOwn(engine, command, "kyc"),
    (error) => log.error({ error }, "an inquiry could not be screened; the next start tries again"),
  );
  if (leads(engine)) await identity.catchUp();
  return { vault, identity };
}

function marketHistoryOf(engine: OpenEngine, store: PostgresMarketDays): MarketHistory {
  return new MarketHistory({
    store,
    history: engine.history,
    durableSequence: () => engine.status().durableSequence,
    onFault: waiting("the days of markets wait for the database"),
  });
}

/** Submits a command of the exchange itself; `requestId` names the occasion. */
export const submitOwn = (
  engine: OpenEngine,
  command: Command,
  requestId: string,
): Promise<Result> =>
  engine.submit({ actor: { type: "system" }, command, requestId, idempotency: null });

const ownSubmit =
  (engine: OpenEngine): Submit =>
  (command) =>
    submitOwn(engine, command, "release");

async function setClock(engine: OpenEngine, toMillis: number): Promise<void> {
  const result = await engine.submit({
    actor: { type: "root" },
    command: { type: "SetClock", toMillis },
    requestId: "sample",
    idempotency: null,
  });
  invariant(isAccepted(result), "the sample's clock goes forward");
}
