// The HTTP world with the public and the operator's surface, and prints of every state to show.
// Invariant: what the views are given is what the journal accepted, as the importer would.
import assert from "node:assert/strict";
import { nodeId, releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { addMonths, calendarMonth, formatMonth, type Month, parseMonth } from "#base/month.ts";
import { chainLevel, firstLevel, parsePrintValue } from "#base/print-value.ts";
import type { ClockKind } from "#core/command.ts";
import type { Observation } from "#core/records.ts";
import { builtInStates } from "#geo/states.ts";
import { adminRoutes } from "#http/admin/routes.ts";
import { docsRoutes } from "#http/docs.ts";
import { type IdentityPort, identityRoutes } from "#http/identity.ts";
import { type DownloadsPort, noDownloads, type ReleaseIntakePort } from "#http/ports.ts";
import { publicRoutes } from "#http/public/routes.ts";
import { attributionOfRelease } from "#http/records/attribution.ts";
import { newSecret } from "#http/server/key-codec.ts";
import { Feed, type FeedOptions } from "#http/stream/feed.ts";
import { tellingOf } from "#http/stream/feed-message.ts";
import { PlaceIntake } from "#ingest/places/intake.ts";
import type { Journal } from "#journal/journal.ts";
import { DEFAULT_PRICE_MODEL, type PriceModel } from "#pricing/constants.ts";
import { isProviderId, providers } from "#prints/release.ts";
import { listingsFrom } from "#quoting/listing.ts";
import { Reference, type ReferenceData } from "#quoting/reference.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import { SeriesView } from "#views/series.ts";
import { ADMIN_SECRET, type Closing, PEPPER, World } from "./world.ts";

const FIRST_MONTH = "2019-01";
export const LAST_MONTH = "2024-10";

export const month = (text: string): Month => {
  const parsed = parseMonth(text);
  assert.ok(parsed !== undefined, `${text} is a month`);
  return parsed;
};

/** Gives the commands and keeps nothing: there is no database here to seal anything in. */
const identity: IdentityPort = {
  keep: (_account, _subject, submit) =>
    submit({ type: "KeepSubject", subjectId: `sub-${"0".repeat(32)}` }),
  read: async (account, submit) => ({
    result: await submit({ type: "ReadSubject", accountId: account }),
    subject: undefined,
  }),
  erase: (account, submit) => submit({ type: "EraseSubject", accountId: account }),
};

const providerOf = { zhvi: "zillow", zori: "zillow", vacancy: "census", weather: "noaa" } as const;

type IntakeOf = (view: ExchangeView, series: SeriesView) => ReleaseIntakePort;

const noIntake: IntakeOf = () =>
  assert.fail("releases are ingested by the tests of the whole server");

export class PublicWorld {
  readonly world: World;
  readonly referenceData: ReferenceData;
  readonly series: SeriesView;
  #releases = 0;
  #second: string | undefined;

  private constructor(world: World, series: SeriesView, referenceData: ReferenceData) {
    this.world = world;
    this.series = series;
    this.referenceData = referenceData;
  }

  /** `intakeOf` makes the release intake; without it no test may reach one. */
  static async open(
    t: Closing,
    more: Partial<FeedOptions> & {
      readonly intakeOf?: IntakeOf;
      readonly journal?: Journal;
      readonly model?: PriceModel;
      /** As the routes are told; the time itself is set by command. */
      readonly clock?: ClockKind;
      readonly downloads?: DownloadsPort;
    } = {},
  ): Promise<PublicWorld> {
    const {
      intakeOf = noIntake,
      journal,
      model = DEFAULT_PRICE_MODEL,
      clock,
      downloads,
      ...rest
    } = more;
    const series = new SeriesView();
    let opened: World | undefined;
    let feed: Feed | undefined;
    const here = (): World => {
      assert.ok(opened !== undefined, "the world is open");
      return opened;
    };
    const ports = {
      get exchange() {
        return here().view;
      },
      get engine() {
        return here().engine;
      },
      get history() {
        return here().engine.history;
      },
      get marketHistory() {
        return here().marketHistory;
      },
      get places() {
        return new PlaceIntake(here().view, {
          whileIdle: (work) => work(),
          reread: () => undefined,
        });
      },
      get refusalCounts() {
        return here().refusalCounts;
      },
      get releases() {
        return intakeOf(here().view, series);
      },
      identity,
      series,
      reference: new Reference(series, () => here().view.geo, model),
      attribution: (id: string) =>
        `Data from ${isProviderId(id) ? providers[id].name : assert.fail(id)}`,
      newSecret: () => newSecret("test", PEPPER),
      newPublicSecret: () => newSecret("pub", PEPPER),
      routes: () => here().routes,
      feed: {
        open: (...asked: Parameters<Feed["open"]>) => {
          assert.ok(feed !== undefined, "the feed is there");
          return feed.open(...asked);
        },
        change: (...asked: Parameters<Feed["change"]>) => feed?.change(...asked),
      },
      get view() {
        return here().view;
      },
      witnesses: () => [],
      downloads: downloads ?? noDownloads,
      upkeep: async () => ({ lastBackupAt: null, snapshot: null, archive: null, copies: null }),
      demoAccount: () => undefined,
      clock: clock ?? ("sandbox" as const),
      publicRatePerMinute: 6_000,
      maxKeyRatePerMinute: 6_000,
    };
    const routes = [
      ...publicRoutes(ports),
      ...adminRoutes(ports),
      ...identityRoutes(ports),
      ...docsRoutes(ports),
    ];
    opened = await World.open(t, routes, journal);
    Object.assign(opened, listingsFrom(ports));
    feed = new Feed({
      history: opened.engine.history,
      durableSequence: () => here().engine.status().durableSequence,
      telling: (entry) => tellingOf(entry, (release) => attributionOfRelease(ports, release)),
      onFault: (error) => here().faults.push(error),
      ...rest,
    });
    const shown = feed;
    opened.server.addHook("preClose", async () => shown.end());
    opened.show(shown);
    return new PublicWorld(opened, series, ports);
  }

  /** Every state's history of the index to 2024-10, each at its own pace; `without`: a gap. */
  async printStates(index: IndexKind, without?: string): Promise<void> {
    const gaps = without === undefined ? [] : [month(without)];
    for (const [at, state] of builtInStates.entries()) {
      if (state.stateCode === "WY") continue;
      this.#history(index, state.id, at, gaps);
    }
    await this.#accept(index, this.#newestOf(index, gaps));
  }

  /** The same for one place more. */
  async printPlace(index: IndexKind, id: string): Promise<void> {
    this.#history(index, id, 3, []);
    const isHere = ({ nodeId: node }: Observation) => node === nodeId(id);
    await this.#accept(index, this.#newestOf(index, []).filter(isHere));
  }

  #history(index: IndexKind, id: string, at: number, gaps: readonly Month[]): void {
    const start = month(FIRST_MONTH);
    const count = month(LAST_MONTH) - start + 1;
    const values = Array.from({ length: count }, (_, step) =>
      Math.round(200_000 + 1_000 * at + step * (900 - 20 * at) + 700 * ((step * (at + 3)) % 5)),
    );
    const first = parsePrintValue(String(values[0]));
    assert.ok(first !== undefined);
    this.series.extend(
      index,
      nodeId(id),
      values.flatMap((value, step) => {
        if (gaps.includes(addMonths(start, step))) return [];
        const valueE15 = parsePrintValue(String(value));
        assert.ok(valueE15 !== undefined);
        return {
          month: addMonths(start, step),
          valueE15,
          levelE12: step === 0 ? firstLevel : chainLevel(firstLevel, valueE15, first),
          releaseId: releaseId(`rel-${this.#releases + 1}`),
          backfill: true,
        };
      }),
    );
  }

  /** Histories of an index that is not chained: what its provider wrote, by month. */
  async printLevels(
    index: "vacancy" | "weather",
    histories: Readonly<Record<string, Readonly<Record<string, string>>>>,
  ): Promise<void> {
    const newest = new Map<string, Observation>();
    for (const [id, values] of Object.entries(histories)) {
      for (const [text, value] of Object.entries(values)) {
        const point = this.#level(text, value, true);
        this.series.extend(index, nodeId(id), [point]);
        const year = index === "weather" ? calendarMonth(point.month) : 0;
        newest.set(`${id}|${year}`, { ...point, nodeId: nodeId(id), link: null, gaps: [] });
      }
    }
    await this.#accept(index, [...newest.values()]);
  }

  /** One more print of such an index, which may settle what waits for it. */
  async printLevel(index: "vacancy" | "weather", id: string, at: string, value: string) {
    const point = this.#level(at, value, false);
    this.series.extend(index, nodeId(id), [point]);
    await this.#accept(index, [{ ...point, nodeId: nodeId(id), link: null, gaps: [] }]);
  }

  #level(at: string, value: string, backfill: boolean): SeriesPoint {
    const valueE15 = parsePrintValue(value);
    assert.ok(valueE15 !== undefined, `${value} is a print`);
    const release = releaseId(`rel-${this.#releases + 1}`);
    return { month: month(at), valueE15, levelE12: null, releaseId: release, backfill };
  }

  /** The month after a place's newest, printed by a release that rescales nothing. */
  async printNext(index: IndexKind, id: string, value: string): Promise<void> {
    await this.#printAfter(index, id, this.series.newest(index, nodeId(id)), value);
  }

  /** A month that no release had carried, printed late. */
  async fillGap(index: IndexKind, id: string, gap: string, value: string): Promise<void> {
    const before = this.series.newest(index, nodeId(id), addMonths(month(gap), -1));
    await this.#printAfter(index, id, before, value);
  }

  async #printAfter(
    index: IndexKind,
    id: string,
    linked: SeriesPoint | undefined,
    value: string,
  ): Promise<void> {
    const valueE15 = parsePrintValue(value);
    assert.ok(linked?.levelE12 !== null && linked !== undefined && valueE15 !== undefined);
    const { month: before, valueE15: beforeE15, levelE12 } = linked;
    const print = {
      month: addMonths(before, 1),
      valueE15,
      levelE12: chainLevel(levelE12, valueE15, beforeE15),
      releaseId: releaseId(`rel-${this.#releases + 1}`),
      backfill: false,
    };
    this.series.extend(index, nodeId(id), [print]);
    const link = { month: before, valueE15: beforeE15, levelE12 };
    await this.#accept(index, [{ ...print, nodeId: nodeId(id), link, gaps: [] }]);
  }

  /** Of a place seen for the first time only its newest month is told to the exchange. */
  #newestOf(index: IndexKind, gaps: readonly Month[]): Observation[] {
    return [...this.series.nodes(index)].map((id) => {
      const newest = this.series.newest(index, id);
      assert.ok(newest !== undefined);
      return { ...newest, nodeId: id, link: null, gaps };
    });
  }

  async #accept(index: IndexKind, observations: readonly Observation[]): Promise<void> {
    this.#releases += 1;
    await this.world.root({
      type: "AcceptRelease",
      release: {
        id: releaseId(`rel-${this.#releases}`),
        provider: providerOf[index],
        index,
        level: "state",
        publishedAtMillis: Date.UTC(2024, 10, 16),
        sha256: "a".repeat(64),
        rows: observations.length,
        firstMonth: month(FIRST_MONTH),
        lastMonth: month(LAST_MONTH),
        firstPrints: observations.length,
        revisions: 0,
        unchanged: 0,
        rescaled: 0,
        unmatched: 0,
        methodologyVersion: `${index}/1`,
        printsDigest: "",
        latestDigest: "",
      },
      observations,
    });
  }

  async get(url: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const reply = await this.world.get(url);
    return { status: reply.statusCode, body: reply.json() };
  }

  /** As the bootstrap operator. */
  async admin(method: "GET" | "POST", path: string, body?: unknown, type = "application/json") {
    return this.#operate(method, path, body, { "x-admin-secret": ADMIN_SECRET }, type);
  }

  /** As a second person, for what takes two. */
  async second(path: string, body: unknown) {
    this.#second ??= (await this.world.account("second", "operator")).secret;
    return this.#operate("POST", path, body, { authorization: `Bearer ${this.#second}` });
  }

  async #operate(
    method: "GET" | "POST",
    path: string,
    body: unknown,
    credential: Readonly<Record<string, string>>,
    type = "application/json",
  ) {
    const payload = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const reply = await this.world.server.inject({
      method,
      url: `/api/admin/${path}`,
      headers: {
        ...credential,
        ...(payload === undefined ? {} : { "content-type": type }),
      },
      ...(payload === undefined ? {} : { payload }),
    });
    const parsed: unknown = reply.json();
    return { status: reply.statusCode, body: parsed };
  }
}

export const monthAfter = (text: string, count: number): string =>
  formatMonth(addMonths(month(text), count));
