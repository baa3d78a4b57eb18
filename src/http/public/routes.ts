// The public surface, whole.
// Invariant: an endpoint that is not in this list does not exist.
import type { Route } from "../route/route.ts";
import { type BookPorts, showBook } from "./book.ts";
import { listBulkMarks } from "./bulk-marks.ts";
import { listBulkPrints } from "./bulk-prints.ts";
import { showBurn } from "./burn.ts";
import { type CalendarPorts, showCalendar } from "./calendar.ts";
import { type CertificatePorts, showCertificate } from "./certificate.ts";
import { showCheckpoint } from "./checkpoint.ts";
import { showGeoNode } from "./geo-node.ts";
import { searchGeo } from "./geo-search.ts";
import { listIndexValues, showIndexValue } from "./index-value.ts";
import { type IssueKeyPorts, issuePublicKey } from "./issue-key.ts";
import { type LimitPorts, showLimits } from "./limits.ts";
import { type LogPorts, logRoutes } from "./log.ts";
import { listBooks } from "./many-books.ts";
import { listPlaces } from "./many-places.ts";
import { type MarketHistoryPorts, showMarketHistory } from "./market-history.ts";
import { listMarkets, showMarketResolution, showOneMarket } from "./markets.ts";
import { showModel } from "./model.ts";
import { openDispute } from "./open-dispute.ts";
import { type OverviewPorts, showOverview } from "./overview.ts";
import { listPrints } from "./prints.ts";
import { listPublicKeys, revokePublicKey } from "./public-keys.ts";
import { type QuotePorts, quoteInBulk, showQuote } from "./quotes.ts";
import { listReleases, showPublicRelease } from "./releases.ts";
import { listScenarios, showRisk } from "./risk.ts";
import { type StreamPorts, streamEvents } from "./stream.ts";
import { setSubscriptions } from "./subscriptions.ts";
import { showTime, type TimePorts } from "./time.ts";
import { listTrades, type TradesPorts } from "./trades.ts";
import { listVintages, type VintagePorts } from "./vintages.ts";

interface PublicPorts
  extends QuotePorts,
    IssueKeyPorts,
    LimitPorts,
    TimePorts,
    BookPorts,
    StreamPorts,
    TradesPorts,
    OverviewPorts,
    MarketHistoryPorts,
    CalendarPorts,
    VintagePorts,
    LogPorts {
  readonly history: CertificatePorts["history"];
}

export const publicRoutes = (ports: PublicPorts): readonly Route[] => [
  showIndexValue(ports),
  listIndexValues(ports),
  listPrints(ports),
  listVintages(ports),
  showBurn(ports),
  showOverview(ports),
  showCalendar(ports),
  listMarkets(ports),
  showOneMarket(ports),
  showMarketResolution(ports),
  showBook(ports),
  listBooks(ports),
  listTrades(ports),
  showMarketHistory(ports),
  listBulkPrints(ports),
  listBulkMarks(ports),
  streamEvents(ports),
  setSubscriptions(ports),
  openDispute(ports),
  showCertificate(ports),
  searchGeo(ports),
  listPlaces(ports),
  showGeoNode(ports),
  showQuote(ports),
  showModel(ports),
  quoteInBulk(ports),
  listReleases(ports),
  showPublicRelease(ports),
  showCheckpoint(ports),
  ...logRoutes(ports),
  showLimits(ports),
  showTime(ports),
  showRisk(ports),
  listScenarios(),
  issuePublicKey(ports),
  listPublicKeys(ports),
  revokePublicKey(),
];
