// The operator's surface, whole.
// Invariant: an endpoint that is not in this list does not exist.
import type { Engine } from "#engine/engine.ts";
import type { ReferenceData } from "#quoting/reference.ts";
import type { DownloadsPort, PlaceIntakePort, Upkeep } from "../ports.ts";
import type { AttributionPorts } from "../records/attribution.ts";
import type { Route } from "../route/route.ts";
import type { RefusalCounts } from "../server/refusal-counts.ts";
import { issueAccountKey, revokeAccountKeys } from "./account-keys.ts";
import { listAccounts, showAccount } from "./accounts.ts";
import { bustFill } from "./bust-fill.ts";
import { controlRoutes, showMarketToOperator } from "./control-market.ts";
import { createMarket } from "./create-market.ts";
import { decideDispute } from "./decide-dispute.ts";
import { decideKyc } from "./decide-kyc.ts";
import { approvePlace, rejectPlace } from "./decide-place.ts";
import { listDownloads } from "./downloads.ts";
import { fundFinancing, showFinancing } from "./financing.ts";
import { fundAccount } from "./fund-account.ts";
import { fundGuarantee, showGuarantee } from "./guarantee.ts";
import { haltAccount, resumeAccount } from "./halt-account.ts";
import { haltExchange, resumeExchange } from "./halt-exchange.ts";
import { listHeldPlaces } from "./held-places.ts";
import { type IngestPorts, ingestRelease } from "./ingest-release.ts";
import { loadGeo } from "./load-geo.ts";
import { type OpenAccountPorts, openAccount } from "./open-account.ts";
import { openWindow } from "./open-window.ts";
import { confirmProposal, listProposals, withdrawProposal } from "./proposals.ts";
import { showQueue } from "./queue.ts";
import { showRefusals } from "./refusals.ts";
import {
  approveRelease,
  diffReleases,
  listAllReleases,
  rejectRelease,
  showOneRelease,
} from "./releases.ts";
import { renamePlace } from "./rename-place.ts";
import { setRules, showRules, withdrawRules } from "./rules.ts";
import { setCaps } from "./set-caps.ts";
import { setClock } from "./set-clock.ts";
import { setCredit } from "./set-credit.ts";
import { setFundingLimit } from "./set-funding-limit.ts";
import { setOwner } from "./set-owner.ts";
import { type SurveillancePorts, watchHolders, watchTrades } from "./surveillance.ts";
import { switchRootOff, switchRootOn } from "./switch-root.ts";
import { takeFallback } from "./take-fallback.ts";
import { showUpkeep } from "./upkeep.ts";

interface AdminPorts
  extends ReferenceData,
    AttributionPorts,
    IngestPorts,
    OpenAccountPorts,
    SurveillancePorts {
  readonly engine: Pick<Engine, "status">;
  readonly places: PlaceIntakePort;
  readonly refusalCounts: RefusalCounts;
  upkeep(): Promise<Upkeep>;
  readonly downloads: DownloadsPort;
}

export const adminRoutes = (ports: AdminPorts): readonly Route[] => [
  openAccount(ports),
  listAccounts(ports),
  showAccount(ports),
  decideKyc(ports),
  fundAccount(),
  issueAccountKey(ports),
  revokeAccountKeys(),
  haltAccount(),
  resumeAccount(),
  setOwner(ports),
  showQueue(ports),
  watchTrades(ports),
  watchHolders(ports),
  listProposals(ports),
  confirmProposal(ports),
  withdrawProposal(),
  switchRootOff(),
  switchRootOn(),
  setFundingLimit(ports),
  ingestRelease(ports),
  listAllReleases(ports),
  showOneRelease(ports),
  approveRelease(ports),
  rejectRelease(ports),
  listHeldPlaces(ports),
  approvePlace(ports),
  rejectPlace(ports),
  renamePlace(ports),
  diffReleases(ports),
  loadGeo(ports),
  createMarket(ports),
  showMarketToOperator(ports),
  ...controlRoutes(ports),
  takeFallback(ports),
  bustFill(),
  decideDispute(ports),
  openWindow(),
  haltExchange(),
  resumeExchange(),
  setClock(ports),
  showRules(ports),
  setRules(ports),
  withdrawRules(ports),
  showRefusals(ports),
  showUpkeep(ports),
  listDownloads(ports),
  showGuarantee(ports),
  fundGuarantee(),
  showFinancing(ports),
  fundFinancing(),
  setCredit(ports),
  setCaps(ports),
];
