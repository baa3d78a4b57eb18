// Hostile requests to every operation of the reference, over a real port, with the journal and the
// prints in a real database. Operations that change something follow each other in worlds that are
// laid anew where one of them has taken what the next one names.
// The long run:
//
//   FIRSTPRINT_HOSTILE=50000 node --test test/http/hostile.db.test.ts
//
// FIRSTPRINT_HOSTILE: requests an operation, instead of 2,000; FIRSTPRINT_HOSTILE_SEED:
// another draw; FIRSTPRINT_HOSTILE_ONLY='POST /api/…': one operation.
//
// Invariant tested: no answer is a 5xx, but for a halt that the request itself brought about; each
// keeps the contract; a refusal says why and where, and leaves everything as it was.
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { after, describe, test } from "node:test";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Route } from "#http/route/route.ts";
import { isOperatorAccess } from "#http/server/auth.ts";
import { drawing } from "#test/journal/sealed.ts";
import { at, checkout, type Json } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { placeOf } from "../../tools/openapi-document.ts";
import { type Hostile, hostileRequest, partsOf, soundRequest } from "./hostile-requests.ts";
import type { Draw } from "./hostile-values.ts";
import { type Heard, send } from "./hostile-wire.ts";
import { SampledWorld } from "./sampled-world.ts";
import { ADMIN_SECRET, PEPPER } from "./world.ts";

const { env } = process;
const count = sizeOfRun("FIRSTPRINT_HOSTILE", 2_000);
const seed = sizeOfRun("FIRSTPRINT_HOSTILE_SEED", 1);
const only = env.FIRSTPRINT_HOSTILE_ONLY;

/** A request that changes something waits for its disk most of the time. */
const lanes = { concurrency: 4 };

/** The codes a halt may cause; every other 5xx is our own fault. */
const mayBe503: readonly string[] = ["EXCHANGE_HALTED"];
/** Texts that reveal how the exchange is made or where it lies. */
const internals = [checkout, tmpdir(), "node_modules", "node:internal", PEPPER];
/** Entries of a refused request hold nothing else. */
const ofRefusals: readonly string[] = ["RefusalRecorded"];

/** One operation under attack. */
class Target {
  readonly #matrix: SampledWorld;
  readonly #route: Route;
  readonly #agent: Agent;
  /** Of every list so far: each is well-formed, and in its place in one list alone. */
  readonly #cursors: string[];
  /** The changes by the entries of a request, by its id. */
  readonly #changes = new Map<string, string[]>();
  /** Whether the operation takes its own sample here; else more than one thing may be wrong. */
  #isSound = true;
  readonly statuses = new Map<number, number>();

  constructor(matrix: SampledWorld, route: Route, agent: Agent, cursors: string[]) {
    this.#cursors = cursors;
    this.#matrix = matrix;
    this.#route = route;
    this.#agent = agent;
    matrix.world.onDurable = (entry) => this.#note(entry);
  }

