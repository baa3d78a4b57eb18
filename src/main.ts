// Wires a node: settings, database, engine, views, desks, surfaces; and ends it in order.
// Invariant: nothing is served before the state is recovered; nothing answered is lost at the end.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { InvariantBreach, invariant } from "#base/invariant.ts";
import type { Command } from "#core/command.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Result } from "#engine/engine.ts";
import { type OpenEngine, openEngine } from "#engine/open.ts";
import { adminRoutes } from "#http/admin/routes.ts";
import { bannerText } from "#http/banner.ts";
import { docsRoutes } from "#http/docs.ts";
import { identityRoutes } from "#http/identity.ts";
import { OutsideVerifier } from "#http/outside-verifier.ts";
import { publicRoutes } from "#http/public/routes.ts";
import { attributionOfRelease } from "#http/records/attribution.ts";
import type { Route } from "#http/route/route.ts";
import { assembleRoutes, operatorSide } from "#http/routes.ts";
import {
  STRANGERS_KEEP_ALIVE_SECONDS as idleSeconds,
  MOST_CONNECTIONS,
} from "#http/server/connections.ts";
import { HostList } from "#http/server/hosts.ts";
import { newSecret } from "#http/server/key-codec.ts";
import { KeyUse } from "#http/server/key-use.ts";
import { listenForOperators, operatorConnections } from "#http/server/operator-listener.ts";
import { RefusalCounts } from "#http/server/refusal-counts.ts";
import { buildServer } from "#http/server/server.ts";
import { statusRoutes } from "#http/status.ts";
import { Feed } from "#http/stream/feed.ts";
import { tradingRoutes } from "#http/trading/routes.ts";
import { providerNamed } from "#identity/provider.ts";
import { IdentityRegister } from "#identity/register.ts";
import { Vault } from "#identity/vault.ts";
import { Downloader } from "#ingest/downloads/downloader.ts";
import { type DownloadPlan, DownloadPlanFault, loadDownloadPlan } from "#ingest/downloads/plan.ts";
import { PlaceIntake } from "#ingest/places/intake.ts";
import { RawArchive } from "#ingest/raw-archive.ts";
import { ReleaseIntake, type Submit } from "#ingest/releases/intake.ts";
import { Rereading } from "#ingest/releases/rereading.ts";
import { PrintStore } from "#ingest/store.ts";
import { JournalRefusal } from "#journal/journal.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { type Database, excessIn, openDatabase } from "#node/database.ts";
import { changesMarks, MarkPublisher } from "#node/mark-publisher.ts";
import { readSettings, type Settings, SettingsFault } from "#node/settings.ts";
import { attributionOf, isProviderId } from "#prints/release.ts";
import { limitTicks } from "#quoting/limit-price.ts";
import { listingFor, marksDue } from "#quoting/listing.ts";
import { Reference, type ReferenceData } from "#quoting/reference.ts";
import { sampleTraderOf } from "#sample/cast.ts";
import { type PlayedSample, playSample, sampleOpeningMillis } from "#sample/play.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { keepFolder, keepSecret } from "#storage/secret-file.ts";
import { ExchangeView } from "#views/exchange.ts";
import { SeriesView } from "#views/series.ts";
import { WitnessClient } from "#witness/client.ts";
import manifest from "../package.json" with { type: "json" };

const SAMPLE_SEED = 1;

/** A start that cannot go on; the message is a sentence for whoever started it. */
class StartFault extends Error {
  override readonly name = "StartFault";
}

function notStarted(error: unknown): never {
  throw error instanceof Error ? new StartFault(error.message, { cause: error }) : error;
}

/** An error with a code comes from the database or the way to it; without one it is our own. */
function notReached(error: unknown): never {
  if (!(error instanceof Error && "code" in error)) throw error;
  const said = error.message || String(error.code);
  throw new StartFault(`The database cannot be used: ${said}`, { cause: error });
}

enableCompileCache();
const log = pino({ level: "info" }, pino.destination(2));

/** In a server of our own it would be our mistake; in another's the operator may have reasons. */
async function lookAtRole(database: Database): Promise<void> {
  const excess = await excessIn(database).catch(notReached);
  if (excess === undefined) return;
  if (database.isEmbedded) throw new StartFault(excess);
  log.warn(excess);
}

/** Everything between the database and the surfaces. */
interface Node {
  readonly engine: OpenEngine;
  readonly referenceData: ReferenceData;
  readonly releases: ReleaseIntake;
  readonly places: PlaceIntake;
  readonly identity: IdentityRegister;
  readonly rereading: Rereading;
  readonly witnesses: WitnessClient;
  /** While the sample is played, the time is its own; undefined gives it back. */
  setTime(millis: number | undefined): Promise<void>;
  /** From here on each durable entry goes to it, too. */
  show(feed: Feed): void;
  stop(): Promise<void>;
}

