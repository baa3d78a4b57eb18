// The start of a node: settings, secrets, database, engine, sample, listeners, downloads, in order.
// Invariant: nothing is served before the state is recovered; nothing answered is lost at the end.
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import type { BlockList } from "node:net";
import { join } from "node:path";
import { isAccepted, type NotLeaderReason } from "#engine/engine.ts";
import { bannerText } from "#http/banner.ts";
import { OutsideVerifier } from "#http/outside-verifier.ts";
import { newSecret } from "#http/server/key-codec.ts";
import { KeyUse } from "#http/server/key-use.ts";
import { listenForOperators } from "#http/server/operator-listener.ts";
import { networksOf } from "#ingest/downloads/address-guard.ts";
import { Downloader, type DownloadPorts } from "#ingest/downloads/downloader.ts";
import { type DownloadPlan, loadDownloadPlan } from "#ingest/downloads/plan.ts";
import { keyFile, publicPart, readKeyFile, SIGNING_KEY } from "#journal/checkpoint-key.ts";
import { listingFor, marksDue, publishing } from "#quoting/listing.ts";
import { type PlayedSample, playSample, sampleOpeningMillis } from "#sample/play.ts";
import { enterMaintenance } from "#storage/maintenance.ts";
import { keepFolder } from "#storage/secret-file.ts";
import { compareSecrets, noteSecrets } from "#storage/shared-secrets.ts";
import manifest from "../../package.json" with { type: "json" };
import { storeVariables } from "./archive-settings.ts";
import { Archiving } from "./archiving.ts";
import { NodeClock } from "./clock-keeping.ts";
import { compileCache } from "./compile-cache.ts";
import { type Database, excessIn, openDatabase } from "./database.ts";
import { fail, log, notReached, notStarted, StartFault } from "./faults.ts";
import type { Lifetime } from "./lifetime.ts";
import { Metrics } from "./metrics.ts";
import { type Node, openNode, submitOwn } from "./node.ts";
import { NotLeaderNotes } from "./not-leader.ts";
import { openSecrets, type Secrets, sharedIn } from "./secrets.ts";
import { serve } from "./serve.ts";
import type { Settings } from "./settings.ts";
import { overlapsIn } from "./upkeep-gauges.ts";
import { loadDeliveries } from "./webhooks.ts";

const SAMPLE_SEED = 1;

/** Paths of programs that run beside the exchange, each a process of its own. */
interface Programs {
  /** Judges the journal. */
  readonly verify: string;
  /** Moves old entries into the archive. */
  readonly archive: string;
}

/**
 * Opens every part in its order and serves; the parts end with `lifetime`. Returns what a person
 * who started it is greeted with: where it serves, and the first steps.
 */
export async function start(
  settings: Settings,
  lifetime: Lifetime,
  programs: Programs,
): Promise<string> {
  log.level = settings.logLevel;
  const metrics = new Metrics();
  const { onAppended } = metrics;
  const notLeader = new NotLeaderNotes({
    count: (reason, requests) => metrics.notLeading(reason, requests),
    warn: (sentence) => log.warn(sentence),
  });
  const networks = networksOf(settings.downloadNetworks);
  const planned = settings.downloads;
  const plan = planned === undefined ? undefined : await loadDownloadPlan(planned, networks);
  const wasOpen = await keepFolder(settings.dataDir);
  if (wasOpen) log.warn(`${settings.dataDir} could be looked into by other users; no longer`);
  const secrets = await openSecrets(settings);
  const database = await lifetime.opened(openDatabase(settings, log).catch(notStarted), (part) =>
    part.stop(),
  );
  const clock =
    settings.clock === "real"
      ? await lifetime.opened(
          NodeClock.open(settings.dataDir, database, metrics).catch(notReached),
          (part) => part.stop(),
        )
      : undefined;
  const wantsSample = settings.sample ?? database.isEmbedded;
  const todayMillis = Date.now();
  const playMillis = wantsSample ? sampleOpeningMillis(SAMPLE_SEED, todayMillis) : undefined;
  const given = {
    ...secrets,
    playMillis,
    clock,
    onAppended,
    onNotLeader: (reason: NotLeaderReason, requests: number) => notLeader.note(reason, requests),
    onRedrawn: () => metrics.redrawn(),
    onFault: () => metrics.faulted(),
  };
  const opens = openNode(settings, database, given).catch(notReached);
  const node = await lifetime.opened(opens, (part) => part.stop());
  await lookAtRole(database);
  await agreeOnSecrets(settings, database, node, secrets);
  const isEmpty = node.referenceData.exchange.accounts.size === 0;
  const unfinished = join(settings.dataDir, "sample-unfinished");
  if (existsSync(unfinished)) {
    throw new StartFault(
      `The sample was cut off while it was played. Remove ${settings.dataDir} and start again.`,
    );
  }
  let sample: PlayedSample | undefined;
  if (wantsSample && isEmpty && node.leads()) {
    await writeFile(unfinished, "");
    sample = await play(settings, node, secrets.pepper, todayMillis);
    await rm(unfinished);
  }
  await node.setTime(undefined);
  const tellMaintenance = () => enterNotes(settings, node);
  if (node.leads()) await tellMaintenance();
  node.atTerm(tellMaintenance);
  clock?.atWord(async () => {
    if (node.leads()) await tellMaintenance();
  });
  handOverAtSignal(node, lifetime);
  node.rereading.reread();
  const keyUse = await openKeyUse(settings, lifetime);
  const environment = { ...compileCache(), ...storeVariables(settings) };
  const verifier = new OutsideVerifier(programs.verify, environment, () => node.engine.status());
  lifetime.ends(async () => verifier.stop());
  const archiving = new Archiving(programs.archive, settings, () => node.leads());
  lifetime.ends(() => archiving.stop());
  const deliveries = await loadDeliveries(database.config).catch(notReached);
  const overlaps = await overlapsIn(settings.dataDir).catch(notStarted);
  let downloader: Downloader | undefined;
  const downloads = {
    states: () => downloader?.states() ?? [],
    check: async () => (await downloader?.check()) ?? [],
  };
  const beside = { keyUse, verifier, deliveries, metrics, clock, downloads };
  const opened = serve(settings, node, secrets, { ...beside, archiving, overlaps });
  const { server, operators, deliverer } = opened;
  lifetime.ends(() => deliverer.stop());
  const { host, port, operatorListen } = settings;
  if (operatorListen !== undefined) {
    // Limits, rates and connections of its own: what fills the other listener leaves it free.
    const opening = listenForOperators(operators(), operatorListen).catch(notStarted);
    const { address } = await lifetime.opened(opening, (listener) => listener.close());
    log.info(`operators and cancels are also served at ${address}`);
  }
  lifetime.ends(() => server.close());
  const address = await server.listen({ host, port }).catch((error: Error) => {
    throw new StartFault(`HOST ${host} and PORT ${port} cannot be served: ${error.message}`);
  });
  if (plan !== undefined && !lifetime.isEnding) {
    downloader = await lifetime.opened(
      openDownloads(plan, networks, settings, node),
      (downloader) => downloader.stop(),
    );
  }
  return greeting(settings, address, node, secrets, sample);
}

