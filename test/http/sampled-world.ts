// A world in which every sample of the reference finds what it asks for: a market, an order, keys,
// a release in a real database.
// Invariant: what a sample names belongs to `owner`, or is there for everybody.
import assert from "node:assert/strict";
import { Client, Pool } from "pg";
import type { Permission } from "#core/records.ts";
import type { ReleaseIntakePort } from "#http/ports.ts";
import type { Route } from "#http/route/route.ts";
import { RawFolder } from "#ingest/raw-folder.ts";
import { ReleaseIntake } from "#ingest/releases/intake.ts";
import { PrintStore } from "#ingest/store.ts";
import { cosign, generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import type { Connection } from "#storage/embedded.ts";
import { migrate } from "#storage/migrate.ts";
import { createDatabase } from "#test/support/database.ts";
import { at, textAt } from "#test/support/exchange.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { PublicWorld } from "./public-world.ts";
import { about, requestOf, type Sample, sampleOf } from "./samples.ts";
import { ADMIN_SECRET, type Closing, type Holder, order, type World } from "./world.ts";

async function prepare(connection: Connection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await migrate(client);
  await client.end();
}

const oneQuote = { marketId: "mkt-101", bid: { price: 0.01, amount: "1" } };

/**
 * Raw files have no example in the reference; these are of the log's first entry. Of all markets
 * there is one here, which a mass quote names once.
 */
const otherSamples: ReadonlyMap<string, Partial<Sample>> = new Map<string, Partial<Sample>>([
  ["/api/trading/quotes/mass", { body: { quotes: [oneQuote] } }],
  ["/api/log/checkpoint/:size", { params: { size: "1" } }],
  ["/api/log/tile/:level/*", { params: { level: "0", "*": "000.p/1" } }],
]);

export class SampledWorld {
  readonly world: World;
  readonly owner: Holder;
  readonly operator: Holder;
  /** Its approval is over. */
  readonly lapsed: Holder;
  /** By the first letters of an id: what of it is the owner's, or is there. */
  readonly #here: ReadonlyMap<string, string>;
  cells = 0;

  private constructor(
    world: World,
    owner: Holder,
    operator: Holder,
    lapsed: Holder,
    here: ReadonlyMap<string, string>,
  ) {
    this.world = world;
    this.owner = owner;
    this.operator = operator;
    this.lapsed = lapsed;
    this.#here = here;
  }

  static async open(t: Closing): Promise<SampledWorld> {
    const world = await openWorld(t);
    const lapsed = await world.trader("f");
    // A year and a day: the first approval is over.
    await world.root({ type: "SetClock", toMillis: Date.UTC(2025, 10, 21) });
    const [owner, operator] = [await world.trader("a"), await world.account("b", "operator")];
    // Operators act on this account: no credential here is its own.
    const subject = await world.trader("g");
    const marketId = await listMarket(world);
    const named = { ...order(marketId), clientOrderId: "spring-7" };
    const placed = await world.post("/api/trading/orders", owner.secret, named);
    assert.equal(placed.statusCode, 200, placed.body);
    const accepted = await world.post("/api/trading/acceptances", owner.secret, {
      marketId,
      amount: "1",
      limitPrice: "0.01",
      structure: "in_full",
    });
    assert.equal(accepted.statusCode, 200, accepted.body);
    await world.narrowKey(owner, ["read:markets"]);
    const keys = (await world.get("/api/trading/keys", owner.secret)).json().data;
    const [release] = world.view.releases.keys();
    assert.ok(release !== undefined);
    await witness(world);
    const here = new Map([
      ["ord-", textAt(placed.json(), "data", "id")],
      ["acp-", textAt(accepted.json(), "data", "id")],
      ["mnd-", await madeBy(world, owner, "/api/trading/mandates")],
      ["rfq-", await askFor(world, owner, marketId)],
      ["whk-", await madeBy(world, owner, "/api/trading/webhooks")],
      ["key-", textAt(keys, 1, "id")],
      ["acc-", subject.id],
      ["rel-", release],
      ["mkt-", marketId],
      ["srs.", marketId],
      ["lvl.", marketId],
    ]);
    return new SampledWorld(world, owner, operator, lapsed, here);
  }

  sample(route: Route): Sample {
    const shown = { ...sampleOf(route), ...otherSamples.get(route.url) };
    const found = about(shown, (text) => {
      for (const [start, id] of this.#here) if (text.startsWith(start)) return id;
      return text;
    });
    // A number that is given to a market is none that is looked for.
    return at(shown.body, "frontendId") === undefined ? found : { ...found, body: shown.body };
  }

  async send(route: Route, sample: Sample, headers: Readonly<Record<string, string>>) {
    this.cells += 1;
    // The limiter's clock: no bucket is ever empty, and every wrong secret is an entry.
    this.world.nowMillis += 60_000;
    const request = requestOf(route, sample);
    // A stream asked for what is not there yet ends at once.
    const ends = route.surface === "events" ? { "last-event-id": "999999999" } : {};
    const sent = { ...request, headers: { ...request.headers, ...ends, ...headers } };
    const answer = await this.world.server.inject(sent);
    const isJson = String(answer.headers["content-type"]).includes("json");
    const body: unknown = isJson ? answer.json() : undefined;
    return { status: answer.statusCode, code: at(body, "code"), body };
  }

  async stateHash(): Promise<string> {
    return (await this.world.engine.history.verify()).stateHash;
  }

  async key(holder: Holder, wanted: readonly Permission[]): Promise<string> {
    this.world.nowMillis += 60_000;
    return this.world.narrowKey(holder, wanted);
  }
}

/** The id of what the sample of a POST makes for an account. */
/** For the owner's own eyes: nobody else is asked. */
async function askFor(world: World, { secret, address }: Holder, marketId: string) {
  const asked = await world.post("/api/trading/rfqs", secret, {
    legs: [{ marketId, amount: "1" }],
    side: "BUY",
    audience: [address],
    closesAt: Math.floor(world.engine.status().engineTimeMillis / 1000) + 7_200,
  });
  assert.equal(asked.statusCode, 200, asked.body);
  return textAt(asked.json(), "data", "id");
}

async function madeBy(world: World, { secret }: Holder, url: string): Promise<string> {
  const route = world.routes.find((one) => one.method === "POST" && one.url === url);
  assert.ok(route !== undefined);
  const made = await world.post(url, secret, sampleOf(route).body);
  assert.equal(made.statusCode, 200, made.body);
  return textAt(made.json(), "data", "id");
}

/** The real intake over a real database, which has taken no file yet. */
export async function openWithIntake(t: Closing): Promise<PublicWorld> {
  const connection = await createDatabase(t, prepare);
  const pool = new Pool(connection);
  const journal = new PostgresJournal({ ...connection });
  pool.on("error", () => undefined);
  const folder = await temporaryFolder(t, "firstprint-access-");
  const archive = await RawFolder.start(folder);
  let intake: ReleaseIntakePort | undefined;
  const world = await PublicWorld.open(t, {
    journal,
    intakeOf: (view, series) => {
      intake ??= new ReleaseIntake(
        archive,
        new PrintStore(pool, () => world.world.engine.epoch()),
        view,
        series,
        (command) =>
          world.world.engine.submit({
            actor: { type: "system" },
            command,
            requestId: "release",
            idempotency: null,
          }),
      );
      return intake;
    },
  });
  t.after(async () => {
    await journal.close();
    await pool.end();
  });
  return world;
}

async function openWorld(t: Closing): Promise<World> {
  const { world } = await openWithIntake(t);
  for (const url of ["/api/admin/geo", "/api/admin/releases"]) {
    const route = world.routes.find((one) => one.method === "POST" && one.url === url);
    assert.ok(route !== undefined);
    const request = requestOf(route, sampleOf(route));
    const headers = { ...request.headers, "x-admin-secret": ADMIN_SECRET };
    const answer = await world.server.inject({ ...request, headers });
    assert.equal(answer.statusCode, 200, answer.body);
  }
  return world;
}

/** The log has a head that somebody else has cosigned. */
async function witness({ engine }: World): Promise<void> {
  const head = engine.history.log()?.newest;
  assert.ok(head !== undefined);
  const [text] = head.note.split("\n\n");
  const line = cosign(generateSigningKey(), "witness.example", `${text}\n`, 1_767_000_000);
  await engine.cosigned(head, line);
}

async function listMarket(world: World): Promise<string> {
  const market = {
    frontendId: "mkt-001",
    index: "zhvi",
    geoNodeId: "state:tx",
    measurementMonth: "2026-03",
    comparator: "gte",
    threshold: "380000",
  };
  const listed = await world.post("/api/admin/markets", undefined, market, {
    "x-admin-secret": ADMIN_SECRET,
  });
  assert.equal(listed.statusCode, 200, listed.body);
  return textAt(listed.json(), "data", "id");
}
