// The reference as this exchange serves it: the document of the routes, its examples renamed after
// places, markets, months and releases that are here.
// Invariant: nothing but examples differs from that document, and none of them names
// anything of an account's own, except in the sample's play-money account.
import type { AccountId } from "#base/ids.ts";
import { addMonths, formatMonth, monthAt } from "#base/month.ts";
import type { AcceptedRelease, Market } from "#core/records.ts";
import type { Engine } from "#engine/engine.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { SeriesView } from "#views/series.ts";

export interface ServedReferencePorts {
  readonly view: ExchangeView;
  readonly series: SeriesView;
  readonly engine: Pick<Engine, "status">;
  /** The account whose orders may stand in examples: only the sample's own trader. */
  demoAccount(): AccountId | undefined;
}

type Json = Record<string, unknown>;
/** By the name of a parameter, or path and name; undefined: there is nothing to name here. */
type ReferenceValues = Readonly<Record<string, string | number | undefined>>;

const QUOTED_MONTHS = 12;

/** The bytes of the served document: drawn again when a release, a market or a month is new. */
export class ServedReference {
  readonly #document: string;
  readonly #ports: ServedReferencePorts;
  #drawn: { readonly of: string; readonly bytes: Buffer } | undefined;

  constructor(document: string, ports: ServedReferencePorts) {
    this.#document = document;
    this.#ports = ports;
  }

  bytes(): Buffer {
    const { view, engine } = this.#ports;
    const month = monthAt(engine.status().engineTimeMillis);
    const of = `${view.releases.size} ${view.markets.size} ${month}`;
    if (this.#drawn?.of !== of) {
      const document: Json = JSON.parse(this.#document);
      rename(document, heldBy(this.#ports));
      this.#drawn = { of, bytes: Buffer.from(JSON.stringify(document), "utf8") };
    }
    return this.#drawn.bytes;
  }
}

function heldBy(ports: ServedReferencePorts): ReferenceValues {
  const { view, engine } = ports;
  const nowMillis = engine.status().engineTimeMillis;
  return {
    ...placesHeld(ports),
    ...marketsHeld(ports),
    ...releasesHeld(view),
    ...timesAt(nowMillis),
  };
}

/** The first place with home values whose quote needs nothing more: one that a market is on. */
function placesHeld({ view, series }: ServedReferencePorts): ReferenceValues {
  const nodes = [...series.nodes("zhvi")].filter((id) => view.geo.get(id) !== undefined);
  const named = nodes.find((id) => [...view.markets.values()].some((one) => isOpenOn(one, id)));
  const node = named ?? nodes[0];
  const other = nodes.find((id) => id !== node);
  const newest = node === undefined ? undefined : series.newest("zhvi", node);
  return {
    nodeId: node,
    node,
    ids: node === undefined ? undefined : [node, other ?? node, "zip:00000"].join(","),
    "/api/geo/{id} id": node ?? "state:tx",
    "/api/geo/search q": node === undefined ? "texas" : view.geo.get(node)?.name,
    state: node === undefined ? "TX" : view.geo.get(node)?.stateCode,
    level: node === undefined ? "state" : view.geo.get(node)?.level,
    "/api/index/{nodeId}/vintages month": newest && formatMonth(newest.month),
    expiry: newest === undefined ? undefined : formatMonth(addMonths(newest.month, QUOTED_MONTHS)),
  };
}

const isOpenOn = ({ status, tradingClosed, terms }: Market, node: string): boolean =>
  status === "ACTIVE" && !tradingClosed && terms.index === "zhvi" && terms.nodeId === node;

function marketsHeld({ view, demoAccount }: ServedReferencePorts): ReferenceValues {
  const demo = demoAccount();
  const orders = [...view.orders.values()].filter(({ accountId }) => accountId === demo);
  const order = orders.findLast(({ filledLots }) => filledLots > 0n) ?? orders.at(-1);
  const acceptance = demo === undefined ? undefined : view.acceptancesOf(demo).at(-1)?.id;
  const markets = [...view.markets.values()];
  const open = markets.findLast((one) => one.status === "ACTIVE" && !one.tradingClosed);
  const market = order?.marketId ?? open?.id ?? markets.at(-1)?.id;
  const settled = markets.findLast(({ resolution }) => resolution !== null)?.id;
  return {
    marketId: market,
    "/api/markets/{id} id": market,
    "/api/books ids": market,
    "/api/admin/markets/{id} id": market,
    "/api/markets/{id}/resolution id": settled ?? market,
    "/api/trading/certificates/{marketId} marketId": settled,
    orderId: order?.id,
    acceptanceId: acceptance,
  };
}

function releasesHeld(view: ExchangeView): ReferenceValues {
  const releases = [...view.releases.values()];
  const newest = releases.findLast(({ index }) => index === "zhvi");
  const comparable = (a: AcceptedRelease, b: AcceptedRelease): boolean =>
    a.index === "zhvi" && b.index === "zhvi" && a.level === b.level && a.id !== b.id;
  const later = releases.findLast((one) => releases.some((other) => comparable(one, other)));
  const earlier = later && releases.find((other) => comparable(later, other));
  const id = newest?.id;
  return {
    "/api/releases/{id} id": id,
    "/api/admin/releases/{id} id": id,
    "/api/admin/releases/{id}/diff id": later?.id,
    against: earlier?.id,
  };
}

function timesAt(nowMillis: number): ReferenceValues {
  return { month: formatMonth(monthAt(nowMillis)), endTime: Math.floor(nowMillis / 1000) };
}

function rename(document: Json, held: ReferenceValues): void {
  for (const [path, methods] of membersOf(document.paths)) {
    for (const [, operation] of membersOf(methods)) {
      if (!isJson(operation)) continue;
      const { parameters, requestBody } = operation;
      for (const parameter of Array.isArray(parameters) ? parameters : []) {
        if (isJson(parameter) && "example" in parameter) renameOne(parameter, path, held);
      }
      renameMarkets(requestBody, held.marketId);
    }
  }
}

/** A parameter whose like this exchange does not hold has no example rather than a wrong one. */
function renameOne(parameter: Json, path: string, held: ReferenceValues): void {
  const name = String(parameter.name);
  const own = path.startsWith("/api/markets/{id}/") ? `/api/markets/{id} ${name}` : name;
  const key = [`${path} ${name}`, own, name].find((one) => Object.hasOwn(held, one));
  if (key === undefined) return;
  if (held[key] === undefined) delete parameter.example;
  else parameter.example = held[key];
}

/** The example would name a market that exists here. */
function renameMarkets(value: unknown, marketId: string | number | undefined): void {
  if (marketId === undefined) return;
  if (Array.isArray(value)) for (const item of value) renameMarkets(item, marketId);
  if (!isJson(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === "marketId" && typeof member === "string") value[name] = marketId;
    else renameMarkets(member, marketId);
  }
}

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isJson(value) ? Object.entries(value) : [];