/** `playMillis`: where the sample may be played, its opening; nothing is entered after it. */
async function openNode(
  settings: Settings,
  { config }: Database,
  playMillis: number | undefined,
): Promise<Node> {
  const journal = new PostgresJournal(config);
  let playedMillis = playMillis;
  let view: ExchangeView | undefined;
  let refresh: (entry: Entry) => void = () => undefined;
  let feed: Feed | undefined;
  const witnesses = new WitnessClient(settings.witnesses, (how, what) => log[how](what));
  const engine = await openEngine({
    journal,
    dataDir: settings.dataDir,
    clock: settings.clock,
    now: () => playedMillis ?? Date.now(),
    log: (message) => log.info(message),
    onRecovered: (state) => {
      view = ExchangeView.from(state);
    },
    onDurable: (entry) => {
      view?.fold(entry);
      feed?.take(entry);
      refresh(entry);
    },
    onLogSigned: (head) => witnesses.submit(head),
    onFatal: (error) => fail(error),
  });
  witnesses.start(engine);
  invariant(view !== undefined, "a recovered engine has shown its state");
  const exchange: ExchangeView = view;
  const series = new SeriesView();
  const store = PrintStore.connect(config, () => engine.epoch());
  const raw = await RawArchive.start(join(settings.dataDir, "raw"));
  const releases = new ReleaseIntake(raw, store, exchange, series, ownSubmit(engine));
  await releases.start();
  const referenceData = { exchange, series, reference: new Reference(series, () => exchange.geo) };
  const marks = new MarkPublisher(referenceData, (command) => submitOwn(engine, command, "marks"));
  const vault = await Vault.open(config, join(settings.dataDir, "subjects"));
  const identity = openIdentity(settings, vault, { engine, exchange });
  await identity.catchUp();
  const rereading = new Rereading(engine, releases, (sentence) => log.info(sentence), fail);
  refresh = (entry) => {
    identity.onDurable(entry);
    if (playedMillis === undefined && changesMarks(entry)) {
      marks.after(() => releases.catchUp()).catch(fail);
    }
  };
  return {
    engine,
    referenceData,
    releases,
    identity,
    places: new PlaceIntake(exchange, rereading),
    rereading,
    witnesses,
    setTime: async (toMillis) => {
      playedMillis = toMillis;
      if (toMillis !== undefined && settings.clock === "sandbox") await setClock(engine, toMillis);
    },
    show: (shown) => {
      feed = shown;
    },
    stop: async () => {
      for (const part of [marks, rereading, witnesses, engine]) await part.stop();
      for (const part of [vault, store, journal]) await part.close();
    },
  };
}

/** Inquiries are decided in the exchange's own name; the decision says by which provider. */
const openIdentity = (
  settings: Settings,
  vault: Vault,
  { engine, exchange }: { readonly engine: OpenEngine; readonly exchange: ExchangeView },
): IdentityRegister =>
  new IdentityRegister(
    vault,
    exchange,
    providerNamed(settings.kyc),
    (command) => submitOwn(engine, command, "kyc"),
    (error) => log.error({ error }, "an inquiry could not be screened; the next start tries again"),
  );

/** Submits a command of the exchange itself; `requestId` names the occasion. */
const submitOwn = (engine: OpenEngine, command: Command, requestId: string): Promise<Result> =>
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
  const isSet = "answer" in result && !isRejected(result.answer.outcome);
  invariant(isSet, "the sample's clock goes forward");
}

interface Secrets {
  readonly admin: string;
  /** Shown once: the first start made it. */
  readonly isNewAdmin: boolean;
  readonly pepper: string;
}

async function openSecrets({ dataDir, adminSecret }: Settings): Promise<Secrets> {
  const random = () => randomBytes(32).toString("base64url");
  const { secret: pepper } = await keepSecret(dataDir, "pepper", random);
  if (adminSecret !== undefined) return { admin: adminSecret, isNewAdmin: false, pepper };
  const { secret, isNew } = await keepSecret(dataDir, "admin-secret", random);
  return { admin: secret, isNewAdmin: isNew, pepper };
}

async function openKeyUse({ dataDir }: Settings): Promise<KeyUse> {
  const path = join(dataDir, "key-use");
  const keyUse = await KeyUse.read(path).catch(notStarted);
  const keeping = keyUse.keep(path, (error) => log.error(error, "the use of keys is not kept"));
  endings.push(() => keeping.end());
  return keyUse;
}