/** Those of the node that leads count, from the beginning of its term. */
async function agreeOnSecrets(
  settings: Settings,
  { config }: Database,
  node: Node,
  secrets: Secrets,
): Promise<void> {
  const key = await readKeyFile(keyFile(settings.dataDir));
  const ownKey = key === undefined ? {} : { [SIGNING_KEY]: publicPart(key) };
  const before = key?.former?.at(-1);
  const shared = { ...sharedIn(secrets, settings), ...ownKey };
  const former = {
    pepper: secrets.formerPepper(),
    ...(before === undefined ? {} : { [SIGNING_KEY]: publicPart(before) }),
  };
  const note = () => noteSecrets(config, shared);
  const compare = () => compareSecrets(config, shared, former);
  await (node.leads() ? note : compare)().catch(notReached);
  node.atTerm(note);
}

function handOverAtSignal({ engine }: Node, lifetime: Lifetime): void {
  const handOver = (): void => void engine.handOver().catch(fail);
  process.on("SIGUSR2", handOver);
  lifetime.ends(async () => void process.off("SIGUSR2", handOver));
}

/** In a server of our own it would be our mistake; in another's the operator may have reasons. */
async function lookAtRole(database: Database): Promise<void> {
  const excess = await excessIn(database).catch(notReached);
  if (excess === undefined) return;
  if (database.isEmbedded) throw new StartFault(excess);
  log.warn(excess);
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
    marksDue: () => publishing(marksDue(referenceData)),
    setTime: (millis) => node.setTime(millis),
    makeKey: () => newSecret(kind, pepper),
    keyRatePerMinute: settings.maxKeyRatePerMinute,
    seed: SAMPLE_SEED,
    todayMillis,
  });
}

/** Before anything else is entered by this node: the exchange gives the command. */
const enterNotes = ({ dataDir }: Settings, { engine }: Node): Promise<void> =>
  enterMaintenance(dataDir, async (note) => {
    const command = { type: "RecordMaintenance", ...note } as const;
    const result = await submitOwn(engine, command, "maintenance");
    if (!isAccepted(result)) throw new Error("an entry of maintenance was not taken");
  });

async function openKeyUse({ dataDir }: Settings, lifetime: Lifetime): Promise<KeyUse> {
  const path = join(dataDir, "key-use");
  const keyUse = await KeyUse.read(path).catch(notStarted);
  const keeping = keyUse.keep(path, (error) => log.error(error, "the use of keys is not kept"));
  lifetime.ends(() => keeping.end());
  return keyUse;
}

/** Files fetched by the node itself: the exchange gives the command, and its audit says so. */
function openDownloads(
  plan: DownloadPlan,
  networks: BlockList,
  { dataDir }: Settings,
  node: Node,
): Promise<Downloader> {
  const { engine, referenceData, releases } = node;
  const ports = {
    intake: releases,
    submit: (command) => submitOwn(engine, command, "download"),
    durable: referenceData.exchange,
    leads: () => engine.epoch() !== undefined,
    log: (severity, message) => log[severity](message),
    onFatal: fail,
  } satisfies DownloadPorts;
  return Downloader.open(plan, join(dataDir, "downloads"), ports, { networks });
}

function greeting(
  { dataDir, clock }: Settings,
  address: string,
  { referenceData, engine }: Node,
  secrets: Secrets,
  sample: PlayedSample | undefined,
): string {
  const path = join(dataDir, "admin-secret");
  const shown = process.stdout.isTTY ? secrets.admin : undefined;
  const admin = secrets.isNewAdmin ? { path, shown } : undefined;
  const parts = { version: manifest.version, address, clock, admin, sample };
  return bannerText(parts, referenceData, engine.status().engineTimeMillis);
}
