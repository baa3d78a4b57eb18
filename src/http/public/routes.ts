// The public surface, whole.
// Invariant: an endpoint that is not in this list does not exist.
import type { History } from "#engine/engine.ts";
import type { Route } from "../route.ts";
import { showCheckpoint } from "./checkpoint.ts";
import { showGeoNode } from "./geo-node.ts";
import { listIndexValues, showIndexValue } from "./index-value.ts";
import { listMarkets, showMarketResolution, showOneMarket } from "./markets.ts";
import { openDispute } from "./open-dispute.ts";
import { type QuotePorts, showQuote } from "./quotes.ts";
import { listReleases } from "./releases.ts";

interface PublicPorts extends QuotePorts {
  readonly history: Pick<History, "checkpoint">;
}

export const publicRoutes = (ports: PublicPorts): readonly Route[] => [
  showIndexValue(ports),
  listIndexValues(ports),
  listMarkets(ports),
  showOneMarket(ports),
  showMarketResolution(ports),
  openDispute(ports),
  showGeoNode(ports),
  showQuote(ports),
  listReleases(ports),
  showCheckpoint(ports),
];