function serve(settings: Settings, node: Node, secrets: Secrets, keyUse: KeyUse) {
  const { engine, referenceData, releases, places, identity, witnesses } = node;
  const { exchange } = referenceData;
  const { maxKeyRatePerMinute, publicRatePerMinute, trustedProxies } = settings;
  const { addressConnections: anAddress, localConnections: aLocalAddress } = settings;
  const refusalCounts = new RefusalCounts();
  const attribution = (provider: string): string => attributionText(settings, provider);
  const feed = openFeed(node, attribution);
  const program = fileURLToPath(new URL("./verify.ts", import.meta.url));
  const verifier = new OutsideVerifier(program, settings, () => engine.status());
  endings.push(async () => verifier.stop());
  const kind = settings.clock === "real" ? "live" : "test";
  const ports = {
    ...referenceData,
    view: exchange,
    engine,
    history: engine.history,
    releases,
    places,
    identity,
    verification: () => verifier.verify(),
    witnesses: () => witnesses.states,
    keyUse,
    refusalCounts,
    maxKeyRatePerMinute,
    publicRatePerMinute,
    clock: settings.clock,
    routes: () => routes,
    newSecret: () => newSecret(kind, secrets.pepper),
    newPublicSecret: () => newSecret("pub", secrets.pepper),
    listingFor: (id: string) => listingFor(referenceData, id),
    limitTickFor: limitTicks(referenceData, () => engine.status().engineTimeMillis),
    attribution,
    feed,
  };
  const routes: readonly Route[] = assembleRoutes(
    statusRoutes({ engine, version: manifest.version, clock: settings.clock }),
    tradingRoutes(ports),
    publicRoutes(ports),
    adminRoutes(ports),
    identityRoutes(ports),
    docsRoutes({ ...ports, demoAccount: () => sampleTraderOf(exchange) }),
  );
  const options = {
    routes,
    engine,
    directory: exchange,
    keyUse,
    refusalCounts,
    pepper: secrets.pepper,
    adminSecret: secrets.admin,
    publicRatePerMinute,
    maxKeyRatePerMinute,
    trustedProxies,
    hosts: HostList.for(settings.host, settings.hosts),
    connections: { anAddress, aLocalAddress, all: MOST_CONNECTIONS, idleSeconds },
    nowMillis: () => performance.now(),
    onFault: (error: unknown, requestId: string) => {
      log.error({ error, requestId }, "a request met a fault");
      if (error instanceof InvariantBreach) fail(error);
    },
  };
  const server = buildServer(options);
  // A stream never ends by itself, and the server waits for every answer.
  server.addHook("preClose", async () => feed.end());
  const forOperators = { ...options, ...operatorSurface(settings, routes) };
  return { server, operators: () => buildServer(forOperators) };
}

/** A socket has no name that a page could ask for. */
const operatorSurface = ({ operatorListen, hosts }: Settings, routes: readonly Route[]) => ({
  routes: operatorSide(routes),
  connections: operatorConnections,
  hosts: "path" in (operatorListen ?? {}) ? undefined : HostList.for("127.0.0.1", hosts),
});

/** Opens the feed of the streams; from here on it is shown every durable entry. */
function openFeed(node: Node, attribution: (provider: string) => string): Feed {
  const { engine, referenceData } = node;
  const feed = new Feed({
    history: engine.history,
    durableSequence: () => engine.status().durableSequence,
    attribution: (id) => attributionOfRelease({ ...referenceData, attribution }, id),
    onFault: (error) => log.error({ error }, "the journal could not be read for a stream"),
  });
  node.show(feed);
  return feed;
}

function attributionText({ dataProvider }: Settings, provider: string): string {
  invariant(isProviderId(provider), `${provider} is a provider`);
  if (dataProvider !== undefined && provider !== "sample") return `Data from ${dataProvider}`;
  return attributionOf(provider);
}

function play(
  settings: Settings,
  node: Node,
  pepper: string,
  todayMillis: number,
): Promise<PlayedSample> {
  const { engine, referenceData, releases, places } = node;
  const kind = settings.clock === "real" ? "live" : "test";
  return playSample({
    engine,
    releases,
    geo: places,
    listingFor: (id) => listingFor(referenceData, id),
    marksDue: () => marksDue(referenceData),
    setTime: (millis) => node.setTime(millis),
    makeKey: () => newSecret(kind, pepper),
    keyRatePerMinute: settings.maxKeyRatePerMinute,
    seed: SAMPLE_SEED,
    todayMillis,
  });
}

/** Files fetched by the node itself: the exchange gives the command, and its audit says so. */
function openDownloads(plan: DownloadPlan, { dataDir }: Settings, node: Node): Promise<Downloader> {
  const { engine, referenceData, releases } = node;
  return Downloader.open(plan, join(dataDir, "downloads"), {
    intake: releases,
    submit: (command) => submitOwn(engine, command, "download"),
    durable: referenceData.exchange,
    leads: () => engine.epoch() !== undefined,
    log: (severity, message) => log[severity](message),
    onFatal: fail,
  });
}