  #note({ envelope, outcome }: Entry): void {
    const { requestId } = envelope;
    if (isRejected(outcome) || requestId === null) return;
    const types = outcome.events.map(({ type }) => type);
    this.#changes.set(requestId, [...(this.#changes.get(requestId) ?? []), ...types]);
  }

  get credential(): readonly (readonly [string, string])[] {
    const { access } = this.#route;
    if (access === "public") return [];
    const isOperators = isOperatorAccess(access) || access === "root";
    if (isOperators) return [["x-admin-secret", ADMIN_SECRET]];
    return [["authorization", `Bearer ${this.#matrix.owner.secret}`]];
  }

  /** Whether the sample as it is is taken here. */
  async begins(): Promise<boolean> {
    const sample = this.#matrix.sample(this.#route);
    const sound = soundRequest(partsOf(this.#route, sample, this.credential));
    this.#isSound = (await this.#meet(sound, 0)) < 400;
    return this.#isSound;
  }

  /** `count` that are not as the sample is. */
  async attack(draw: Draw): Promise<void> {
    const sample = this.#matrix.sample(this.#route);
    for (let sent = 1; sent <= count; sent += 1) {
      const parts = partsOf(this.#route, sample, this.credential, this.#cursors);
      await this.#meet(hostileRequest(parts, draw), sent);
    }
  }

  async #meet(hostile: Hostile, sent: number): Promise<number> {
    const { world } = this.#matrix;
    // The limiter's clock: no bucket is ever empty.
    world.nowMillis += 60_000;
    const told = `${placeOf(this.#route)} seed ${seed} request ${sent}, ${hostile.what}`;
    const heard = await send(world.url, hostile, this.#agent).catch((error: unknown) =>
      assert.fail(`${told}: ${String(error)}`),
    );
    this.statuses.set(heard.status, (this.statuses.get(heard.status) ?? 0) + 1);
    this.#judge(hostile, heard, `${told}\n${heard.text.slice(0, 2_000)}`);
    return heard.status;
  }

  #judge(hostile: Hostile, heard: Heard, told: string): void {
    const { world, owner } = this.#matrix;
    assert.deepEqual(world.contract.breaches.splice(0), [], told);
    for (const secret of internals) {
      assert.ok(!heard.text.includes(secret), `${told}\nnames ${secret}`);
    }
    assert.doesNotMatch(heard.text, /\.[jt]s:\d+|\n\s+at /, told);
    for (const secret of [ADMIN_SECRET, owner.secret]) {
      assert.ok(!heard.text.includes(secret), `${told}\nechoes a credential`);
    }
    const changes = this.#changesOf(String(heard.headers["x-request-id"]));
    if (hostile.method === "GET") assert.deepEqual(changes, [], `${told}\nwas read, and changed`);
    const isLenient = hostile.mustRefuse === true && heard.status < 400;
    assert.ok(!isLenient, `${told}\nwas taken for something else`);
    const isPlain = hostile.method === "HEAD";
    if (heard.status === 200) this.#keepCursor(heard.text);
    if (heard.status < 400 || isPlain) {
      assert.ok(heard.status < 500, told);
      return;
    }
    assert.deepEqual(changes, [], `${told}\nwas refused, and changed something`);
    this.#judgeRefusal(hostile, heard, told);
  }

  #keepCursor(text: string): void {
    const cursor = /"nextCursor":"([^"]+)"/.exec(text)?.[1];
    if (cursor !== undefined && !this.#cursors.includes(cursor)) this.#cursors.push(cursor);
  }

  #changesOf(requestId: string): readonly string[] {
    return (this.#changes.get(requestId) ?? []).filter((type) => !ofRefusals.includes(type));
  }

  #judgeRefusal(hostile: Hostile, heard: Heard, told: string): void {
    const { world } = this.#matrix;
    const body: Json = JSON.parse(heard.text);
    const code = String(at(body, "code"));
    assert.ok(heard.status < 500 || mayBe503.includes(code), told);
    const isProblem = heard.headers["content-type"]?.startsWith("application/problem") === true;
    const error = isProblem ? body : at(body, "error");
    const message = isProblem ? at(body, "detail") : at(body, "message");
    assert.ok(typeof message === "string" && message.length > 5, told);
    if (code === "INVALID_REQUEST") this.#judgeField(hostile, error, String(message), told);
    assert.deepEqual(world.faults, [], told);
  }

  /** The fault is found in the one place that was changed, or in a part that depends on it. */
  #judgeField({ field }: Hostile, error: Json, message: string, told: string): void {
    if (field === undefined || message === "The request is not well-formed HTTP") return;
    assert.ok(at(error, "field") !== undefined, `${told}\nnames no field`);
    const named = at(error, "errors");
    const faults = Array.isArray(named) ? named.map((one) => at(one, "field")) : [];
    const roots = [at(error, "field"), ...faults].map((one) => String(one).split(/[.[]/)[0]);
    // Two that exclude each other are both at fault: the message tells of both.
    const isTold = roots.includes(field) || message.includes(field);
    assert.ok(isTold || !this.#isSound, `${told}\nnames another field than ${field}`);
  }
}

/** A world that stands for one operation after another, until one has changed too much of it. */
class Ground {
  #matrix: SampledWorld | undefined;
  readonly #endings: (() => Promise<void>)[] = [];

  /** The one that stands, or another in its place. */
  async world(isNew: boolean): Promise<SampledWorld> {
    if (isNew) await this.end();
    this.#matrix ??= await this.#open();
    return this.#matrix;
  }

  async #open(): Promise<SampledWorld> {
    const matrix = await SampledWorld.open({ after: (end) => this.#endings.push(end) });
    await matrix.world.listen();
    return matrix;
  }

  /** After all of it: the chain is whole, what it replays to is what is shown, and it answers. */
  async end(): Promise<void> {
    if (this.#matrix === undefined) return;
    const { world } = this.#matrix;
    this.#matrix = undefined;
    const status = await world.get("/api/status");
    assert.equal(status.json().sequence, world.engine.status().sequence, status.body);
    const verified = await world.engine.history.verify();
    assert.equal(verified.valid, true, JSON.stringify(verified));
    for (const end of this.#endings.splice(0)) await end();
  }
}

describe("hostile requests", () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  after(() => agent.destroy());

  test("every operation refuses what it does not take, and goes on", lanes, async (t) => {
    const [reading, ...grounds] = Array.from({ length: 1 + lanes.concurrency }, () => new Ground());
    assert.ok(reading !== undefined);
    for (const ground of [reading, ...grounds]) t.after(() => ground.end());
    const cursors: string[] = [];
    t.diagnostic(`seed ${seed}, ${count} requests each`);
    const attack = (route: Route, at: number, ground: Ground): Promise<void> =>
      t.test(placeOf(route), async (each) => {
        const open = async (isNew: boolean): Promise<Target> =>
          new Target(await ground.world(isNew), route, agent, cursors);
        let target = await open(false);
        // An earlier request may have taken what the sample names: then the ground is laid anew.
        if (!(await target.begins())) {
          target = await open(true);
          await target.begins();
        }
        await target.attack(drawing(seed * 1_000 + at));
        each.diagnostic(JSON.stringify(Object.fromEntries(target.statuses)));
      });
    const routes = [...(await reading.world(false)).world.routes.entries()].filter(
      ([, route]) => route.surface !== "page" && (only === undefined || placeOf(route) === only),
    );
    // Reads follow each other: the cursors of one list are tried on the next.
    for (const [at, route] of routes) if (route.method === "GET") await attack(route, at, reading);
    const changing = routes.filter(([, route]) => route.method !== "GET");
    await Promise.all(
      grounds.map(async (ground, lane) => {
        for (const [nth, [at, route]] of changing.entries())
          if (nth % lanes.concurrency === lane) await attack(route, at, ground);
      }),
    );
  });
});
