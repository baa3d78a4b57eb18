// The surfaces over an open node: its routes, the server that serves them, the operators' own.
// Invariant: nothing here opens a port.
import type { ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Entry } from "#core/outcome.ts";
import { consoleRoutes } from "#http/console.ts";
import { docsRoutes } from "#http/docs.ts";
import { showMetrics } from "#http/metrics.ts";
import { operationRoutes } from "#http/operations.ts";
import type { OutsideVerifier } from "#http/outside-verifier.ts";
import type { DownloadsPort } from "#http/ports.ts";
import { attributionOfRelease } from "#http/records/attribution.ts";
import type { Route } from "#http/route/route.ts";
import { assembleRoutes, operatorSide } from "#http/routes.ts";
import type { ServedReferencePorts } from "#http/served-reference.ts";
import type { AnsweredRequest } from "#http/server/answered.ts";
import {
  STRANGERS_KEEP_ALIVE_SECONDS as idleSeconds,
  MOST_CONNECTIONS,
} from "#http/server/connections.ts";
import { HostList } from "#http/server/hosts.ts";
import { newSecret } from "#http/server/key-codec.ts";
import type { KeyUse } from "#http/server/key-use.ts";
import { operatorConnections } from "#http/server/operator-listener.ts";
import { RefusalCounts } from "#http/server/refusal-counts.ts";
import { buildServer } from "#http/server/server.ts";
import { Feed } from "#http/stream/feed.ts";
import { tellingOf } from "#http/stream/feed-message.ts";
import { ownMessage } from "#http/trading/own-message.ts";
import { attributionOf, isProviderId } from "#prints/release.ts";
import { limitTicks } from "#quoting/limit-price.ts";
import { listingsFrom } from "#quoting/listing.ts";
import { sampleTraderOf } from "#sample/cast.ts";
import manifest from "../../package.json" with { type: "json" };
import type { NodeClock } from "./clock-keeping.ts";
import { log } from "./faults.ts";
import { decisionLog, logAnswer } from "./log-lines.ts";
import type { Metrics } from "./metrics.ts";
import type { Node } from "./node.ts";
import type { Secrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";
import type { SideWork } from "./upkeep-gauges.ts";
import { openDeliverer, type StoredDeliveries, webhookPort } from "./webhooks.ts";

/** The surfaces' own: opened beside the node. */
interface Served {
  readonly keyUse: KeyUse;
  readonly verifier: OutsideVerifier;
  readonly deliveries: StoredDeliveries;
  readonly metrics: Metrics;
  /** Undefined where the exchange's time is set by an operator. */
  readonly clock: NodeClock | undefined;
  readonly downloads: DownloadsPort;
  readonly archiving: SideWork["archiving"];
  readonly overlaps: SideWork["overlaps"];
}

export function serve(
  settings: Settings,
  node: Node,
  secrets: Secrets,
  { keyUse, verifier, deliveries, metrics, clock, downloads, archiving, overlaps }: Served,
) {
  const { engine, referenceData, releases, places, identity, witnesses, marketHistory } = node;
  const [{ exchange }, { maxKeyRatePerMinute, publicRatePerMinute }] = [referenceData, settings];
  const refusalCounts = new RefusalCounts();
  const attribution = attributionFor(settings);
  const deliverer = openDeliverer(settings, node, secrets.webhookKey, deliveries, metrics);
  const { endFeeds, ...feeds } = openFeeds(node, attribution, [deliverer, metrics, decisionLog]);
  const streams = { public: feeds.feed, own: feeds.ownFeed };
  const { dataDir } = settings;
  metrics.watch({
    ...{ engine, exchange, refusalCounts, streams, dataDir, clock, downloads },
    ...{ leads: () => node.leads(), deliverer, witnesses, archiving, overlaps },
  });
  const ports = {
    ...referenceData,
    ...feeds,
    view: exchange,
    engine,
    history: engine.history,
    marketHistory,
    releases,
    places,
    identity,
    verification: () => verifier.verify(),
    unproven: () => verifier.unproven(),
    witnesses: () => witnesses.states,
    ...{ keyUse, refusalCounts, upkeep: () => node.upkeep(), downloads },
    ...{ maxKeyRatePerMinute, publicRatePerMinute },
    clock: settings.clock,
    version: manifest.version,
    routes: () => routes,
    ...newSecrets(settings, secrets),
    ...listingsFrom(referenceData),
    limitTickFor: limitTicks(referenceData, () => engine.status().engineTimeMillis),
    webhooks: webhookPort(settings, secrets.webhookKey, deliverer),
    attribution,
  };
  const routes: readonly Route[] = assembleRoutes(
    operationRoutes(ports),
    pageRoutes({ ...ports, demoAccount: () => sampleTraderOf(exchange) }),
  );
  const options = {
    routes,
    engine,
    directory: exchange,
    keyUse,
    refusalCounts,
    ...accessOptions(settings, secrets),
    nowMillis: () => performance.now(),
    onAnswered: (answered: AnsweredRequest) => {
      metrics.answered(answered);
      logAnswer(answered);
    },
    onFault: (error: unknown, requestId: string) => {
      metrics.faulted();
      log.error({ error, requestId }, "a request met a fault");
    },
  };
  const server = buildServer(options);
  // A stream never ends by itself, and the server waits for every answer.
  server.addHook("preClose", endFeeds);
  const operators = () =>
    buildServer({ ...options, ...operatorSurface(settings, routes, metrics) });
  return { server, operators, deliverer };
}

const newSecrets = ({ clock }: Settings, { pepper }: Secrets) => ({
  newSecret: () => newSecret(clock === "real" ? "live" : "test", pepper),
  newPublicSecret: () => newSecret("pub", pepper),
});

/** The pages that a browser is shown. */
const pageRoutes = (ports: ServedReferencePorts): readonly Route[] => [
  ...consoleRoutes(),
  ...docsRoutes(ports),
];

const accessOptions = (settings: Settings, secrets: Secrets) => ({
  pepper: secrets.pepper,
  formerPepper: secrets.formerPepper,
  adminSecret: secrets.admin,
  publicRatePerMinute: settings.publicRatePerMinute,
  maxKeyRatePerMinute: settings.maxKeyRatePerMinute,
  leaderUrl: settings.leaderUrl,
  trustedProxies: settings.trustedProxies,
  hosts: HostList.for(settings.host, settings.hosts),
  connections: connectionLimits(settings),
});

const connectionLimits = ({ addressConnections, localConnections }: Settings) => ({
  anAddress: addressConnections,
  aLocalAddress: localConnections,
  all: MOST_CONNECTIONS,
  idleSeconds,
});

/** A socket has no name that a page could ask for. */
const operatorSurface = (
  { operatorListen, hosts }: Settings,
  routes: readonly Route[],
  metrics: Metrics,
) => ({
  routes: [...operatorSide(routes), showMetrics(metrics)],
  connections: operatorConnections,
  hosts: "path" in (operatorListen ?? {}) ? undefined : HostList.for("127.0.0.1", hosts),
});

/** Opens the feeds of the streams; from here on they are shown every durable entry. */
function openFeeds(
  node: Node,
  attribution: (provider: string) => string,
  others: readonly Pick<Feed, "take">[],
) {
  const { engine, referenceData } = node;
  const options = {
    history: engine.history,
    durableSequence: () => engine.status().durableSequence,
    onFault: (error: unknown) => log.error({ error }, "the journal could not be read for a stream"),
  };
  const attributed = (id: ReleaseId) => attributionOfRelease({ ...referenceData, attribution }, id);
  const feed = new Feed({ ...options, telling: (entry) => tellingOf(entry, attributed) });
  const ownTelling = (entry: Entry) => ownMessage(entry, referenceData.exchange.accounts);
  const ownFeed = new Feed({ ...options, telling: ownTelling });
  node.show([feed, ownFeed, ...others]);
  const endFeeds = async (): Promise<void> => {
    for (const one of [feed, ownFeed]) one.end();
  };
  return { feed, ownFeed, endFeeds };
}

const attributionFor =
  ({ dataProvider }: Settings) =>
  (provider: string): string => {
    invariant(isProviderId(provider), `${provider} is a provider`);
    if (dataProvider !== undefined && provider !== "sample") return `Data from ${dataProvider}`;
    return attributionOf(provider);
  };