/** How what was opened is ended, in the order of opening; each waits until it is open. */
const endings: (() => Promise<void>)[] = [];
let isEnding = false;

/** Opens one part of the node, and has it ended with the others even if it is not open yet. */
function opened<T>(opening: Promise<T>, end: (part: T) => Promise<void>): Promise<T> {
  // A part that did not open is reported where it is awaited, and needs no end.
  endings.push(() => opening.then(end, () => undefined));
  return opening;
}

/** The last opened ends first. */
async function endAll(): Promise<void> {
  isEnding = true;
  for (const end of endings.splice(0).reverse()) await end();
}

async function start(): Promise<void> {
  const settings = readSettings(process.env);
  const { downloads } = settings;
  const plan = downloads === undefined ? undefined : await loadDownloadPlan(downloads);
  for (const folder of [settings.dataDir, join(settings.dataDir, "subjects")]) {
    const wasOpen = await keepFolder(folder);
    if (wasOpen) log.warn(`${folder} could be looked into by other users; it no longer can`);
  }
  const secrets = await openSecrets(settings);
  const database = await opened(openDatabase(settings, log).catch(notStarted), (part) =>
    part.stop(),
  );
  const wantsSample = settings.sample ?? database.isEmbedded;
  const todayMillis = Date.now();
  const opening = wantsSample ? sampleOpeningMillis(SAMPLE_SEED, todayMillis) : undefined;
  const opens = openNode(settings, database, opening).catch(notReached);
  const node = await opened(opens, (part) => part.stop());
  await lookAtRole(database);
  const isEmpty = node.engine.status().sequence <= 1;
  const unfinished = join(settings.dataDir, "sample-unfinished");
  if (existsSync(unfinished)) {
    throw new StartFault(
      `The sample was cut off while it was played. Remove ${settings.dataDir} and start again.`,
    );
  }
  let sample: PlayedSample | undefined;
  if (wantsSample && isEmpty) {
    await writeFile(unfinished, "");
    sample = await play(settings, node, secrets.pepper, todayMillis);
    await rm(unfinished);
  }
  await node.setTime(undefined);
  node.rereading.reread();
  const { server, operators } = serve(settings, node, secrets, await openKeyUse(settings));
  const { host, port, operatorListen } = settings;
  if (operatorListen !== undefined) {
    // Limits, rates and connections of its own: what fills the other listener leaves it free.
    const opening = listenForOperators(operators(), operatorListen).catch(notStarted);
    const { address } = await opened(opening, (listener) => listener.close());
    log.info(`operators and cancels are also served at ${address}`);
  }
  endings.push(() => server.close());
  const address = await server.listen({ host, port }).catch((error: Error) => {
    throw new StartFault(`HOST ${host} and PORT ${port} cannot be served: ${error.message}`);
  });
  if (plan !== undefined && !isEnding) {
    await opened(openDownloads(plan, settings, node), (downloader) => downloader.stop());
  }
  greet(settings, address, node, secrets, sample);
}

async function main(): Promise<void> {
  const leave = (): void => {
    if (!isEnding) endAll().then(() => process.exit(0), fail);
  };
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
  try {
    await start();
  } catch (error) {
    // Asked to leave while starting: what was under way breaks off, and that is no failure.
    if (isEnding) return;
    tell(error);
    await endAll().catch(() => undefined);
    process.exit(1);
  }
}

function greet(
  { dataDir, clock }: Settings,
  address: string,
  { referenceData, engine }: Node,
  secrets: Secrets,
  sample: PlayedSample | undefined,
): void {
  const path = join(dataDir, "admin-secret");
  const shown = process.stdout.isTTY ? secrets.admin : undefined;
  const admin = secrets.isNewAdmin ? { path, shown } : undefined;
  const parts = { version: manifest.version, address, clock, admin, sample };
  process.stdout.write(bannerText(parts, referenceData, engine.status().engineTimeMillis));
}

/** Our own mistake, or a store that must not be served from: stop at once, by name. */
function fail(error: unknown): void {
  tell(error);
  process.exit(1);
}

function tell(error: unknown): void {
  const isSentence = [
    SettingsFault,
    DownloadPlanFault,
    StartFault,
    JournalRefusal,
    StorageRefusal,
  ].some((kind) => error instanceof kind);
  if (isSentence && error instanceof Error) process.stderr.write(`${error.message}\n`);
  else log.fatal(error, "the node stops");
}

process.on("unhandledRejection", fail);
process.on("uncaughtException", fail);
await main();
